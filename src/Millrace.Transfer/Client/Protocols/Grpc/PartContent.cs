using Google.Protobuf;
using Millrace.Transfer.Messages;

namespace Millrace.Transfer;

/// <summary>A part of an upload as one message: its fields, and behind them the file's bytes.</summary>
/// <param name="head">The fields but the last.</param>
/// <param name="outgoing">The bytes, whose number is known.</param>
/// <param name="setup">How the message is made.</param>
internal sealed class PartContent(UploadPartRequest head, Outgoing outgoing, ProtocolSetup setup) : OutgoingMessages(outgoing, setup.Kind)
{
    private const byte DataTag = (UploadPartRequest.DataFieldNumber << 3) | 2;

    private readonly TransferClientOptions _options = setup.Options;

    private int Count => (int)Outgoing.Count!.Value;

    protected override long? MessageBytes() => _options.Compression == TransferCompression.None ? HeadBytes() + Count : null;

    protected override async Task WriteAsync(Stream stream, CancellationToken cancellationToken)
    {
        byte[] beginning = new byte[HeadBytes()];
        WriteHead(beginning);
        if (_options.Compression == TransferCompression.Gzip)
        {
            using var gzip = new GzipPacker();
            gzip.Begin();
            gzip.Add(beginning.AsSpan(FramePrefix.Bytes));
            await Outgoing.CopyToAsync(new PackingStream(gzip), cancellationToken).ConfigureAwait(false);
            gzip.End();
            for (int i = 0; i < gzip.Count; i++)
            {
                await stream.WriteAsync(gzip.PieceOf(i), cancellationToken).ConfigureAwait(false);
            }
        }
        else
        {
            await stream.WriteAsync(beginning, cancellationToken).ConfigureAwait(false);
            await Outgoing.CopyToAsync(stream, cancellationToken).ConfigureAwait(false);
        }

        if (Outgoing.Sent != Count)
        {
            throw new TransferException(
                TransferError.Changed, $"What is uploaded ended {Count - Outgoing.Sent} bytes early. Nothing was published; upload it again.");
        }
    }

    private int HeadBytes() => FramePrefix.Bytes + head.CalculateSize() + 1 + Varint.BytesFor(Count);

    private void WriteHead(Span<byte> beginning)
    {
        new FramePrefix(0, (uint)(beginning.Length - FramePrefix.Bytes + Count)).Write(beginning);
        int fields = head.CalculateSize();
        head.WriteTo(beginning.Slice(FramePrefix.Bytes, fields));
        beginning[FramePrefix.Bytes + fields] = DataTag;
        Varint.Write(beginning[(FramePrefix.Bytes + fields + 1)..], Count);
    }

    /// <summary>Compresses what is written to it.</summary>
    private sealed class PackingStream(GzipPacker gzip) : WriteOnlyStream
    {
        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            gzip.Add(buffer.Span);
            return default;
        }
    }
}
