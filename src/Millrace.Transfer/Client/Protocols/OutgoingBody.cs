using System.Net;

namespace Millrace.Transfer;

/// <summary>The body of a request that brings a part of a file. Its sending can be ended.</summary>
/// <remarks>
/// A server may answer while the body is sent, to refuse it, and a connection may end meanwhile: HttpClient then returns before the body has stopped to
/// read the source, which the next request needs at another position.
/// </remarks>
internal abstract class OutgoingBody : HttpContent
{
    private readonly CancellationTokenSource _stop = new();
    private TaskCompletionSource? _sending;

    /// <summary>Ends the sending, wherever it is, and waits until it reads no more. It does not begin again.</summary>
    public async ValueTask EndAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        if (Interlocked.CompareExchange(ref _sending, null, null) is { } sending)
        {
            await sending.Task.ConfigureAwait(false);
        }
    }

    protected abstract Task SendAsync(Stream stream, CancellationToken cancellationToken);

    protected sealed override Task SerializeToStreamAsync(Stream stream, TransportContext? context) =>
        SerializeToStreamAsync(stream, context, CancellationToken.None);

    protected sealed override async Task SerializeToStreamAsync(
        Stream stream, TransportContext? context, CancellationToken cancellationToken)
    {
        var sending = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        try
        {
            // Known to the one that ends it before it looks whether it was ended.
            Interlocked.Exchange(ref _sending, sending);
            using var linked = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _stop.Token);
            linked.Token.ThrowIfCancellationRequested();
            await SendAsync(stream, linked.Token).ConfigureAwait(false);
        }
        finally
        {
            sending.SetResult();
        }
    }
}
