namespace Millrace.Transfer;

/// <summary>Reads memory: what a decompressor is given, message after message.</summary>
internal sealed class HeldStream : Stream
{
    private ReadOnlyMemory<byte> _left;

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

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

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
}
