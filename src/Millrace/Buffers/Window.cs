namespace Millrace.Buffers;

/// <summary>
/// What a reader holds of the file: the bytes [<see cref="Start"/>, <see cref="End"/>) of one block. A mutable struct,
/// owned by the reader and passed by reference to the source that extends it.
/// </summary>
internal unsafe struct Window
{
    /// <summary>The block that holds the bytes; null before the first read.</summary>
    public Block? Block;

    /// <summary>Index in the block of the first byte that the caller has not consumed.</summary>
    public int Start;

    /// <summary>Index in the block after the last byte read.</summary>
    public int End;

    /// <summary>Where in the file <see cref="End"/> is, in bytes.</summary>
    public long EndOffset;

    public readonly int Length => End - Start;

    public readonly long StartOffset => EndOffset - Length;

    /// <summary>Moves the unconsumed bytes to just before the body, so that the body can be read into.</summary>
    public void MoveToHeadroom()
    {
        Block block = Block!;
        int length = Length;
        int start = block.Headroom - length;
        if (length > 0)
        {
            new Span<byte>(block.Pointer + Start, length).CopyTo(new Span<byte>(block.Pointer + start, length));
        }

        Start = start;
        End = block.Headroom;
        block.RenewSegment();
    }

    /// <summary>Takes over bytes that were read into the body of the window's own block.</summary>
    public void Extend(int bytes)
    {
        End += bytes;
        EndOffset += bytes;
    }
}
