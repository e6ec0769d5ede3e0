using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;

namespace Millrace.Buffers;

/// <summary>A block of page-aligned native memory, from <see cref="BlockPool"/>.</summary>
[SuppressMessage("Design", "CA1001", Justification = "Free gives the memory back; the pool decides when.")]
internal sealed unsafe class NativeBlock : Block
{
    private readonly NativeMemoryManager _manager;
    private readonly BlockPool? _pool;

    public NativeBlock(int headroom, int bodyCapacity, BlockPool? pool)
    {
        Capacity = headroom + bodyCapacity;
        Headroom = headroom;
        Pointer = (byte*)NativeMemory.AlignedAlloc((nuint)Capacity, (nuint)BlockPool.Alignment);
        _manager = new NativeMemoryManager(Pointer, Capacity);
        _pool = pool;
    }

    protected override ReadOnlyMemory<byte> Memory => _manager.Memory;

    public override void Release()
    {
        if (_pool is null || !_pool.TryReturn(this))
        {
            Free();
        }
    }

    public void Free()
    {
        _manager.Invalidate();
        NativeMemory.AlignedFree(Pointer);
        Pointer = null;
    }
}
