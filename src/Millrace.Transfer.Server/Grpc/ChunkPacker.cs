using System.Buffers;
using System.IO.Compression;

namespace Millrace.Transfer.Server;

/// <summary>A chunk as a message in gzip.</summary>
internal static class ChunkPacker
{
    /// <summary>Writes the frame of a compressed message.</summary>
    /// <returns>Its bytes; 0 when it does not fit: then it is sent as it is.</returns>
    public static int Pack(ReadOnlySequence<byte> content, Memory<byte> frame)
    {
        int length = (int)content.Length;
        Span<byte> header = stackalloc byte[ChunkHeader.BytesFor(length)];
        ChunkHeader.Write(header, length);
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
            return 0;
        }

        new FramePrefix(FramePrefix.Compressed, (uint)packed.Bytes).Write(frame.Span);
        return FramePrefix.Bytes + packed.Bytes;
    }
}
