using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace Millrace.Sequences;

/// <summary>
/// Finds line feeds 64 bytes at a time: one comparison for all of them gives a bit for each, and short lines then cost a few
/// instructions each instead of a search each.
/// </summary>
internal unsafe struct LineEnds
{
    private const byte LineFeed = (byte)'\n';
    private const int BlockBytes = 64;

    private readonly byte* _start;
    private readonly int _length;
    private int _scanned;
    private int _block;

    // A bit for every line feed of the block that was not taken yet.
    private ulong _found;

    public LineEnds(byte* start, int length, int from)
    {
        _start = start;
        _length = length;
        _scanned = from;
    }

    /// <summary>Where the next line feed is; -1 when there is none.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int Next()
    {
        ulong found = _found;
        if (found == 0 && (found = Scan()) == 0)
        {
            return -1;
        }

        _found = found & (found - 1);
        return _block + BitOperations.TrailingZeroCount(found);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private ulong Scan()
    {
        while (_scanned < _length)
        {
            _block = _scanned;
            byte* at = _start + _block;
            int left = _length - _block;
            ulong found;
            if (left >= BlockBytes)
            {
                found = Match(at);
            }
            else if (_length >= BlockBytes)
            {
                // The last whole block of the bytes, without those that were scanned before.
                found = Match(_start + _length - BlockBytes) >> (BlockBytes - left);
            }
            else
            {
                found = MatchOneByOne(at, left);
            }

            _scanned += Math.Min(left, BlockBytes);
            if (found != 0)
            {
                return found;
            }
        }

        return 0;
    }

    // Where registers are shorter, the compiler makes two or four comparisons of it.
    private static ulong Match(byte* at) =>
        Vector512.Equals(Vector512.Load(at), Vector512.Create(LineFeed)).ExtractMostSignificantBits();

    private static ulong MatchOneByOne(byte* at, int length)
    {
        ulong found = 0;
        for (int i = 0; i < length; i++)
        {
            if (at[i] == LineFeed)
            {
                found |= 1UL << i;
            }
        }

        return found;
    }
}
