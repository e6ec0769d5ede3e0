namespace Millrace.Transfer;

/// <summary>A stream for writing only: asynchronously, unless a derived class overrides that.</summary>
internal abstract class WriteOnlyStream : ForwardStream
{
    public override bool CanRead => false;

    public override bool CanWrite => true;

    public abstract override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default);

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        WriteAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override void Write(ReadOnlySpan<byte> buffer) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));
}
