using Millrace.Buffers;

namespace Millrace;

/// <summary>What only appending needs.</summary>
public abstract partial class FilePipeWriter
{
    /// <summary>
    /// Where in the file the bytes of the last flush that appended some begin, in bytes from its start; -1 before there is
    /// one, and for a file that is created. Each flush appends one unbroken piece: with its length this finds it again.
    /// </summary>
    public long LastFlushOffset { get; private protected set; } = -1;

    /// <summary>Takes back what <see cref="TakeBlock"/> gave away, before what was gathered since.</summary>
    private protected unsafe void RestoreBlock(Block block, int start, int end)
    {
        if (_block is { } current && _end > _start)
        {
            ReadOnlySpan<byte> older = new(block.Pointer + start, end - start);
            Block joined = _allocator.RentLarge(checked(older.Length + Buffered));
            older.CopyTo(new Span<byte>(joined.Pointer, older.Length));
            Unflushed.CopyTo(new Span<byte>(joined.Pointer + older.Length, Buffered));
            int length = older.Length + Buffered;
            block.Release();
            current.Release();
            (_block, _start, _end) = (joined, 0, length);
            return;
        }

        _block?.Release();
        (_block, _start, _end) = start == end ? (block, 0, 0) : (block, start, end);
    }
}
