using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Millrace.Kestrel;

/// <summary>A block of <see cref="BlockPool"/>; disposing it gives it back.</summary>
internal sealed class Block(BlockPool pool, int bytes) : IMemoryOwner<byte>
{
    // Pinned, because the system reads and writes it while this process goes on.
    private readonly byte[] _array = GC.AllocateUninitializedArray<byte>(bytes, pinned: true);
    private int _lent;

    public int Bytes => bytes;

    public byte[] Array => _array;

    public Memory<byte> Memory => _array;

    public unsafe byte* Address => (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(_array));

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
