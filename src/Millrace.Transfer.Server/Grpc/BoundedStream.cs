namespace Millrace.Transfer.Server;

/// <summary>Writes to memory of another, and to nowhere once that is full.</summary>
internal sealed class BoundedStream(Memory<byte> memory) : Stream
{
    /// <summary>Bytes that were written.</summary>
    public int Bytes { get; private set; }

    /// <summary>Whether more came than there was room for.</summary>
    public bool IsFull { get; private set; }

    public override bool CanRead => false;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        IsFull |= buffer.Length > memory.Length - Bytes;
        if (!IsFull)
        {
            buffer.CopyTo(memory.Span[Bytes..]);
            Bytes += buffer.Length;
        }
    }

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    public override void Flush()
    {
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();
}
