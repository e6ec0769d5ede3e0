using System.Numerics;

namespace Millrace.Transfer;

/// <summary>Numbers as Protobuf has them, seven bits a byte and the least first (protobuf.dev, "Encoding").</summary>
internal static class Varint
{
    /// <summary>Bytes of it at most: parsers refuse more.</summary>
    public const int MaxBytes = 10;

    private const int BitsOfByte = 7;
    private const byte More = 0x80;

    /// <summary>Bytes that a number needs.</summary>
    public static int BytesFor(ulong value) => (BitOperations.Log2(value | 1) / BitsOfByte) + 1;

    /// <summary>Bytes that a non-negative number needs.</summary>
    public static int BytesFor(int value) => BytesFor((ulong)value);

    /// <summary>Writes it.</summary>
    /// <param name="bytes">
    /// All of it is used: a number may have more bytes than it needs, up to <see cref="MaxBytes"/>, so that room that was
    /// left in front of bytes fits also when fewer of them came.
    /// </param>
    /// <param name="value">The number.</param>
    public static void Write(Span<byte> bytes, ulong value)
    {
        foreach (ref byte each in bytes[..^1])
        {
            each = (byte)(value | More);
            value >>= BitsOfByte;
        }

        bytes[^1] = (byte)value;
    }

    /// <summary>Writes a non-negative number.</summary>
    public static void Write(Span<byte> bytes, int value) => Write(bytes, (ulong)value);

    /// <summary>Takes a number from the front of bytes that are known to be valid.</summary>
    public static ulong Take(ref ReadOnlySpan<byte> bytes)
    {
        ulong value = 0;
        for (int shift = 0; ; shift += BitsOfByte)
        {
            byte next = bytes[0];
            bytes = bytes[1..];
            value |= (ulong)(next & ~More) << shift;
            if (next < More)
            {
                return value;
            }
        }
    }
}
