using System.Net;

namespace Millrace.Transfer;

/// <summary>A request whose body is a part of a file in messages. It can be ended before it is sent.</summary>
/// <remarks>
/// A server may answer while it still comes, to refuse it: then the rest is of no use, and the source is needed for what is
/// done next.
/// </remarks>
internal abstract class OutgoingMessages : HttpContent
{
    private readonly TransferProtocol _protocol;
    private readonly CancellationTokenSource _stop = new();
    private Task? _sending;

    protected OutgoingMessages(Outgoing outgoing, TransferProtocol protocol)
    {
        Outgoing = outgoing;
        _protocol = protocol;
    }

    protected Outgoing Outgoing { get; }

    /// <summary>Ends the sending, wherever it is.</summary>
    public async ValueTask EndAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        if (_sending is { } sending)
        {
            await sending.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    protected abstract Task WriteAsync(Stream stream, CancellationToken cancellationToken);

    /// <summary>Bytes of the messages, frames included; null where they show at the end.</summary>
    protected abstract long? MessageBytes();

    protected sealed override Task SerializeToStreamAsync(Stream stream, TransportContext? context) =>
        SerializeToStreamAsync(stream, context, CancellationToken.None);

    protected sealed override Task SerializeToStreamAsync(
        Stream stream, TransportContext? context, CancellationToken cancellationToken) =>
        _sending = SendAsync(stream, cancellationToken);

    protected sealed override bool TryComputeLength(out long length)
    {
        long? bytes = MessageBytes();
        length = _protocol == TransferProtocol.GrpcWebText ? (bytes + 2) / 3 * 4 ?? 0 : bytes ?? 0;
        return bytes is not null;
    }

    private async Task SendAsync(Stream stream, CancellationToken cancellationToken)
    {
        using var linked = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _stop.Token);
        if (_protocol != TransferProtocol.GrpcWebText)
        {
            await WriteAsync(stream, linked.Token).ConfigureAwait(false);
            return;
        }

        using var text = new WebTextStream(stream);
        await WriteAsync(text, linked.Token).ConfigureAwait(false);
        await text.FinishAsync(linked.Token).ConfigureAwait(false);
    }
}
