using System.Buffers;
using System.Runtime.CompilerServices;

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

    /// <summary>Where in the file the body begins, in bytes.</summary>
    public long FileOffset { get; set; }

    public int BodyCapacity => Capacity - Headroom;

    public byte* Body => Pointer + Headroom;

    public Span<byte> BodySpan => new(Body, BodyCapacity);

    /// <summary>The segment that stands for this block in the sequences handed out now.</summary>
    public BlockSegment Segment
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _segment ??= new BlockSegment(Memory);
    }

    protected abstract ReadOnlyMemory<byte> Memory { get; }

    /// <summary>Makes positions handed out so far foreign: call when bytes move within the block.</summary>
    public void RenewSegment()
    {
        (_segment, _otherSegment) = (_otherSegment, _segment);
    }

    /// <summary>Gives the memory back. The block must not be used any more by the caller.</summary>
    public abstract void Release();
}
