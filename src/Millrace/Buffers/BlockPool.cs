using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using Millrace.Interop;

namespace Millrace.Buffers;

/// <summary>
/// Allocates and frees all native memory of blocks, and keeps blocks of one size for the next reader. Thread-safe. Last
/// returned, first rented: that block is the one whose memory is still in the processor's cache.
/// </summary>
internal sealed unsafe class BlockPool(int bodyBytes = BlockPool.BodyBytes, int maxKept = BlockPool.MaxKept, bool hugePages = false)
{
    /// <summary>Alignment of a block and of its body, in bytes: a page, and what direct I/O asks of any device.</summary>
    public const int Alignment = 4096;

    /// <summary>Bytes of a block's body, for files of which larger blocks would be a large part, and for untuned reads.</summary>
    /// <remarks>Smaller reads pay more system calls on every processor. See docs/measuring.md.</remarks>
    public const int BodyBytes = 256 * 1024;

    /// <summary>Bytes of the body of a block from <see cref="Large"/>: the largest system call.</summary>
    /// <remarks>Addresses; how much of them is read into follows from the processor: <see cref="Tuning.CopySize"/>.</remarks>
    public const int LargeBodyBytes = 2 * 1024 * 1024;

    /// <summary>Bytes before the body for the unconsumed rest of the previous block.</summary>
    /// <remarks>Larger than any usual record; untouched memory costs nothing but addresses.</remarks>
    public const int HeadroomBytes = BodyBytes;

    public const int BlockBytes = HeadroomBytes + BodyBytes;

    /// <summary>Blocks kept while unused: 16 of at most 512 KiB.</summary>
    private const int MaxKept = 16;

    /// <summary>Large blocks kept: those of one reader that reads ahead.</summary>
    private const int MaxLargeKept = 6;

    private readonly NativeBlock?[] _kept = new NativeBlock[maxKept];
    private readonly int _blockBytes = HeadroomBytes + bodyBytes;
    private readonly Lock _gate = new();
    private int _count;

    public static BlockPool Shared { get; } = new();

    /// <summary>Blocks for reading large files.</summary>
    public static BlockPool Large { get; } = new(LargeBodyBytes, MaxLargeKept);

    /// <summary>Blocks in huge pages, for devices to write to (Linux).</summary>
    /// <remarks>
    /// A device writes to a huge page as one piece of memory where small pages are 64 pieces a block: reading past the page
    /// cache took 0.6 to 0.8 of the time. See docs/direct.md.
    /// </remarks>
    public static BlockPool Direct { get; } = new(hugePages: true);

    public NativeBlock Rent()
    {
        lock (_gate)
        {
            if (_count > 0)
            {
                NativeBlock block = _kept[--_count]!;
                _kept[_count] = null;
                return block;
            }
        }

        return hugePages ? RentFromHugePage() : new NativeBlock(Allocate(_blockBytes), _blockBytes, HeadroomBytes) { Pool = this };
    }

    public static NativeBlock RentUnpooled(int bytes) => new(Allocate(bytes), bytes, headroom: 0);

    public static void Return(NativeBlock block)
    {
        if (block.Pool is { } pool && pool.TryKeep(block))
        {
            return;
        }

        Free(block);
    }

    public static void Free(NativeBlock block)
    {
        byte* memory = block.Invalidate();
        if (block.Page is not { } page)
        {
            Free(memory, block.Capacity);
        }
        else if (page.ReleaseOne())
        {
            MemoryMap.Unmap(page.Memory, MemoryMap.HugePageBytes);
        }
    }

    /// <summary>Pages from the kernel where it is Linux: what malloc has back stays with the process (docs/measuring.md).</summary>
    private static byte* Allocate(int bytes) => NativeFeatures.Mapping
        ? MemoryMap.MapPages(bytes)
        : (byte*)NativeMemory.AlignedAlloc((nuint)bytes, Alignment);

    private static void Free(byte* memory, int bytes)
    {
        if (NativeFeatures.Mapping)
        {
            MemoryMap.Unmap(memory, bytes);
        }
        else
        {
            NativeMemory.AlignedFree(memory);
        }
    }

    private bool TryKeep(NativeBlock block)
    {
        lock (_gate)
        {
            if (_count == maxKept)
            {
                return false;
            }

            // A sequence that its caller kept must not look current when the next reader has the block.
            block.RenewSegment();
            block.ResetAlignment();
            _kept[_count++] = block;
            return true;
        }
    }

    private NativeBlock RentFromHugePage()
    {
        const int Blocks = MemoryMap.HugePageBytes / BlockBytes;
        var page = new HugePage(MemoryMap.MapHugePage(), Blocks);
        for (int i = Blocks - 1; i > 0; i--)
        {
            Return(BlockOf(i));
        }

        return BlockOf(0);

        NativeBlock BlockOf(int index) =>
            new(page.Memory + (index * BlockBytes), BlockBytes, HeadroomBytes) { Pool = this, Page = page };
    }
}

/// <summary>Memory that several blocks share; freed with the last of them.</summary>
internal sealed unsafe class HugePage(byte* memory, int blocks)
{
    private int _blocks = blocks;

    public byte* Memory => memory;

    public bool ReleaseOne() => Interlocked.Decrement(ref _blocks) == 0;
}

/// <summary>A block of page-aligned native memory. <see cref="BlockPool"/> owns the memory.</summary>
/// <remarks>
/// The finalizer frees the blocks of a reader or writer that was never completed, once its buffers are unreachable too.
/// Blocks are pooled, so that opening a file makes none.
/// </remarks>
[SuppressMessage("Design", "CA1001", Justification = "The pool frees the memory; the manager owns nothing.")]
internal sealed unsafe class NativeBlock : Block, IMemoryOwner<byte>
{
    private readonly NativeMemoryManager _manager;

    public NativeBlock(byte* memory, int bytes, int headroom)
    {
        Pointer = memory;
        Capacity = bytes;
        MinHeadroom = headroom;
        _manager = new NativeMemoryManager(this, memory, bytes);
    }

    ~NativeBlock() => BlockPool.Free(this);

    /// <summary>Null for a block that is freed when it is released.</summary>
    public BlockPool? Pool { get; init; }

    /// <summary>The huge page that it is a part of; null for a separate allocation.</summary>
    public HugePage? Page { get; init; }

    protected override ReadOnlyMemory<byte> Memory => _manager.Memory;

    Memory<byte> IMemoryOwner<byte>.Memory => _manager.Memory;

    public override void Release() => BlockPool.Return(this);

    [SuppressMessage("Usage", "CA1816", Justification = "The pool keeps the block, which is finalized with it or not at all.")]
    void IDisposable.Dispose() => Release();

    [SuppressMessage("Usage", "CA1816", Justification = "Here the memory stops being the block's.")]
    public byte* Invalidate()
    {
        byte* memory = Pointer;
        _manager.Invalidate();
        Pointer = null;
        GC.SuppressFinalize(this);
        return memory;
    }
}

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
        MinHeadroom = headroom;
    }

    /// <remarks>The reader was never completed. The pool collects the blocks it lent: they may still be in use.</remarks>
    ~ForeignBlock() => _pin.Dispose();

    protected override ReadOnlyMemory<byte> Memory => _memory;

    [SuppressMessage("Usage", "CA1816", Justification = "Blocks are released, not disposed.")]
    public override void Release()
    {
        GC.SuppressFinalize(this);
        _pin.Dispose();
        _pin = default;
        Pointer = null;
        _owner?.Dispose();
    }
}

/// <summary>Memory of a block that is not the garbage collector's.</summary>
/// <remarks>The owner frees the memory as it is finalized, so every buffer keeps the owner alive.</remarks>
internal sealed unsafe class NativeMemoryManager(object owner, byte* pointer, int length) : MemoryManager<byte>
{
    private byte* _pointer = pointer;

    public object Owner { get; } = owner;

    public override Span<byte> GetSpan()
    {
        ObjectDisposedException.ThrowIf(_pointer is null, typeof(FilePipeReader));
        return new Span<byte>(_pointer, length);
    }

    public override MemoryHandle Pin(int elementIndex = 0)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)elementIndex, (uint)length, nameof(elementIndex));
        ObjectDisposedException.ThrowIf(_pointer is null, typeof(FilePipeReader));
        return new MemoryHandle(_pointer + elementIndex, pinnable: this);
    }

    public override void Unpin()
    {
    }

    public void Invalidate() => _pointer = null;

    protected override void Dispose(bool disposing) => Invalidate();
}

/// <summary>Where one reader's blocks come from: Millrace's own pool, or the caller's.</summary>
/// <param name="foreign">The caller's pool; null for Millrace's.</param>
/// <param name="pool">Which of Millrace's pools; null for the usual one.</param>
/// <param name="foreignBodyBytes">Bytes of the body of a block from the caller's pool; 0 for the usual ones.</param>
internal readonly struct BlockAllocator(MemoryPool<byte>? foreign, BlockPool? pool = null, int foreignBodyBytes = 0)
{
    public Block Rent() =>
        foreign is null
            ? (pool ?? BlockPool.Shared).Rent()
            : new ForeignBlock(foreign, BlockPool.HeadroomBytes, Math.Max(foreignBodyBytes, BlockPool.BodyBytes));

    /// <summary>A block without headroom for a record longer than a block.</summary>
    public Block RentLarge(int bytes) =>
        foreign is null ? BlockPool.RentUnpooled(bytes) : new ForeignBlock(foreign, 0, bytes);
}
