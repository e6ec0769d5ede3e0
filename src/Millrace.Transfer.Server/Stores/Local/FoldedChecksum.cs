using System.IO.Hashing;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace Millrace.Transfer.Server;

/// <summary>The CRC-32 of zip files, of bytes that come in pieces. Not thread-safe.</summary>
/// <remarks>
/// Beside SHA-256, that of System.IO.Hashing cost a twelfth of an upload's processor time (docs/measuring.md): it multiplies 128 bits at once,
/// and this 512 where the processor can. Gopal and others, "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel 2009:
/// bytes are replaced by fewer ones that have the same remainder.
/// </remarks>
internal sealed class FoldedChecksum
{
    /// <summary>The polynomial of zip files, from the highest power in the lowest bit to the lowest.</summary>
    private const uint Polynomial = 0xEDB8_8320;

    /// <summary>Vectors that are folded side by side, so that their multiplications overlap.</summary>
    private const int Lanes = 4;

    private const int BlockBytes = Lanes * 64;

    private static readonly uint[] Remainders =
        [.. Enumerable.Range(0, 256).Select(static value => Enumerable.Range(0, 8).Aggregate((uint)value, static (rest, _) => Shift(rest)))];

    private static readonly Vector512<ulong> ByBlock = Factors(8 * BlockBytes);
    private static readonly Vector512<ulong> ByVector = Factors(512);

    /// <summary>Null where this multiplies itself.</summary>
    private readonly Crc32? _other = Pclmulqdq.V512.IsSupported ? null : new Crc32();
    private uint _rest = uint.MaxValue;

    public uint Value => _other?.GetCurrentHashAsUInt32() ?? ~_rest;

    public void Append(ReadOnlySpan<byte> bytes)
    {
        if (_other is not null)
        {
            _other.Append(bytes);
            return;
        }

        if (bytes.Length >= BlockBytes)
        {
            int folded = bytes.Length - (bytes.Length % BlockBytes);
            _rest = Fold(_rest, MemoryMarshal.Cast<byte, Vector512<ulong>>(bytes[..folded]));
            bytes = bytes[folded..];
        }

        _rest = Divide(_rest, bytes);
    }

    private static uint Fold(uint rest, ReadOnlySpan<Vector512<ulong>> vectors)
    {
        (Vector512<ulong> block, Vector512<ulong> vector) = (ByBlock, ByVector);
        Vector512<ulong> first = vectors[0] ^ Vector512.CreateScalar((ulong)rest);
        Vector512<ulong> second = vectors[1];
        Vector512<ulong> third = vectors[2];
        Vector512<ulong> fourth = vectors[3];
        for (int i = Lanes; i + Lanes <= vectors.Length; i += Lanes)
        {
            first = Multiply(first, block) ^ vectors[i];
            second = Multiply(second, block) ^ vectors[i + 1];
            third = Multiply(third, block) ^ vectors[i + 2];
            fourth = Multiply(fourth, block) ^ vectors[i + 3];
        }

        second ^= Multiply(first, vector);
        third ^= Multiply(second, vector);
        fourth ^= Multiply(third, vector);
        return Divide(0, MemoryMarshal.AsBytes(new ReadOnlySpan<Vector512<ulong>>(in fourth)));
    }

    private static Vector512<ulong> Multiply(Vector512<ulong> value, Vector512<ulong> factors) =>
        Pclmulqdq.V512.CarrylessMultiply(value, factors, 0x00) ^ Pclmulqdq.V512.CarrylessMultiply(value, factors, 0x11);

    private static uint Divide(uint rest, ReadOnlySpan<byte> bytes)
    {
        foreach (byte value in bytes)
        {
            rest = (rest >> 8) ^ Remainders[(byte)(rest ^ value)];
        }

        return rest;
    }

    /// <summary>What moves the two halves of 128 bits by a distance in bits.</summary>
    private static Vector512<ulong> Factors(int bits) => Vector512.Create(Vector128.Create(Power(bits + 32), Power(bits - 32)));

    /// <summary>The remainder of a power of x, a bit higher, because a product of two reversed numbers of n bits has 2n - 1.</summary>
    private static ulong Power(int exponent)
    {
        uint rest = 0x8000_0000;
        for (int i = 0; i < exponent; i++)
        {
            rest = Shift(rest);
        }

        return (ulong)rest << 1;
    }

    private static uint Shift(uint rest) => (rest >> 1) ^ ((rest & 1) * Polynomial);
}
