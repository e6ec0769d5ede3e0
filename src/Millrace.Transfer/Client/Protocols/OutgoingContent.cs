using System.Net;

namespace Millrace.Transfer;

/// <summary>An <see cref="Outgoing"/> as the body of a request: its blocks go to the connection's stream as they are.</summary>
internal sealed class OutgoingContent(Outgoing outgoing) : HttpContent
{
    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) =>
        outgoing.CopyToAsync(stream, CancellationToken.None);

    protected override Task SerializeToStreamAsync(
        Stream stream, TransportContext? context, CancellationToken cancellationToken) =>
        outgoing.CopyToAsync(stream, cancellationToken);

    protected override bool TryComputeLength(out long length)
    {
        length = outgoing.Count ?? 0;
        return outgoing.Count is not null;
    }
}
