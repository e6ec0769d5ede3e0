using System.Buffers;
using System.Runtime.InteropServices;

namespace Millrace.Transfer.Server;

/// <summary>A block of <see cref="ConnectionMemoryPool"/>; disposing it gives it back.</summary>
internal sealed class ConnectionBlock : IMemoryOwner<byte>
{
    private const int LineBytes = 64;

    private readonly ConnectionMemoryPool _pool;
    private ConnectionMemory? _borrower;
    private int _lent;

    public ConnectionBlock(ConnectionMemoryPool pool, int bytes)
    {
        _pool = pool;

        // An array, because Kestrel's sender takes no other memory; pinned, because the system writes to it.
        byte[] array = GC.AllocateUninitializedArray<byte>(bytes + LineBytes, pinned: true);
        nint start = Marshal.UnsafeAddrOfPinnedArrayElement(array, 0);
        Memory = array.AsMemory((int)((LineBytes + (LineBytes / 2) - start) & (LineBytes - 1)), bytes);
    }

    public int Bytes => Memory.Length;

    /// <remarks>
    /// Begins in the middle of a cache line. Files are read into it, starting at a page boundary: into the first 15 bytes of a page
    /// the kernel reads slowly (docs/measuring.md, "Memory in step with the file"), also after the 9 of a chunk's header.
    /// </remarks>
    public Memory<byte> Memory { get; }

    /// <summary>Marks the block as rented.</summary>
    /// <param name="borrower">The connection to notify when it is returned; null for none.</param>
    public ConnectionBlock Lend(ConnectionMemory? borrower)
    {
        _borrower = borrower;
        _lent = 1;
        return this;
    }

    public void Dispose()
    {
        // Twice would make two connections share it.
        if (Interlocked.Exchange(ref _lent, 0) == 1)
        {
            _borrower?.Return(Bytes);
            _borrower = null;
            _pool.Return(this);
        }
    }
}
