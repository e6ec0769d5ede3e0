using System.Buffers.Binary;

namespace Millrace.Transfer;

/// <summary>The prefix of every message: a flag and the message's length, big-endian.</summary>
/// <param name="Flags">See the constants.</param>
/// <param name="Length">Bytes of the message.</param>
internal readonly record struct FramePrefix(byte Flags, uint Length)
{
    /// <summary>Bytes of it.</summary>
    public const int Bytes = 5;

    /// <summary>The message is compressed.</summary>
    public const byte Compressed = 1;

    /// <summary>gRPC-Web: it is the trailers, not a message.</summary>
    public const byte Trailers = 0x80;

    public static FramePrefix Read(ReadOnlySpan<byte> bytes) => new(bytes[0], BinaryPrimitives.ReadUInt32BigEndian(bytes[1..]));

    public void Write(Span<byte> bytes)
    {
        bytes[0] = Flags;
        BinaryPrimitives.WriteUInt32BigEndian(bytes[1..], Length);
    }
}
