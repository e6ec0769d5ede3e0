namespace Millrace.Buffers;

/// <summary>
/// The part of the file that a reader has in memory: the bytes [<see cref="Start"/>, <see cref="End"/>) of one block. A mutable struct,
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

    public void MoveToHeadroom()
    {
        Block block = Block!;
        int length = Length;
        int start = block.Headroom - length;
        if (length > 0)
        {
            Copy(block.Pointer + Start, block.Pointer + start, length);
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

    /// <summary>
    /// Appends the body of a block: moves the unconsumed bytes to its headroom or, when they are longer than that, gathers
    /// everything in a larger block, which doubles.
    /// </summary>
    public Block? Append(Block next, in BlockAllocator allocator, out Block? alsoFree)
    {
        alsoFree = null;
        Block? old = Block;
        int carried = Length;
        int added = next.Filled - next.Skipped;
        byte* bytes = next.Body + next.Skipped;
        next.State = BlockState.Idle;
        if (carried <= next.Headroom + next.Skipped)
        {
            if (carried > 0)
            {
                Copy(old!.Pointer + Start, bytes - carried, carried);
            }

            Block = next;
            Start = next.Headroom + next.Skipped - carried;
            End = next.Headroom + next.Filled;
            EndOffset += added;
            return old;
        }

        int needed = checked(carried + added);
        if (old!.MinHeadroom != 0 || old.Capacity < needed)
        {
            // Twice the need: a byte that is already here moves at most once per doubling, also when the front is
            // given up in between.
            Block large = allocator.RentLarge((int)Math.Min(Array.MaxLength, 2L * needed));
            Copy(old.Pointer + Start, large.Pointer, carried);
            Block = large;
            Start = 0;
            End = carried;
            alsoFree = old;
        }
        else if (old.Capacity - End < added)
        {
            // Room enough once the consumed bytes are gone from its front.
            Copy(old.Pointer + Start, old.Pointer, carried);
            old.RenewSegment();
            Start = 0;
            End = carried;
        }

        Copy(bytes, Block!.Pointer + End, added);
        Extend(added);
        return next;
    }

    private static void Copy(byte* from, byte* to, int bytes) =>
        new Span<byte>(from, bytes).CopyTo(new Span<byte>(to, bytes));
}
