using System.Buffers;

namespace Millrace.Transfer.Server;

/// <summary>A block of <see cref="ConnectionMemoryPool"/>; disposing it gives it back.</summary>
internal sealed unsafe class ConnectionBlock(ConnectionMemoryPool pool, int bytes) : MemoryManager<byte>
{
    private readonly ConnectionMemory _memory = new(bytes);
    private int _lent = 1;

    public int Bytes => bytes;

    public override Memory<byte> Memory => CreateMemory(bytes);

    public override Span<byte> GetSpan() => new(_memory.Pointer, bytes);

    public override MemoryHandle Pin(int elementIndex = 0)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(elementIndex);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(elementIndex, bytes);
        return new MemoryHandle(_memory.Pointer + elementIndex, pinnable: this);
    }

    public override void Unpin()
    {
        // Native memory stays where it is.
    }

    /// <summary>It was free and now belongs to somebody again.</summary>
    public void Lend() => _lent = 1;

    /// <summary>Gives the memory back to the system.</summary>
    public void Free() => _memory.Dispose();

    protected override void Dispose(bool disposing)
    {
        // Twice would make two connections share it.
        if (Interlocked.Exchange(ref _lent, 0) == 1)
        {
            pool.Return(this);
        }
    }
}
