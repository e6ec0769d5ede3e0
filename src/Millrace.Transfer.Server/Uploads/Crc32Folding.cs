using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace Millrace.Transfer.Server;

/// <summary>
/// CRC-32 by folding 64 bytes at a time onto the next 64 with carry-less multiplication: V. Gopal and others, "Fast CRC
/// Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel 2009; the constants are those of its appendix for
/// the reflected polynomial.
/// </summary>
internal static class Crc32Folding
{
    /// <summary>Fewer are not worth it, nor possible.</summary>
    public const int MinBytes = 64;

    public static bool IsSupported => Pclmulqdq.IsSupported && Sse2.IsSupported;

    /// <summary>x^(4·128+32) and x^(4·128−32) modulo the polynomial: over 64 bytes.</summary>
    private static Vector128<ulong> FourBlocks => Vector128.Create(0x0000000154442BD4UL, 0x00000001C6E41596UL);

    /// <summary>x^(128+32) and x^(128−32) modulo the polynomial: over 16 bytes.</summary>
    private static Vector128<ulong> OneBlock => Vector128.Create(0x00000001751997D0UL, 0x00000000CCAA009EUL);

    /// <summary>Takes as many whole blocks as there are from the front of <paramref name="content"/>.</summary>
    public static uint Update(uint state, ref ReadOnlySpan<byte> content)
    {
        Vector128<ulong> a = Block(content, 0) ^ Vector128.CreateScalar((ulong)state);
        Vector128<ulong> b = Block(content, 16);
        Vector128<ulong> c = Block(content, 32);
        Vector128<ulong> d = Block(content, 48);
        ReadOnlySpan<byte> rest = content[64..];
        while (rest.Length >= 64)
        {
            a = Fold(a, FourBlocks) ^ Block(rest, 0);
            b = Fold(b, FourBlocks) ^ Block(rest, 16);
            c = Fold(c, FourBlocks) ^ Block(rest, 32);
            d = Fold(d, FourBlocks) ^ Block(rest, 48);
            rest = rest[64..];
        }

        a = Fold(a, OneBlock) ^ b;
        a = Fold(a, OneBlock) ^ c;
        a = Fold(a, OneBlock) ^ d;
        while (rest.Length >= 16)
        {
            a = Fold(a, OneBlock) ^ Block(rest, 0);
            rest = rest[16..];
        }

        // What is left is 16 bytes with the same remainder; the tables know how to divide them.
        content = rest;
        Span<byte> folded = stackalloc byte[16];
        MemoryMarshal.Write(folded, in a);
        return Crc32.Update(0, folded);
    }

    private static Vector128<ulong> Block(ReadOnlySpan<byte> content, int offset) =>
        MemoryMarshal.Read<Vector128<ulong>>(content[offset..]);

    private static Vector128<ulong> Fold(Vector128<ulong> value, Vector128<ulong> constants) =>
        Pclmulqdq.CarrylessMultiply(value, constants, 0x00) ^ Pclmulqdq.CarrylessMultiply(value, constants, 0x11);
}
