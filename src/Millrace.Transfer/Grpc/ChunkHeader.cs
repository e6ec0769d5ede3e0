using System.Numerics;

namespace Millrace.Transfer;

/// <summary>
/// What is in front of a file's bytes in a stream of chunks: the frame's prefix, and tag and length of the field
/// <c>data</c>.
/// </summary>
internal static class ChunkHeader
{
    /// <summary>Number of the field <c>data</c> in <c>Chunk</c>.</summary>
    public const int DataField = 1;

    /// <summary>Bytes of it at most.</summary>
    public const int MostBytes = FramePrefix.Bytes + 1 + MostLengthBytes;

    /// <summary>A file's bytes in one chunk at most: four bytes of a length hold as many.</summary>
    public const int MostData = (1 << 28) - 1;

    private const int MostLengthBytes = 4;
    private const byte DataTag = (DataField << 3) | 2;

    /// <summary>Bytes of the header for as many of a file.</summary>
    public static int BytesFor(int data) => FramePrefix.Bytes + 1 + LengthBytes(data);

    /// <summary>Writes it.</summary>
    /// <param name="header">
    /// All of it is used, from <see cref="BytesFor"/> to <see cref="MostBytes"/>: a length may have more bytes than it needs
    /// (protobuf.dev, "Encoding": parsers take varints of up to ten bytes), so that room that was left in front of bytes
    /// fits also when fewer of them came.
    /// </param>
    /// <param name="data">Bytes of the file in this chunk.</param>
    public static void Write(Span<byte> header, int data)
    {
        new FramePrefix(0, (uint)(header.Length - FramePrefix.Bytes + data)).Write(header);
        header[FramePrefix.Bytes] = DataTag;
        Span<byte> length = header[(FramePrefix.Bytes + 1)..];
        for (int i = 0; i < length.Length - 1; i++)
        {
            length[i] = (byte)(data | 0x80);
            data >>= 7;
        }

        length[^1] = (byte)data;
    }

    private static int LengthBytes(int value) => (BitOperations.Log2((uint)value | 1) / 7) + 1;
}
