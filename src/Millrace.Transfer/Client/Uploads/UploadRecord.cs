using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Millrace.Transfer;

/// <summary>
/// Where the upload of a file is continued, kept for another process in the user's own folder of states: the source's may
/// not be writable, and the URL is not for others.
/// </summary>
internal sealed class UploadRecord
{
    private const UnixFileMode Private = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    private readonly string _folder;
    private readonly string _path;
    private readonly Uri _target;
    private readonly long _length;
    private readonly long _modified;
    private readonly Lock _saving = new();
    private string? _file;

    /// <summary>Names the record of an upload. A file that was changed since is not continued.</summary>
    public UploadRecord(string folder, string path, Uri target, long length, FileTime modified)
    {
        _folder = folder;
        _path = Path.GetFullPath(path);
        _target = target;
        _length = length;

        // As the framework has it, and records of earlier versions do.
        _modified = modified.ToDateTimeOffset().UtcTicks;
    }

    /// <summary>Named when it is needed: a small file has none.</summary>
    private string RecordPath => _file ??= Path.Combine(
        _folder, $"{Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes($"{_path}\n{_target.AbsoluteUri}")).AsSpan(0, 16))}.json");

    /// <summary>Where records are by default: <c>$XDG_STATE_HOME/millrace/uploads</c>, or below the user's local data.</summary>
    public static string DefaultFolder => StateFolder.Of("uploads");

    /// <summary>Where the upload is continued; null when none was begun, or of another version, or in parts.</summary>
    public Uri? Find() => Read() is { Parts: null } note ? Parse(note.Upload) : null;

    /// <summary>The parts of which the upload was begun; null when it was not.</summary>
    public UploadParts? FindParts()
    {
        if (Read()?.Parts is not { Count: > 0 } notes)
        {
            return null;
        }

        var parts = new List<UploadPart>(notes.Count);
        long end = 0;
        foreach (UploadPartNote note in notes)
        {
            if (note.Length <= 0 || note.Length > _length - end)
            {
                return null;
            }

            Uri? upload = note.Upload is null ? null : Parse(note.Upload);
            parts.Add(new UploadPart(end, note.Length) { Upload = upload, AskFirst = upload is not null });
            end += note.Length;
        }

        return end == _length ? new UploadParts(parts) : null;
    }

    private Uri? Parse(string text) =>
        Uri.TryCreate(text, UriKind.Absolute, out Uri? upload) && upload.Authority == _target.Authority ? upload : null;

    private UploadNote? Read()
    {
        try
        {
            UploadNote? note = JsonSerializer.Deserialize(File.ReadAllBytes(RecordPath), ClientJson.Default.UploadNote);
            return note is not null && note.Path == _path && note.Target == _target.AbsoluteUri
                && note.Length == _length && note.Modified == _modified
                ? note
                : null;
        }
        catch (Exception exception) when (exception is IOException or JsonException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    /// <summary>Remembers where it is continued. Where that cannot be written, only this process can continue it.</summary>
    public void Save(Uri upload) => Save(upload.AbsoluteUri, parts: null);

    /// <summary>Remembers the parts, those that are begun and those that are not.</summary>
    public void Save(UploadParts parts)
    {
        lock (_saving)
        {
            Save("", [.. parts.All.Select(part => new UploadPartNote(part.Length, part.Upload?.AbsoluteUri))]);
        }
    }

    private void Save(string upload, IReadOnlyList<UploadPartNote>? parts)
    {
        try
        {
            Directory.CreateDirectory(_folder);
            ClientJson.Write(
                RecordPath,
                new FileWriteOptions { Durability = Durability.None, UnixCreateMode = Private },
                new UploadNote(_path, _target.AbsoluteUri, upload, _length, _modified, parts),
                ClientJson.Default.UploadNote);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
        }
    }

    /// <summary>Forgets it.</summary>
    public void Remove()
    {
        try
        {
            File.Delete(RecordPath);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
        }
    }
}

/// <summary>
/// The content of an <see cref="UploadRecord"/>; <c>Modified</c> in ticks of UTC, and <c>Parts</c> only for several connections.
/// </summary>
internal sealed record UploadNote(
    string Path, string Target, string Upload, long Length, long Modified, IReadOnlyList<UploadPartNote>? Parts = null);

/// <summary>A part in an <see cref="UploadNote"/>.</summary>
internal sealed record UploadPartNote(long Length, string? Upload);

/// <summary>Reads and writes a client's records on its own disk.</summary>
[JsonSerializable(typeof(UploadNote))]
[JsonSerializable(typeof(PartNote))]
internal sealed partial class ClientJson : JsonSerializerContext
{
    public static void Write<T>(string path, FileWriteOptions options, T value, JsonTypeInfo<T> type)
    {
        using FilePipeWriter writer = FilePipe.Create(path, options);
        using (var json = new Utf8JsonWriter(writer))
        {
            JsonSerializer.Serialize(json, value, type);
        }

        writer.Commit();
    }
}
