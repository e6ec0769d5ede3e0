namespace Millrace.Transfer;

/// <summary>Reads memory: what a decompressor is given, message after message.</summary>
internal sealed class HeldStream : ReadOnlyStream
{
    private ReadOnlyMemory<byte> _left;

    /// <summary>Begins anew with other memory, which stays the caller's.</summary>
    public void Begin(ReadOnlyMemory<byte> memory) => _left = memory;

    public override int Read(Span<byte> buffer)
    {
        int bytes = Math.Min(buffer.Length, _left.Length);
        _left.Span[..bytes].CopyTo(buffer);
        _left = _left[bytes..];
        return bytes;
    }

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        ValueTask.FromResult(Read(buffer.Span));
}
