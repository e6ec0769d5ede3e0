using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;

namespace Millrace.Buffers;

/// <summary>A block of page-aligned native memory, from <see cref="BlockPool"/>.</summary>
[SuppressMessage("Design", "CA1001", Justification = "Free gives the memory back; the pool decides when.")]
internal sealed unsafe class NativeBlock : Block, IMemoryOwner<byte>
{
    private readonly NativeMemoryManager _manager;
    private readonly BlockPool? _pool;
    private readonly BlockSlab? _slab;

    public NativeBlock(int headroom, int bodyCapacity, BlockPool? pool)
        : this(
            (byte*)NativeMemory.AlignedAlloc((nuint)(headroom + bodyCapacity), (nuint)BlockPool.Alignment),
            headroom,
            bodyCapacity,
            pool)
    {
    }

    /// <summary>A block in a slab.</summary>
    public NativeBlock(BlockSlab slab, int index, BlockPool pool)
        : this(slab[index], BlockPool.HeadroomBytes, BlockPool.BodyBytes, pool)
    {
        _slab = slab;
    }

    private NativeBlock(byte* memory, int headroom, int bodyCapacity, BlockPool? pool)
    {
        Capacity = headroom + bodyCapacity;
        Headroom = headroom;
        Pointer = memory;
        _manager = new NativeMemoryManager(Pointer, Capacity);
        _pool = pool;
    }

    protected override ReadOnlyMemory<byte> Memory => _manager.Memory;

    Memory<byte> IMemoryOwner<byte>.Memory => _manager.Memory;

    void IDisposable.Dispose() => Release();

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
        if (_slab is null)
        {
            NativeMemory.AlignedFree(Pointer);
        }
        else
        {
            _slab.Release();
        }

        Pointer = null;
    }
}
