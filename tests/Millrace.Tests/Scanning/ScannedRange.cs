namespace Millrace.Tests.Scanning;

/// <summary>The bytes from the reader of one range.</summary>
internal sealed record ScannedRange(long Start, long Length, byte[] Bytes)
{
    /// <summary>Scans and keeps everything.</summary>
    public static Task<ScannedRange[]> ScanAsync(
        string path, int degree, RecordBoundary boundary = default, FileReadOptions options = default) =>
        FilePipe.ScanAsync(path, degree, boundary, ReadAsync, options).Soon();

    /// <summary>Reads a range to its end.</summary>
    public static async ValueTask<ScannedRange> ReadAsync(FilePipeReader reader, CancellationToken cancellationToken)
    {
        long start = reader.Position;
        long length = reader.CanSeek ? reader.Length : 0;
        return new ScannedRange(start, length, await reader.ReadToEndAsync());
    }

    /// <summary>Where a range is, without reading it.</summary>
    public static ValueTask<(long Start, long Length)> LocateAsync(FilePipeReader reader, CancellationToken cancellationToken) =>
        ValueTask.FromResult((reader.Position, reader.Length));
}
