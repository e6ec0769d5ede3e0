using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Millrace.Transfer;

/// <summary>Finds blocks by their sums. Flat arrays, whatever the number of blocks. Immutable once made; thread-safe.</summary>
internal sealed class BlockTable
{
    /// <summary>Different blocks of one weak sum that are looked at: more of them are chance in no file, but could be made on purpose.</summary>
    private const int MaxChain = 16;

    private const uint Golden = 0x9E3779B1;

    private readonly BlockSums _sums;
    private readonly int[] _heads;
    private readonly int[] _next;
    private readonly int[] _twins;
    private readonly ulong[] _present;
    private readonly int _headShift;
    private readonly int _presentShift;

    /// <summary>Makes the table of all whole blocks of a list.</summary>
    public BlockTable(BlockSums sums)
    {
        _sums = sums;
        int count = sums.WholeCount;
        int heads = (int)BitOperations.RoundUpToPowerOf2((uint)Math.Max(2 * count, 64));

        // One bit in 32 is set, so that a byte that begins no block is mostly done with by one look into the cache.
        long bits = Math.Max(16L * heads, 4096);
        _heads = new int[heads];
        _next = new int[count];
        _twins = new int[count];
        _present = new ulong[bits / 64];
        _headShift = 32 - BitOperations.Log2((uint)heads);
        _presentShift = 32 - BitOperations.Log2((ulong)bits);
        Array.Fill(_heads, -1);
        Array.Fill(_twins, -1);

        // Backwards, so that the first of equal blocks ends up as the one that is found.
        for (int block = count - 1; block >= 0; block--)
        {
            Insert(block);
        }
    }

    /// <summary>The next block with the same content; -1 if there is none.</summary>
    public int NextTwin(int block) => _twins[block];

    /// <summary>Which weak sums may be those of a block.</summary>
    public Filter Present => new(_present, _presentShift);

    /// <summary>Whether it is one.</summary>
    public bool Has(uint weak)
    {
        for (int block = _heads[HeadOf(weak)]; block >= 0; block = _next[block])
        {
            if (_sums.Weak(block) == weak)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>The first block with both sums; -1 if there is none.</summary>
    /// <param name="weak">The weak sum.</param>
    /// <param name="strong">The strong one, all of it.</param>
    public int Find(uint weak, ReadOnlySpan<byte> strong)
    {
        for (int block = _heads[HeadOf(weak)]; block >= 0; block = _next[block])
        {
            if (_sums.Weak(block) == weak && _sums.Strong(block).SequenceEqual(strong[.._sums.StrongBytes]))
            {
                return block;
            }
        }

        return -1;
    }

    private uint HeadOf(uint weak) => (weak * Golden) >> _headShift;

    private void Insert(int block)
    {
        uint weak = _sums.Weak(block);
        ReadOnlySpan<byte> strong = _sums.Strong(block);
        ref int head = ref _heads[HeadOf(weak)];
        int before = -1;
        int length = 0;
        for (int other = head; other >= 0; before = other, other = _next[other])
        {
            if (_sums.Weak(other) == weak && _sums.Strong(other).SequenceEqual(strong))
            {
                // It takes the other's place.
                _twins[block] = other;
                _next[block] = _next[other];
                (before < 0 ? ref head : ref _next[before]) = block;
                return;
            }

            length++;
        }

        if (length >= MaxChain)
        {
            return;
        }

        _next[block] = head;
        head = block;
        uint bit = (weak * Golden) >> _presentShift;
        _present[bit >> 6] |= 1UL << (int)bit;
    }

    /// <summary>A bit for each hash of a weak sum.</summary>
    public readonly ref struct Filter(ulong[] bits, int shift)
    {
        private readonly ref ulong _first = ref MemoryMarshal.GetArrayDataReference(bits);
        private readonly int _shift = shift;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool MayHave(uint weak)
        {
            // No more bits than there are: the shift leaves no larger number.
            uint bit = (weak * Golden) >> _shift;
            return (Unsafe.Add(ref _first, bit >> 6) & (1UL << (int)bit)) != 0;
        }
    }
}
