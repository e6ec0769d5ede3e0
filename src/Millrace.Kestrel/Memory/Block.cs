using System.Buffers;
using System.Runtime.InteropServices;

namespace Millrace.Kestrel;

/// <summary>A block of <see cref="BlockPool"/>; disposing it gives it back.</summary>
internal sealed class Block(BlockPool pool, int bytes) : IMemoryOwner<byte>
{
    private const int LineBytes = 64;

    // Pinned, because the system reads and writes it while this process goes on.
    private readonly byte[] _array = GC.AllocateUninitializedArray<byte>(bytes + LineBytes, pinned: true);
    private int _lent;

    public int Bytes => bytes;

    /// <remarks>
    /// Begins in the middle of a cache line. Files are read into it, from the beginning of a page on: into the first 15 bytes of a page
    /// the kernel reads slowly (docs/measuring.md, "Memory in step with the file").
    /// </remarks>
    public Memory<byte> Memory => _array.AsMemory(Start, bytes);

    public unsafe byte* Address => (byte*)Marshal.UnsafeAddrOfPinnedArrayElement(_array, Start);

    private int Start => (int)((LineBytes + (LineBytes / 2) - Marshal.UnsafeAddrOfPinnedArrayElement(_array, 0)) & (LineBytes - 1));

    public void Lend() => _lent = 1;

    public void Dispose()
    {
        // Twice would make two connections share it.
        if (Interlocked.Exchange(ref _lent, 0) == 1)
        {
            pool.Return(this);
        }
    }
}
