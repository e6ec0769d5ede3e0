using System.Buffers;

namespace Millrace.Buffers;

/// <summary>A block rented from the caller's own <see cref="MemoryPool{T}"/>, pinned for as long as it is rented.</summary>
internal sealed unsafe class ForeignBlock : Block
{
    private readonly IMemoryOwner<byte>? _owner;
    private readonly ReadOnlyMemory<byte> _memory;
    private MemoryHandle _pin;

    public ForeignBlock(MemoryPool<byte> pool, int headroom, int bodyCapacity)
    {
        int capacity = headroom + bodyCapacity;
        Memory<byte> memory;
        if (capacity <= pool.MaxBufferSize)
        {
            _owner = pool.Rent(capacity);
            memory = _owner.Memory[..capacity];
        }
        else
        {
            memory = new byte[capacity];
        }

        _memory = memory;
        _pin = memory.Pin();
        Pointer = (byte*)_pin.Pointer;
        Capacity = capacity;
        Headroom = headroom;
    }

    protected override ReadOnlyMemory<byte> Memory => _memory;

    public override void Release()
    {
        _pin.Dispose();
        _pin = default;
        Pointer = null;
        _owner?.Dispose();
    }
}
