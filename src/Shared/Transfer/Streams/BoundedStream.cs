namespace Millrace.Transfer;

/// <summary>Writes to memory of another, and to nowhere once that is full.</summary>
internal sealed class BoundedStream(Memory<byte> memory) : WriteOnlyStream
{
    /// <summary>Bytes that were written.</summary>
    public int Bytes { get; private set; }

    /// <summary>Whether more came than there was room for.</summary>
    public bool IsFull { get; private set; }

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        IsFull |= buffer.Length > memory.Length - Bytes;
        if (!IsFull)
        {
            buffer.CopyTo(memory.Span[Bytes..]);
            Bytes += buffer.Length;
        }
    }

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        Write(buffer.Span);
        return default;
    }
}
