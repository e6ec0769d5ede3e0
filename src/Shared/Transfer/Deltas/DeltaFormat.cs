namespace Millrace.Transfer;

/// <summary>
/// A file as literal bytes, runs of zeros, and references to an earlier version: a byte with the version of the format, then instructions. docs/protocol.md
/// describes them, with test vectors.
/// </summary>
internal static class DeltaFormat
{
    /// <summary>Instead of a version's tag: the delta has no references.</summary>
    public const string OfNothing = "none";

    /// <summary>The first byte.</summary>
    public const byte Version = 1;

    /// <summary>
    /// Bytes of a reference at least, unless it reaches to the end of the earlier version. Blocks have more; a request of many tiny references
    /// would make the server work for hours.
    /// </summary>
    public const int MinCopyBytes = 512;

    /// <summary>
    /// Bytes of a run of zeros at least, unless the file ends with it: a page, the smallest hole of a file system.
    /// </summary>
    public const int MinZeroBytes = 4096;

    /// <summary>Bytes of an instruction at most, without a literal's content.</summary>
    public const int MaxInstructionBytes = 2 * Varint.MaxBytes;

    /// <summary>Bytes of the instruction for a literal, without its content.</summary>
    public static int LiteralBytes(long length) => Varint.BytesFor((ulong)length << 1);

    /// <summary>Writes the instruction for a literal, whose content follows.</summary>
    public static int WriteLiteral(Span<byte> to, long length)
    {
        int bytes = LiteralBytes(length);
        Varint.Write(to[..bytes], (ulong)length << 1);
        return bytes;
    }

    /// <summary>Bytes of the instruction for a run of zeros.</summary>
    public static int ZeroBytes(long length) => 1 + Varint.BytesFor((ulong)length);

    /// <summary>Writes the instruction for a run of zeros: a literal of no bytes, which is none, and how many zeros there are.</summary>
    public static int WriteZeros(Span<byte> to, long length)
    {
        to[0] = 0;
        int bytes = Varint.BytesFor((ulong)length);
        Varint.Write(to.Slice(1, bytes), (ulong)length);
        return 1 + bytes;
    }

    /// <summary>Bytes of a reference.</summary>
    /// <param name="length">Bytes that it stands for.</param>
    /// <param name="distance">From the end of the reference before it, or from 0, to its first byte.</param>
    public static int CopyBytes(long length, long distance) =>
        Varint.BytesFor(((ulong)length << 1) | 1) + Varint.BytesFor(ZigZag(distance));

    /// <summary>Writes a reference.</summary>
    public static int WriteCopy(Span<byte> to, long length, long distance)
    {
        ulong head = ((ulong)length << 1) | 1;
        int first = Varint.BytesFor(head);
        int second = Varint.BytesFor(ZigZag(distance));
        Varint.Write(to[..first], head);
        Varint.Write(to.Slice(first, second), ZigZag(distance));
        return first + second;
    }

    /// <summary>Undoes <see cref="ZigZag"/>.</summary>
    public static long Distance(ulong value) => (long)(value >> 1) ^ -(long)(value & 1);

    /// <summary>Small numbers for small distances in both directions, as Protobuf's sint64.</summary>
    private static ulong ZigZag(long distance) => (ulong)((distance << 1) ^ (distance >> 63));
}
