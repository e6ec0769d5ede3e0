using Millrace.Transfer.Messages;

namespace Millrace.Transfer;

/// <summary>An upload in one call: what it is, its chunks, and how it ends.</summary>
/// <remarks>It has no length, as a stream of messages has none: servers look for the end of the stream.</remarks>
internal sealed class ChunkContent(UploadHead head, Outgoing outgoing, ProtocolSetup setup) : OutgoingMessages(outgoing, setup.Kind)
{
    protected override async Task WriteAsync(Stream stream, CancellationToken cancellationToken)
    {
        using var chunks = new ChunkStream(stream, Outgoing.Count, setup.Options);
        await chunks.WriteAsync(new Chunk { Upload = head }, cancellationToken).ConfigureAwait(false);
        await Outgoing.CopyToAsync(chunks, cancellationToken).ConfigureAwait(false);
        var end = new End { Length = Outgoing.Sent };
        if (await Outgoing.DigestAsync().ConfigureAwait(false) is { } digest)
        {
            end.Sha256 = GrpcMapping.ToMessage(digest);
        }

        chunks.ThrowIfShort();
        await chunks.WriteAsync(new Chunk { End = end }, cancellationToken).ConfigureAwait(false);
        await chunks.SendGatheredAsync(cancellationToken).ConfigureAwait(false);
    }

    protected override long? MessageBytes() => null;
}
