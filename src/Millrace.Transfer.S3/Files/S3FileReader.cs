namespace Millrace.Transfer.S3;

/// <summary>One version of a file of an <see cref="S3FileStore"/>, by its tag.</summary>
internal sealed class S3FileReader(Bucket bucket, string key, StoredFile file) : StoredFileReader
{
    public override StoredFile File => file;

    public override PipeReader Read(ByteRange range)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(range.Offset, nameof(range));
        ArgumentOutOfRangeException.ThrowIfNegative(range.Length, nameof(range));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(range.Offset, file.Length, nameof(range));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(range.Length, file.Length - range.Offset, nameof(range));
        return new RangePipeReader(new RangeStream(bucket, key, file, range));
    }

    public override ValueTask DisposeAsync() => default;
}
