using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;
using Arm = System.Runtime.Intrinsics.Arm;

namespace Millrace.Transfer.Server;

/// <summary>The checksum of zip files (ISO 3309), which the framework has for streams only.</summary>
/// <remarks>
/// With carry-less multiplication 64 bytes at a time: Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ
/// Instruction", Intel, 2009. The constants are those of its section for this polynomial, bit-reflected.
/// </remarks>
internal static class Crc32
{
    private const uint Polynomial = 0xEDB88320;

    private static readonly uint[] Table = [.. Enumerable.Range(0, 256).Select(static value =>
    {
        uint entry = (uint)value;
        for (int bit = 0; bit < 8; bit++)
        {
            entry = (entry >> 1) ^ ((entry & 1) * Polynomial);
        }

        return entry;
    })];

    /// <summary>The checksum of what had <paramref name="checksum"/> (0 for nothing) and more bytes after it.</summary>
    public static uint Append(uint checksum, ReadOnlySpan<byte> bytes)
    {
        uint state = ~checksum;
        if (Pclmulqdq.IsSupported && Sse2.IsSupported && bytes.Length >= 64)
        {
            int folded = bytes.Length & ~15;
            state = Fold(state, bytes[..folded]);
            bytes = bytes[folded..];
        }
        else if (Arm.Crc32.Arm64.IsSupported)
        {
            ReadOnlySpan<ulong> words = MemoryMarshal.Cast<byte, ulong>(bytes);
            foreach (ulong word in words)
            {
                state = Arm.Crc32.Arm64.ComputeCrc32(state, word);
            }

            bytes = bytes[(words.Length * sizeof(ulong))..];
        }

        foreach (byte value in bytes)
        {
            state = (state >> 8) ^ Table[(state ^ value) & 0xFF];
        }

        return ~state;
    }

    /// <param name="state">The state before.</param>
    /// <param name="bytes">A multiple of 16, 64 or more.</param>
    private static uint Fold(uint state, ReadOnlySpan<byte> bytes)
    {
        ref byte at = ref MemoryMarshal.GetReference(bytes);
        int length = bytes.Length - 64;
        Vector128<ulong> a = Load(ref at, 0) ^ Vector128.CreateScalar(state).AsUInt64();
        Vector128<ulong> b = Load(ref at, 16);
        Vector128<ulong> c = Load(ref at, 32);
        Vector128<ulong> d = Load(ref at, 48);
        at = ref Unsafe.Add(ref at, 64);
        Vector128<ulong> four = Vector128.Create(0x0154442bd4UL, 0x01c6e41596UL);
        for (; length >= 64; length -= 64)
        {
            a = Multiply(a, four) ^ Load(ref at, 0);
            b = Multiply(b, four) ^ Load(ref at, 16);
            c = Multiply(c, four) ^ Load(ref at, 32);
            d = Multiply(d, four) ^ Load(ref at, 48);
            at = ref Unsafe.Add(ref at, 64);
        }

        Vector128<ulong> one = Vector128.Create(0x01751997d0UL, 0x00ccaa009eUL);
        a = Multiply(a, one) ^ b;
        a = Multiply(a, one) ^ c;
        a = Multiply(a, one) ^ d;
        for (; length >= 16; length -= 16)
        {
            a = Multiply(a, one) ^ Load(ref at, 0);
            at = ref Unsafe.Add(ref at, 16);
        }

        // 128 bits to 64, and by Barrett's method to 32.
        Vector128<ulong> mask = Vector128.Create(~0u, 0u, ~0u, 0u).AsUInt64();
        a = Sse2.ShiftRightLogical128BitLane(a, 8) ^ Pclmulqdq.CarrylessMultiply(a, one, 0x10);
        a = Pclmulqdq.CarrylessMultiply(a & mask, Vector128.CreateScalar(0x0163cd6124UL), 0x00) ^ Sse2.ShiftRightLogical128BitLane(a, 4);
        Vector128<ulong> barrett = Vector128.Create(0x01db710641UL, 0x01f7011641UL);
        Vector128<ulong> quotient = Pclmulqdq.CarrylessMultiply(a & mask, barrett, 0x10) & mask;
        return (a ^ Pclmulqdq.CarrylessMultiply(quotient, barrett, 0x00)).AsUInt32().GetElement(1);
    }

    private static Vector128<ulong> Load(ref byte at, int offset) => Vector128.LoadUnsafe(ref at, (nuint)offset).AsUInt64();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector128<ulong> Multiply(Vector128<ulong> value, Vector128<ulong> constants) =>
        Pclmulqdq.CarrylessMultiply(value, constants, 0x00) ^ Pclmulqdq.CarrylessMultiply(value, constants, 0x11);
}
