using System.Text.Json;

namespace Millrace.Transfer;

/// <summary>
/// Describes an unfinished download, beside it: <c>.NAME.millrace-part</c> has the bytes,
/// <c>.NAME.millrace-part.json</c> the URL, the version and the length. Of a long name, see <see cref="SideName"/>.
/// </summary>
internal sealed class PartRecord
{
    private const string Suffix = ".millrace-part";
    private const string NoteSuffix = ".json";

    private readonly string _notePath;
    private readonly Uri? _source;

    /// <summary>Names the unfinished file of a path, and throws one away that is of something else.</summary>
    public PartRecord(string path, Uri source)
    {
        PartPath = Beside(path, Suffix);
        _notePath = PartPath + NoteSuffix;
        _source = source;
        if (!File.Exists(_notePath))
        {
            // As of most files: an exception, and calls that delete nothing, for each of thousands take longer than small ones do.
            if (File.Exists(PartPath))
            {
                File.Delete(PartPath);
            }

            return;
        }

        Note = Read();
        if (Note is null)
        {
            Remove();
        }
    }

    private PartRecord(string partPath)
    {
        PartPath = partPath;
        _notePath = partPath + NoteSuffix;
    }

    /// <summary>An unfinished file that no other process is to continue.</summary>
    public static PartRecord Unremembered(string path)
    {
        string unique = Guid.NewGuid().ToString("N")[..16];
        return new PartRecord(Beside(path, $".{unique}{Suffix}"));
    }

    /// <summary>The unfinished file.</summary>
    public string PartPath { get; }

    /// <summary>An earlier process' unfinished download; null when there is none to continue.</summary>
    public PartNote? Note { get; private set; }

    /// <summary>Whether another process could continue it.</summary>
    public bool IsSaved => Note is not null;

    /// <summary>Remembers the version that comes. One without a tag cannot be continued, and is not remembered.</summary>
    public void Save(OpenedFile file)
    {
        if (file is { Tag: { } tag, Length: { } length } && _source is not null && (Note?.Tag != tag.Value || Note.Length != length))
        {
            Save(new PartNote(_source.AbsoluteUri, tag.Value, length, null));
        }
    }

    /// <summary>Remembers the version that comes, and which parts of it are missing.</summary>
    public void Save(StoredFile file, long[] missing)
    {
        if (_source is not null)
        {
            Save(new PartNote(_source.AbsoluteUri, file.Tag.Value, file.Length, missing));
        }
    }

    /// <summary>Remembers which parts are missing.</summary>
    public void SaveMissing(long[] missing)
    {
        if (Note is { } note)
        {
            Save(note with { Missing = missing });
        }
    }

    private static string Beside(string path, string suffix)
    {
        string full = Path.GetFullPath(path);
        return Path.Combine(Path.GetDirectoryName(full)!, SideName.Of(".", Path.GetFileName(full), suffix, NoteSuffix.Length));
    }

    private void Save(PartNote note)
    {
        ClientJson.Write(_notePath, new FileWriteOptions { Durability = Durability.None }, note, ClientJson.Default.PartNote);
        Note = note;
    }

    /// <summary>Throws the unfinished file away.</summary>
    public void Remove()
    {
        // In this order: a part without a note is thrown away, a note without a part promises nothing.
        RemoveNote();
        File.Delete(PartPath);
    }

    /// <summary>The file has its name now.</summary>
    public void RemoveNote()
    {
        File.Delete(_notePath);
        Note = null;
    }

    private PartNote? Read()
    {
        try
        {
            PartNote? note = JsonSerializer.Deserialize(File.ReadAllBytes(_notePath), ClientJson.Default.PartNote);
            var part = new FileInfo(PartPath);
            return note is { Tag.Length: > 0 } && note.Source == _source!.AbsoluteUri
                && part.Exists && part.Length <= note.Length && IsValid(note)
                ? note
                : null;
        }
        catch (Exception exception) when (exception is IOException or JsonException)
        {
            return null;
        }
    }

    private static bool IsValid(PartNote note)
    {
        if (note.Missing is null)
        {
            return true;
        }

        long last = 0;
        foreach (long at in note.Missing)
        {
            if (at < last || at > note.Length)
            {
                return false;
            }

            last = at;
        }

        return note.Missing.Length % 2 == 0;
    }
}

/// <summary>The content of a <see cref="PartRecord"/>.</summary>
/// <param name="Source">Where the file comes from.</param>
/// <param name="Tag">Its version, without quotes.</param>
/// <param name="Length">Its bytes.</param>
/// <param name="Missing">
/// The parts that are not there yet, as pairs of first byte and first byte after, when several came at once; null when
/// everything in front of the unfinished file's end is there.
/// </param>
internal sealed record PartNote(string Source, string Tag, long Length, long[]? Missing);
