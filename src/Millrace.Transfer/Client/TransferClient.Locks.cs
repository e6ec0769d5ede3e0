namespace Millrace.Transfer;

/// <content>What only syncs ask for: locks that keep two of them out of one folder, and dates of files that stay.</content>
public sealed partial class TransferClient
{
    internal TimeProvider Clock => _clock;

    /// <summary>Takes a lock, or renews the one with this token. Returns its token; null without such locks.</summary>
    internal async Task<string?> LockAsync(TransferName folder, string holder, string key, string? token, CancellationToken cancellationToken)
    {
        (string? taken, TransferException? held) = await OverHttpAsync<(string?, TransferException?)>(
            async (http, watch) =>
            {
                try
                {
                    return (await http.LockAsync(folder, holder, key, token, SyncLock.Duration, watch).ConfigureAwait(false), null);
                }
                catch (TransferException exception) when (exception.Status == 423)
                {
                    // Whether to wait is the caller's decision.
                    return (null, exception);
                }
            },
            cancellationToken).ConfigureAwait(false);
        return held is null
            ? taken
            : throw new TransferException(TransferError.Unavailable, held.Reason, folder.Value, held)
            {
                Status = held.Status,
                RetryAfter = held.RetryAfter,
                Reason = held.Reason,
            };
    }

    /// <summary>Ends a lock; one that the server does not know any more has ended already.</summary>
    internal async Task UnlockAsync(TransferName folder, string token, CancellationToken cancellationToken)
    {
        try
        {
            await OverHttpAsync(
                async (http, watch) =>
                {
                    await http.UnlockAsync(folder, token, watch).ConfigureAwait(false);
                    return true;
                },
                cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is TransferException or OperationCanceledException)
        {
            // It ends on its own.
        }
    }

    /// <summary>Sets when a file was last changed, where the server can do that.</summary>
    /// <exception cref="TransferException">It was refused, or failed for good.</exception>
    internal async Task SetModifiedAsync(TransferName name, FileTime modified, WritePrecondition precondition, CancellationToken cancellationToken) =>
        await OverHttpAsync(
            async (http, watch) =>
            {
                await http.SetModifiedAsync(name, modified, precondition, watch).ConfigureAwait(false);
                return true;
            },
            cancellationToken).ConfigureAwait(false);

    /// <summary>Sends a request over HTTP, whatever protocol transfers files: the address of a Millrace server speaks it.</summary>
    private async Task<T?> OverHttpAsync<T>(Func<HttpProtocolClient, IdleWatch, Task<T>> send, CancellationToken cancellationToken)
    {
        TransferContext context = await ContextAsync(cancellationToken).ConfigureAwait(false);
        ServerDescription description = await DescribeAsync(cancellationToken).ConfigureAwait(false);
        HttpProtocolClient? http = description.Version == 0 ? null
            : context.Protocol as HttpProtocolClient
                ?? (description.Protocols.Any(static one => ProtocolNames.Parse(one.Name) == TransferProtocol.Http1)
                    ? new HttpProtocolClient(Setup(description))
                    : null);
        return http is null
            ? default
            : await _retry.RunAsync(
                async (_, token) =>
                {
                    using IdleWatch watch = context.Watch(token);
                    return await send(http, watch).ConfigureAwait(false);
                },
                cancellationToken).ConfigureAwait(false);
    }
}
