using System.IO.Compression;

namespace Millrace.Transfer.Server;

/// <summary>A zip file that is written forwards only: sizes and checksums follow each file's bytes, zip64 where they are large.</summary>
internal sealed class ZipFile : IArchiveWriter
{
    /// <summary>The first time that a zip file can have, and the last.</summary>
    private static readonly DateTimeOffset Earliest = new(1980, 1, 1, 0, 0, 0, TimeSpan.Zero);
    private static readonly DateTimeOffset Latest = new(2107, 12, 31, 23, 59, 58, TimeSpan.Zero);

    private readonly ZipArchive _archive;

    private ZipFile(ZipArchive archive) => _archive = archive;

    public static async ValueTask<ZipFile> BeginAsync(Stream body, CancellationToken cancellationToken) => new(
        await ZipArchive.CreateAsync(body, ZipArchiveMode.Create, leaveOpen: true, entryNameEncoding: null, cancellationToken));

    public async ValueTask AddAsync(string path, StoredFileReader reader, CancellationToken cancellationToken)
    {
        StoredFile file = reader.File;
        ZipArchiveEntry entry = _archive.CreateEntry(
            path,
            MediaType.IsCompressible(MediaType.Of(file.Name)) ? CompressionLevel.Fastest : CompressionLevel.NoCompression);
        entry.LastWriteTime = file.Modified < Earliest ? Earliest : file.Modified > Latest ? Latest : file.Modified;
        await using Stream stream = await entry.OpenAsync(cancellationToken);
        if (file.Length == 0)
        {
            return;
        }

        PipeReader content = reader.Read(new ByteRange(0, file.Length));
        try
        {
            await content.CopyToAsync(stream, cancellationToken);
        }
        finally
        {
            await content.CompleteAsync();
        }
    }

    public ValueTask DisposeAsync() => _archive.DisposeAsync();
}
