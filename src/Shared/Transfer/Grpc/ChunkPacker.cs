using System.Buffers;
using System.IO.Compression;

namespace Millrace.Transfer;

/// <summary>Writes chunks as messages in gzip. One that becomes no smaller is written as it is.</summary>
internal static class ChunkPacker
{
    /// <summary>Bytes that a chunk's frame has at most.</summary>
    public static int RoomFor(int chunk) => chunk == 0 ? 0 : ChunkHeader.BytesFor(chunk) + chunk;

    /// <summary>Writes a chunk's frame.</summary>
    /// <param name="content">The file's bytes.</param>
    /// <param name="frame">Room for it: <see cref="RoomFor"/>.</param>
    /// <returns>Bytes of the frame.</returns>
    public static int Write(ReadOnlySequence<byte> content, Memory<byte> frame)
    {
        int length = (int)content.Length;
        Span<byte> header = stackalloc byte[ChunkHeader.BytesFor(length)];
        ChunkHeader.Write(header, length);
        frame = frame[..RoomFor(length)];
        var packed = new BoundedStream(frame[FramePrefix.Bytes..]);
        using (var gzip = new GZipStream(packed, CompressionLevel.Fastest, leaveOpen: true))
        {
            gzip.Write(header[FramePrefix.Bytes..]);
            foreach (ReadOnlyMemory<byte> piece in content)
            {
                gzip.Write(piece.Span);
            }
        }

        if (packed.IsFull)
        {
            header.CopyTo(frame.Span);
            content.CopyTo(frame.Span[header.Length..]);
            return frame.Length;
        }

        new FramePrefix(FramePrefix.Compressed, (uint)packed.Bytes).Write(frame.Span);
        return FramePrefix.Bytes + packed.Bytes;
    }
}
