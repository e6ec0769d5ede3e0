namespace Millrace.Transfer;

/// <summary>
/// Keeps other syncs out of a folder on a server until it is disposed. It forbids nothing else: other programs can still change files, which a
/// sync notices. Thread-safe.
/// </summary>
/// <remarks>It is renewed in the background, and expires within a minute if this process is killed.</remarks>
public sealed class SyncLock : IAsyncDisposable
{
    /// <summary>How long the server keeps the lock without a renewal.</summary>
    /// <remarks>Others wait at most this long after a process was killed. A server restarts in less.</remarks>
    internal static readonly TimeSpan Duration = TimeSpan.FromSeconds(60);

    /// <summary>Two renewals may fail.</summary>
    internal static readonly TimeSpan RenewalInterval = TimeSpan.FromSeconds(20);

    /// <summary>How long the end waits for the server: over a line that has stalled, the lock expires instead.</summary>
    /// <remarks>Enough for a new connection over a satellite.</remarks>
    internal static readonly TimeSpan UnlockTimeout = TimeSpan.FromSeconds(3);

    private readonly TransferClient _client;
    private readonly TransferName _folder;
    private readonly string _holder;
    private readonly CancellationTokenSource _disposed = new();
    private readonly CancellationTokenSource _lost = new();
    private readonly string _key;
    private readonly Task _renewing;
    private string _token;

    private SyncLock(TransferClient client, TransferName folder, string holder, string key, string token)
    {
        _client = client;
        _folder = folder;
        _holder = holder;
        _key = key;
        _token = token;
        _renewing = RenewAsync();
    }

    /// <summary>Is canceled if another sync has the folder, because this one could not renew its lock for a minute.</summary>
    public CancellationToken Lost => _lost.Token;

    /// <summary>Takes the lock of a folder.</summary>
    /// <param name="target">The folder that changes. It need not exist.</param>
    /// <param name="holder">The name of the owner, for people to read: for example a user, a machine and a process.</param>
    /// <param name="key">
    /// A secret of up to 128 characters. A lock that was taken with the same key, by a process that was killed, is taken over: only one process at a
    /// time may use it. Null for a random one.
    /// </param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>Null if nothing is locked: a folder here, a server without such locks, or a caller who may not write.</returns>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.Unavailable"/>: another sync has it. The message names it, and <see cref="TransferException.RetryAfter"/> is
    /// when it ends unless it is renewed. Or the server refused otherwise, or failed for good.
    /// </exception>
    public static async Task<SyncLock?> TakeAsync(
        SyncFolder target, string holder, string? key = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(target);
        ArgumentNullException.ThrowIfNull(holder);
        if (target is not SyncFolderOnServer { Client: var client } folder)
        {
            return null;
        }

        // Characters that no XML has.
        holder = string.Concat(holder.Where(static one => !char.IsControl(one) && !char.IsSurrogate(one)));
        TransferName name = folder.Root;
        key ??= Guid.NewGuid().ToString("N");
        string? token = await client.LockAsync(name, holder, key, token: null, cancellationToken).ConfigureAwait(false);
        return token is null ? null : new SyncLock(client, name, holder, key, token);
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        if (_disposed.IsCancellationRequested)
        {
            return;
        }

        await _disposed.CancelAsync().ConfigureAwait(false);
        await _renewing.ConfigureAwait(false);
        if (!_lost.IsCancellationRequested)
        {
            using var limit = new CancellationTokenSource(UnlockTimeout, _client.Clock);
            await _client.UnlockAsync(_folder, _token, limit.Token).ConfigureAwait(false);
        }

        _disposed.Dispose();
        _lost.Dispose();
    }

    private async Task<string?> TakeAgainAsync()
    {
        try
        {
            return await _client.LockAsync(_folder, _holder, _key, _token, _disposed.Token).ConfigureAwait(false);
        }
        catch (TransferException exception) when (exception.Error == TransferError.PreconditionFailed)
        {
            // It has ended.
            return await _client.LockAsync(_folder, _holder, _key, token: null, _disposed.Token).ConfigureAwait(false);
        }
    }

    private async Task RenewAsync()
    {
        using var timer = new PeriodicTimer(RenewalInterval, _client.Clock);
        try
        {
            while (await timer.WaitForNextTickAsync(_disposed.Token).ConfigureAwait(false))
            {
                try
                {
                    _token = await TakeAgainAsync().ConfigureAwait(false) ?? _token;
                }
                catch (TransferException exception) when (exception.Error == TransferError.Unavailable && exception.Status == 423)
                {
                    await _lost.CancelAsync().ConfigureAwait(false);
                    return;
                }
                catch (TransferException)
                {
                    // The server does not answer: transfers meanwhile fail for the same reason.
                }
            }
        }
        catch (OperationCanceledException)
        {
            // Disposed.
        }
    }
}
