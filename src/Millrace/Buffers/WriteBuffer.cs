using System.Runtime.CompilerServices;

namespace Millrace.Buffers;

/// <summary>
/// The bytes that a writer has accepted and not yet written: one block at a time, which grows when the bytes do not fit, and
/// in step with the file (<see cref="PageStep"/>). A mutable struct, owned by its writer.
/// </summary>
internal unsafe struct WriteBuffer(BlockAllocator allocator, long offset)
{
    private Block? _block;

    // Indexes in the block: the bytes [_start, _end).
    private int _start;
    private int _end;

    /// <summary>Where in the file the first byte goes.</summary>
    public long Offset { readonly get; private set; } = offset;

    public readonly int Count => _end - _start;

    public readonly ReadOnlySpan<byte> Bytes => _block is null ? default : new ReadOnlySpan<byte>(_block.Pointer + _start, Count);

    /// <summary>Where the next bytes go; only after <see cref="Fits"/> or <see cref="Reserve"/>.</summary>
    public readonly Memory<byte> FreeMemory => _block!.Writable[_end..];

    public readonly Span<byte> FreeSpan => new(_block!.Pointer + _end, _block.Capacity - _end);

    /// <summary>Whether there is room for so many bytes. False for 0, which asks for any room, and for a negative number.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly bool Fits(int bytes) => _block is { } block && (uint)(bytes - 1) < (uint)(block.Capacity - _end);

    public void Reserve(int bytes)
    {
        if (_block is null)
        {
            int step = (int)(Offset % BlockPool.Alignment);
            MoveTo(bytes <= BlockPool.BlockBytes - step ? allocator.Rent() : RentLarge(bytes), bytes);
        }
        else if (_block.Capacity - _end < bytes)
        {
            Grow(bytes);
        }
    }

    public void Advance(int bytes)
    {
        if ((uint)bytes > (uint)((_block?.Capacity ?? 0) - _end))
        {
            throw new ArgumentOutOfRangeException(
                nameof(bytes), bytes, "Advance by more than GetMemory or GetSpan handed out, or by less than nothing.");
        }

        _end += bytes;
    }

    /// <summary>Copies bytes to the buffer, however full it is.</summary>
    public void Add(ReadOnlySpan<byte> source)
    {
        if (!source.IsEmpty)
        {
            Reserve(source.Length);
            source.CopyTo(FreeSpan);
            _end += source.Length;
        }
    }

    public void Consume(int bytes)
    {
        _start += bytes;
        Place(Offset + bytes);
    }

    /// <summary>Tells where in the file the first byte goes, and the next one if there is none.</summary>
    public void Place(long offset)
    {
        Offset = offset;
        if (_start == _end && _block is { } block)
        {
            MoveTo(block, 0);
        }
    }

    /// <summary>Moves the remaining bytes to the front of the block, where its memory is warm.</summary>
    public void Compact()
    {
        if (_block is { } block && _start > 0)
        {
            MoveTo(block, 0);
        }
    }

    /// <summary>Gives the block and its bytes to the caller; the next bytes go to another one.</summary>
    public Block? Take(out int start, out int end)
    {
        Block? block = _block;
        start = _start;
        end = _end;
        Offset += Count;
        _block = null;
        _start = 0;
        _end = 0;
        return block;
    }

    /// <summary>Puts the bytes from <see cref="Take"/> back, before those accepted since.</summary>
    public void Restore(Block block, int start, int end)
    {
        Block? newer = Take(out int newerStart, out int newerEnd);
        (_block, _start, _end) = (block, start, end);
        Place(Offset - (newerEnd - newerStart) - (end - start));
        if (newer is not null)
        {
            Add(new ReadOnlySpan<byte>(newer.Pointer + newerStart, newerEnd - newerStart));
            newer.Release();
        }
    }

    public void Release() => Take(out _, out _)?.Release();

    private void Grow(int bytes)
    {
        Block old = _block!;
        if (old.Capacity - Count >= bytes)
        {
            MoveTo(old, bytes);
            return;
        }

        // Doubling: a byte is moved once per doubling and not again.
        MoveTo(RentLarge(Math.Max(Math.Min(Array.MaxLength, 2L * Count), (long)Count + bytes)), bytes);
        old.Release();
    }

    private Block RentLarge(long bytes) =>
        allocator.RentLarge(checked((int)Math.Max(bytes, Math.Min(Array.MaxLength, bytes + BlockPool.Alignment))));

    /// <summary>Moves the bytes to the front of a block, in step with the file where that leaves enough room.</summary>
    private void MoveTo(Block block, int room)
    {
        int count = Count;
        int start = PageStep.IndexFor(Offset, block.Pointer);
        if (block.Capacity - start - count < room)
        {
            start = 0;
        }

        Bytes.CopyTo(new Span<byte>(block.Pointer + start, count));
        (_block, _start, _end) = (block, start, start + count);
    }
}
