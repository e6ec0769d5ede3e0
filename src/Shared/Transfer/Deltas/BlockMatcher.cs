using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Millrace.Transfer;

/// <summary>
/// Finds the blocks of a list in another file, at any offset, as rsync does: a weak sum that rolls over every byte, and a strong one only
/// where that is one of a block. Not thread-safe.
/// </summary>
internal sealed class BlockMatcher
{
    /// <summary>Bytes that may be hashed in vain for each byte of the file: a list that is made to match everywhere ends the search.</summary>
    private const long MaxVainFactor = 2;

    private const long MinVainBytes = 64 * 1024 * 1024;

    private readonly BlockSums _sums;
    private readonly BlockTable _table;
    private readonly long _length;
    private readonly int _blockBytes;
    private long _vainBytes;
    private long _matchedTo;
    private int _expected;

    /// <summary>Begins at the first byte of a file.</summary>
    /// <param name="sums">The blocks.</param>
    /// <param name="table">Made of them.</param>
    /// <param name="length">Bytes of the file.</param>
    public BlockMatcher(BlockSums sums, BlockTable table, long length)
    {
        _sums = sums;
        _table = table;
        _length = length;
        _blockBytes = sums.BlockBytes;
        _vainBytes = Math.Max(MinVainBytes, MaxVainFactor * length);
    }

    /// <summary>A block that is in the file.</summary>
    /// <param name="offset">Where it begins in the file.</param>
    /// <param name="block">
    /// The block: the one that follows the block found before, if its content is this, otherwise the first one with it.
    /// </param>
    /// <param name="content">Its bytes.</param>
    public delegate void Found(long offset, int block, ReadOnlySpan<byte> content);

    /// <summary>Whether the first of equal blocks is found, instead of the one that follows the block found before.</summary>
    public bool FindsFirst { get; init; }

    /// <summary>The first byte that was not looked at. The next call begins with it.</summary>
    public long Position { get; private set; }

    /// <summary>Whether the search was given up; the rest is not matched.</summary>
    public bool IsExhausted => _vainBytes < 0;

    /// <summary>Looks at the next bytes.</summary>
    /// <param name="data">From <see cref="Position"/> on; up to the end of the file, or more than a block.</param>
    /// <param name="found">Called for each block, in the order of offsets.</param>
    /// <returns>How many bytes are done with; the others are wanted again.</returns>
    public int Scan(ReadOnlySpan<byte> data, Found found)
    {
        bool isLast = Position + data.Length >= _length;
        int at = IsExhausted ? 0 : ScanWhole(data, found);
        if (IsExhausted)
        {
            Position += data.Length;
            return data.Length;
        }

        if (isLast)
        {
            FindTail(data, at, found);
            at = data.Length;
        }

        Position += at;
        return at;
    }

    private int ScanWhole(ReadOnlySpan<byte> data, Found found)
    {
        int blockBytes = _blockBytes;
        int last = data.Length - blockBytes;
        int at = 0;
        BlockTable table = _table;
        while (at <= last)
        {
            uint weak = RollingSum.Of(data.Slice(at, blockBytes));
            while (true)
            {
                if (table.Present.MayHave(weak) && table.Has(weak) && TryMatch(weak, data.Slice(at, blockBytes), at, found))
                {
                    at += blockBytes;
                    break;
                }

                if (at >= last || IsExhausted)
                {
                    return at + 1;
                }

                at = Roll(data, at, last, ref weak);
            }
        }

        return Math.Min(at, data.Length);
    }

    /// <summary>Moves on to the next byte that may begin a block, or to the last that can.</summary>
    private int Roll(ReadOnlySpan<byte> data, int at, int last, ref uint weak)
    {
        uint blockBytes = (uint)_blockBytes;
        ref byte gone = ref MemoryMarshal.GetReference(data);
        ref byte come = ref Unsafe.Add(ref gone, _blockBytes);
        BlockTable.Filter filter = _table.Present;
        uint low = weak;
        uint high = weak >> 16;
        nint i = at;
        do
        {
            byte left = Unsafe.Add(ref gone, i);
            low += (uint)Unsafe.Add(ref come, i) - left;
            high += low - (blockBytes * left);
            i++;
            weak = (low & 0xFFFF) | (high << 16);
        }
        while (i < last && !filter.MayHave(weak));

        return (int)i;
    }

    private bool TryMatch(uint weak, ReadOnlySpan<byte> content, int at, Found found)
    {
        Span<byte> strong = stackalloc byte[BlockSums.MaxStrongBytes];
        BlockSums.ComputeStrong(content, strong);
        int block = _table.Find(weak, strong);
        if (block < 0)
        {
            _vainBytes -= content.Length;
            return false;
        }

        if (!FindsFirst && _expected < _sums.WholeCount && _sums.Weak(_expected) == weak && _sums.Strong(_expected).SequenceEqual(strong[.._sums.StrongBytes]))
        {
            block = _expected;
        }

        found(Position + at, block, content);
        _expected = block + 1;
        _matchedTo = Position + at + content.Length;
        return true;
    }

    /// <summary>Looks for the short last block at the end of the file, where it is if it is there.</summary>
    private void FindTail(ReadOnlySpan<byte> data, int at, Found found)
    {
        int bytes = _sums.TailBytes;
        int start = data.Length - bytes;
        if (bytes == 0 || start < 0 || Position + start < _matchedTo || start < at)
        {
            return;
        }

        ReadOnlySpan<byte> content = data[start..];
        int block = _sums.Count - 1;
        Span<byte> strong = stackalloc byte[BlockSums.MaxStrongBytes];
        if (RollingSum.Of(content) == _sums.Weak(block))
        {
            BlockSums.ComputeStrong(content, strong);
            if (_sums.Strong(block).SequenceEqual(strong[.._sums.StrongBytes]))
            {
                found(Position + start, block, content);
            }
        }
    }
}
