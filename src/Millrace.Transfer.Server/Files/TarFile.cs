using System.Formats.Tar;
using System.Text;

namespace Millrace.Transfer.Server;

/// <summary>A tar file (POSIX pax, which has long names and large sizes).</summary>
internal sealed class TarFile(Stream body) : IArchiveWriter
{
    private const UnixFileMode FileMode =
        UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead | UnixFileMode.OtherRead;

    private const UnixFileMode ProgramMode =
        FileMode | UnixFileMode.UserExecute | UnixFileMode.GroupExecute | UnixFileMode.OtherExecute;

    private readonly TarWriter _archive = new(body, TarEntryFormat.Pax, leaveOpen: true);

    public async ValueTask AddAsync(string path, StoredFileReader reader, CancellationToken cancellationToken)
    {
        await using var content = new StoredFileStream(reader);
        var entry = new PaxTarEntry(TarEntryType.RegularFile, path)
        {
            DataStream = content,
            Mode = reader.File.IsExecutable ? ProgramMode : FileMode,

            // The format has earlier times; the framework does not write them.
            ModificationTime = reader.File.Modified.Seconds < 0 ? DateTimeOffset.UnixEpoch : reader.File.Modified.ToDateTimeOffset(),
        };
        await _archive.WriteEntryAsync(entry, cancellationToken);
    }

    public async ValueTask AddTextAsync(string path, string text, CancellationToken cancellationToken) => await _archive.WriteEntryAsync(
        new PaxTarEntry(TarEntryType.RegularFile, path) { DataStream = new MemoryStream(Encoding.UTF8.GetBytes(text)) }, cancellationToken);

    public ValueTask DisposeAsync() => _archive.DisposeAsync();
}
