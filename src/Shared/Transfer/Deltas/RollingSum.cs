using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace Millrace.Transfer;

/// <summary>
/// The weak sum of a block, which moves on by one byte in constant time: that of rsync (Tridgell, "Efficient Algorithms for Sorting and
/// Synchronization", 1999, section 3.2) over unsigned bytes. The low half is the sum of the bytes, the high half the sum of those sums.
/// </summary>
internal static class RollingSum
{
    /// <summary>Bytes per step, after which 16-bit products cannot have overflowed.</summary>
    private const int Step = 32;

    private static readonly Vector256<sbyte> Weights = Vector256.Create(
        32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, (sbyte)1);

    /// <summary>The sum of a block.</summary>
    public static uint Of(ReadOnlySpan<byte> block)
    {
        uint low = 0;
        uint high = 0;
        if (Avx2.IsSupported)
        {
            block = block[Add256(block, ref low, ref high)..];
        }
        else if (Vector128.IsHardwareAccelerated)
        {
            block = block[Add128(block, ref low, ref high)..];
        }

        return OfRest(block, low, high);
    }

    /// <summary>The same without vectors, which tests compare.</summary>
    public static uint OfRest(ReadOnlySpan<byte> block, uint low = 0, uint high = 0)
    {
        foreach (byte value in block)
        {
            low += value;
            high += low;
        }

        return Pack(low, high);
    }

    /// <summary>The sum of the block that begins one byte later.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static uint Roll(uint sum, byte gone, byte come, uint blockBytes)
    {
        uint low = sum + come - gone;
        return Pack(low, (sum >> 16) + low - (blockBytes * gone));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint Pack(uint low, uint high) => (low & 0xFFFF) | (high << 16);

    private static int Add256(ReadOnlySpan<byte> block, ref uint low, ref uint high)
    {
        ref byte first = ref MemoryMarshal.GetReference(block);
        int whole = block.Length - (block.Length % Step);
        Vector256<uint> sums = default;
        Vector256<uint> before = default;
        Vector256<int> weighted = default;
        for (int i = 0; i < whole; i += Step)
        {
            Vector256<byte> bytes = Vector256.LoadUnsafe(ref first, (nuint)i);

            // Each sum so far counts once more for each of these bytes.
            before += sums;
            sums += Avx2.SumAbsoluteDifferences(bytes, Vector256<byte>.Zero).AsUInt32();
            weighted += Avx2.MultiplyAddAdjacent(Avx2.MultiplyAddAdjacent(bytes, Weights), Vector256<short>.One);
        }

        low = Vector256.Sum(sums);
        high = (Step * Vector256.Sum(before)) + (uint)Vector256.Sum(weighted);
        return whole;
    }

    private static int Add128(ReadOnlySpan<byte> block, ref uint low, ref uint high)
    {
        ref byte first = ref MemoryMarshal.GetReference(block);
        int whole = block.Length - (block.Length % Vector128<byte>.Count);
        Vector128<ushort> weightsLow = Vector128.Create((ushort)16, 15, 14, 13, 12, 11, 10, 9);
        Vector128<ushort> weightsHigh = Vector128.Create((ushort)8, 7, 6, 5, 4, 3, 2, 1);
        Vector128<uint> sums = default;
        Vector128<uint> before = default;
        Vector128<uint> weighted = default;
        for (int i = 0; i < whole; i += Vector128<byte>.Count)
        {
            (Vector128<ushort> left, Vector128<ushort> right) = Vector128.Widen(Vector128.LoadUnsafe(ref first, (nuint)i));
            before += sums;
            sums += Both(left + right);
            weighted += Both((left * weightsLow) + (right * weightsHigh));
        }

        low = Vector128.Sum(sums);
        high = ((uint)Vector128<byte>.Count * Vector128.Sum(before)) + Vector128.Sum(weighted);
        return whole;
    }

    private static Vector128<uint> Both(Vector128<ushort> values)
    {
        (Vector128<uint> left, Vector128<uint> right) = Vector128.Widen(values);
        return left + right;
    }
}
