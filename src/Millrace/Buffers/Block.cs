using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Millrace.Buffers;

/// <summary>
/// One buffer: a body that the file is read into, and before it a headroom to which the unconsumed rest of the previous
/// block is moved. What the caller sees is therefore always contiguous, and only that rest is ever copied.
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

    /// <summary>Index of the first byte of the body.</summary>
    public int Headroom { get; protected set; }

    /// <summary>Bytes of the body that hold file content.</summary>
    public int Filled { get; set; }

    /// <summary>Bytes of the body that are to be read.</summary>
    public int Wanted { get; set; }

    /// <summary>
    /// Bytes at the start of the body that nobody asked for: what lies between an aligned place in the file and the
    /// wanted one. Counted in <see cref="Filled"/> and <see cref="Wanted"/>.
    /// </summary>
    public int Skipped { get; set; }

    /// <summary>Where in the file the body begins, in bytes.</summary>
    public long FileOffset { get; set; }

    public BlockState State { get; set; }

    /// <summary>The source moved on while this block was being read; whoever reads it gives it back.</summary>
    public bool Orphaned { get; set; }

    /// <summary>Nothing follows in the file.</summary>
    public bool Last { get; set; }

    /// <summary>What went wrong after the bytes that it holds.</summary>
    public FilePipeException? Error { get; set; }

    /// <summary>Where in the file the bytes that it holds end.</summary>
    public long EndOffset => FileOffset + Filled;

    public int BodyCapacity => Capacity - Headroom;

    public byte* Body => Pointer + Headroom;

    /// <summary>The segment that stands for this block in the sequences handed out now.</summary>
    public BlockSegment Segment
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _segment ??= new BlockSegment(Memory);
    }

    protected abstract ReadOnlyMemory<byte> Memory { get; }

    /// <summary>All of it, for whoever fills it.</summary>
    public Memory<byte> Writable => MemoryMarshal.AsMemory(Memory);

    /// <summary>Makes positions handed out so far foreign: call when bytes move within the block.</summary>
    public void RenewSegment()
    {
        (_segment, _otherSegment) = (_otherSegment, _segment);
    }

    /// <summary>Gets ready for another read.</summary>
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

    /// <summary>Gives the memory back. The block must not be used any more by the caller.</summary>
    public abstract void Release();
}
