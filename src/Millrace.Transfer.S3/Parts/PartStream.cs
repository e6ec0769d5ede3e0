namespace Millrace.Transfer.S3;

/// <summary>A part as the SDK sends it: it can begin again when a request is retried. Disposing it leaves the part alone.</summary>
internal sealed class PartStream(PartBuffer part) : Stream
{
    public override bool CanRead => true;

    public override bool CanSeek => true;

    public override bool CanWrite => false;

    public override long Length => part.Length;

    public override long Position { get; set; }

    public override int Read(Span<byte> buffer)
    {
        ReadOnlySpan<byte> there = part.Read(Position).Span;
        int count = Math.Min(buffer.Length, there.Length);
        there[..count].CopyTo(buffer);
        Position += count;
        return count;
    }

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<int>(cancellationToken)
            : new ValueTask<int>(Read(buffer.Span));

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    /// <remarks>Whole blocks, without a buffer between them and the connection.</remarks>
    public override async Task CopyToAsync(Stream destination, int bufferSize, CancellationToken cancellationToken)
    {
        for (ReadOnlyMemory<byte> next; !(next = part.Read(Position)).IsEmpty; Position += next.Length)
        {
            await destination.WriteAsync(next, cancellationToken);
        }
    }

    public override long Seek(long offset, SeekOrigin origin) => Position = origin switch
    {
        SeekOrigin.Begin => offset,
        SeekOrigin.Current => Position + offset,
        _ => Length + offset,
    };

    public override void Flush()
    {
    }

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
}
