using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Millrace.Buffers;

/// <summary>
/// One buffer: a body that the file is read into, and before it a headroom to which the unconsumed rest of the previous
/// block is moved. The caller's buffer is therefore always contiguous, and only that rest is ever copied.
/// </summary>
/// <remarks>Owned by one thread at a time. <see cref="Pointer"/> stays valid until <see cref="Release"/>.</remarks>
internal abstract unsafe class Block
{
    private BlockSegment? _segment;
    private BlockSegment? _otherSegment;

    /// <summary>The first byte of the headroom.</summary>
    public byte* Pointer { get; protected set; }

    /// <summary>Bytes of headroom and body together.</summary>
    public int Capacity { get; protected set; }

    /// <summary>Index of the first byte of the body; moves within a page with the place in the file.</summary>
    public int Headroom { get; private set; }

    /// <summary>Bytes of headroom that there are wherever the block is read from; 0 for a block that nothing is read into.</summary>
    public int MinHeadroom
    {
        get;
        protected init => Headroom = field = value;
    }

    /// <summary>Bytes of the body that hold file content.</summary>
    public int Filled { get; set; }

    /// <summary>Bytes of the body that are to be read.</summary>
    public int Wanted { get; set; }

    /// <summary>
    /// Bytes at the start of the body that were not asked for: between an aligned place in the file and the wanted one.
    /// Counted in <see cref="Filled"/> and <see cref="Wanted"/>.
    /// </summary>
    public int Skipped { get; set; }

    /// <summary>Where in the file the body begins, in bytes.</summary>
    public long FileOffset { get; set; }

    public BlockState State { get; set; }

    /// <summary>The source moved on while this block was being read; the thread that reads it returns it.</summary>
    public bool Orphaned { get; set; }

    /// <summary>Nothing follows in the file.</summary>
    public bool Last { get; set; }

    /// <summary>Why no bytes follow those of this block.</summary>
    public FilePipeException? Error { get; set; }

    public long EndOffset => FileOffset + Filled;

    public int BodyCapacity => Capacity - Headroom;

    public byte* Body => Pointer + Headroom;

    public BlockSegment Segment
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _segment ??= new BlockSegment(Memory);
    }

    protected abstract ReadOnlyMemory<byte> Memory { get; }

    public Memory<byte> Writable => MemoryMarshal.AsMemory(Memory);

    /// <summary>Makes positions handed out so far foreign: call when bytes move within the block.</summary>
    public void RenewSegment()
    {
        (_segment, _otherSegment) = (_otherSegment, _segment);
    }

    public void Prepare(long fileOffset, int wanted, int skipped)
    {
        FileOffset = fileOffset;
        Wanted = wanted;
        Skipped = skipped;
        Filled = 0;
        Last = false;
        Error = null;
        Orphaned = false;
        State = BlockState.Reading;
    }

    /// <summary>
    /// Moves the body so that memory and file are in step: a byte at the start of a page in the file comes to the start of one in
    /// memory. Out of step, the kernel's copy takes up to five times as long. See docs/measuring.md.
    /// </summary>
    /// <param name="fileOffset">Of the body's first byte.</param>
    /// <param name="ahead">Bytes that memory is to be ahead of the file: 0, or <see cref="PageStep.KeepsInCache"/>.</param>
    public void Align(long fileOffset, int ahead = 0)
    {
        Headroom = MinHeadroom + PageStep.IndexFor(fileOffset + ahead, Pointer + MinHeadroom);
    }

    /// <summary>Forgets <see cref="Align"/>.</summary>
    public void ResetAlignment() => Headroom = MinHeadroom;

    /// <summary>Gives the memory back. The caller must not use the block any more.</summary>
    public abstract void Release();
}

/// <summary>Where a block is on its way from the file to the reader. Guarded by the queue's lock.</summary>
internal enum BlockState
{
    /// <summary>Part of a window, or free.</summary>
    Idle,

    /// <summary>A thread or the kernel is reading into it.</summary>
    Reading,

    /// <summary>Its bytes were not in the page cache; a thread that may wait has to read them.</summary>
    Waiting,

    /// <summary>Read up to the wanted length, the end of the file or an error.</summary>
    Done,
}

/// <summary>
/// The one segment of every <see cref="ReadOnlySequence{T}"/> that a file pipe hands out. A block owns two and uses
/// them in turn, so that a position kept from before the bytes were moved names a segment that is no longer current.
/// </summary>
internal sealed class BlockSegment : ReadOnlySequenceSegment<byte>
{
    public BlockSegment(ReadOnlyMemory<byte> memory) => Memory = memory;
}

internal struct BlockRing
{
    public const int Capacity = 10;

    private Slots _slots;
    private int _first;

    public int Count { get; private set; }

    public void Enqueue(Block block)
    {
        _slots[(_first + Count) % Capacity] = block;
        Count++;
    }

    public void EnqueueFirst(Block block)
    {
        _first = (_first + Capacity - 1) % Capacity;
        _slots[_first] = block;
        Count++;
    }

    public readonly Block Peek(int index) => _slots[(_first + index) % Capacity]!;

    public Block Dequeue()
    {
        Block block = _slots[_first]!;
        _slots[_first] = null;
        _first = (_first + 1) % Capacity;
        Count--;
        return block;
    }

    /// <summary>Of free blocks, the one still in the processor's cache.</summary>
    public Block TakeLast()
    {
        Count--;
        int last = (_first + Count) % Capacity;
        Block block = _slots[last]!;
        _slots[last] = null;
        return block;
    }

    [InlineArray(Capacity)]
    private struct Slots
    {
        private Block? _slot;
    }
}
