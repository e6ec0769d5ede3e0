using System.IO.Pipelines;
using Google.Protobuf;
using Millrace.Transfer.Messages;

namespace Millrace.Transfer;

/// <summary>A request whose body is a part of a file in messages.</summary>
internal abstract class OutgoingMessages(Outgoing outgoing, TransferProtocol protocol) : OutgoingBody
{
    private static readonly StreamPipeWriterOptions TextOptions = new(minimumBufferSize: 64 * 1024, leaveOpen: true);

    protected Outgoing Outgoing { get; } = outgoing;

    protected abstract Task WriteAsync(Stream stream, CancellationToken cancellationToken);

    /// <summary>Bytes of the messages, frames included; null where they show at the end.</summary>
    protected abstract long? MessageBytes();

    protected sealed override bool TryComputeLength(out long length)
    {
        long? bytes = MessageBytes();
        length = protocol == TransferProtocol.GrpcWebText ? Base64PipeWriter.Encoded(bytes ?? 0) : bytes ?? 0;
        return bytes is not null;
    }

    protected sealed override async Task SendAsync(Stream stream, CancellationToken cancellationToken)
    {
        if (protocol != TransferProtocol.GrpcWebText)
        {
            await WriteAsync(stream, cancellationToken).ConfigureAwait(false);
            return;
        }

        PipeWriter pipe = PipeWriter.Create(stream, TextOptions);
        try
        {
            var text = new Base64PipeWriter(pipe);
            await WriteAsync(text.AsStream(leaveOpen: true), cancellationToken).ConfigureAwait(false);
            text.Pad();
            await pipe.FlushAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception)
        {
            // Nothing more is written.
            await pipe.CompleteAsync(exception).ConfigureAwait(false);
            throw;
        }

        await pipe.CompleteAsync().ConfigureAwait(false);
    }
}

/// <summary>An upload in one call: its head, its chunks, and its end.</summary>
/// <remarks>It has no length, as a stream of messages has none: servers look for the end of the stream.</remarks>
internal sealed class ChunkContent(UploadHead head, Outgoing outgoing, bool hasTrailingDigest, ProtocolSetup setup)
    : OutgoingMessages(outgoing, setup.Kind)
{
    protected override async Task WriteAsync(Stream stream, CancellationToken cancellationToken)
    {
        using var chunks = new ChunkStream(stream, Outgoing.Count, setup.Options);
        await chunks.WriteAsync(new Chunk { Upload = head }, cancellationToken).ConfigureAwait(false);
        await Outgoing.CopyToAsync(chunks, cancellationToken).ConfigureAwait(false);
        var end = new End { Length = Outgoing.Sent };
        if (hasTrailingDigest && await Outgoing.DigestAsync().ConfigureAwait(false) is { } digest)
        {
            end.Sha256 = GrpcMapping.ToMessage(digest);
        }

        chunks.ThrowIfShort();
        await chunks.WriteAsync(new Chunk { End = end }, cancellationToken).ConfigureAwait(false);
        await chunks.SendGatheredAsync(cancellationToken).ConfigureAwait(false);
    }

    protected override long? MessageBytes() => null;
}

/// <summary>A part of an upload as one message: its fields, followed by the file's bytes, whose number is known.</summary>
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
                TransferError.Changed, $"The content ended {Count - Outgoing.Sent} bytes early. Nothing was published; upload it again.");
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

    /// <summary>Compresses the bytes written to it.</summary>
    private sealed class PackingStream(GzipPacker gzip) : WriteOnlyStream
    {
        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            gzip.Add(buffer.Span);
            return default;
        }
    }
}
