namespace Millrace.Transfer;

/// <summary>A stream that is read and nothing else.</summary>
internal abstract class ReadOnlyStream : ForwardStream
{
    public override bool CanRead => true;

    public override bool CanWrite => false;

    public abstract override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default);

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();
}
