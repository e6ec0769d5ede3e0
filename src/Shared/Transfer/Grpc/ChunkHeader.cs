namespace Millrace.Transfer;

/// <summary>
/// The header of a chunk in a stream: the frame's prefix, and tag and length of the field
/// <c>data</c>.
/// </summary>
internal static class ChunkHeader
{
    /// <summary>Number of the field <c>data</c> in <c>Chunk</c>.</summary>
    public const int DataField = 1;

    /// <summary>Bytes of it at most.</summary>
    public const int MaxBytes = FramePrefix.Bytes + 1 + MaxLengthBytes;

    /// <summary>A file's bytes in one chunk at most: four bytes of a length hold as many.</summary>
    public const int MaxData = (1 << 28) - 1;

    private const int MaxLengthBytes = 4;
    private const byte DataTag = (DataField << 3) | 2;

    /// <summary>Bytes of the header for as many of a file.</summary>
    public static int BytesFor(int data) => FramePrefix.Bytes + 1 + Varint.BytesFor(data);

    /// <summary>Writes it.</summary>
    /// <param name="header">
    /// All of it is used, from <see cref="BytesFor"/> to <see cref="MaxBytes"/>: see <see cref="Varint.Write(Span{byte}, ulong)"/>.
    /// </param>
    /// <param name="data">Bytes of the file in this chunk.</param>
    public static void Write(Span<byte> header, int data)
    {
        new FramePrefix(0, (uint)(header.Length - FramePrefix.Bytes + data)).Write(header);
        header[FramePrefix.Bytes] = DataTag;
        Varint.Write(header[(FramePrefix.Bytes + 1)..], data);
    }
}
