using System.Threading.RateLimiting;

namespace Millrace.Transfer.Server;

/// <summary>A request that <see cref="TransferGuard"/> let in. Disposing it frees the caller's slot.</summary>
/// <remarks>For one thread at a time, except <see cref="AddBytes"/>.</remarks>
internal sealed class TransferPass(
    string? owner, string caller, IFileStore store, TransferObservation observation, CallerLimits? limits, RateLimitLease? slot,
    LinkUse? link = null) : IDisposable
{
    private RateLimitLease? _slot = slot;
    private long _bytes;

    /// <summary>The name of the token or user; null for an anonymous caller.</summary>
    public string? Owner => owner;

    /// <summary>The subject of limits: the token or user, or an anonymous caller's address, which has a colon.</summary>
    public string Caller => caller;

    /// <summary>The store as the caller may use it: no link leads out of its prefix.</summary>
    public IFileStore Store => store;

    /// <summary>Bytes of file content that the request has moved so far.</summary>
    public long Bytes => Interlocked.Read(ref _bytes);

    /// <summary>Whether downloads are counted, so that no other server may be asked for the bytes.</summary>
    public bool IsCounted => link is not null;

    /// <summary>Counts a download by a link to a folder, before its first byte.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.Forbidden"/>: the link allows no more.</exception>
    public ValueTask CountAsync(StoredFile file, long bytes, CancellationToken cancellationToken) =>
        link?.DownloadAsync(file, bytes, cancellationToken) ?? default;

    /// <inheritdoc cref="LinkUse.ArchiveAsync"/>
    public ValueTask CountArchiveAsync(CancellationToken cancellationToken) => link?.ArchiveAsync(cancellationToken) ?? default;

    /// <inheritdoc cref="LinkUse.ArchiveFileAsync"/>
    public ValueTask CountArchiveFileAsync(long bytes, CancellationToken cancellationToken) =>
        link?.ArchiveFileAsync(bytes, cancellationToken) ?? default;

    /// <inheritdoc cref="LinkUse.EndArchiveAsync"/>
    public ValueTask EndArchiveAsync() => link?.EndArchiveAsync() ?? default;

    /// <summary>The locks and properties of the store; null for a store that keeps neither.</summary>
    public StoreState? State { get; init; }

    /// <summary>Whether the caller has only a link, and is not told about other people.</summary>
    public bool IsLink { get; init; }

    /// <summary>The lock tokens that the request submits.</summary>
    public IReadOnlyCollection<string> LockTokens { get; init; } = [];

    /// <summary>The server's clock; null for the system's.</summary>
    public TimeProvider? Clock { get; init; }

    /// <summary>Bytes that the request moves at once because of a limit of the rate; null without one.</summary>
    public int? TurnBytes { get; init; }

    /// <summary>The time, for locks.</summary>
    public DateTimeOffset Now => (Clock ?? TimeProvider.System).GetUtcNow();

    /// <summary>
    /// Begins to change a name, just before that happens: every protocol asks here for the locks of others. No new lock on it is granted until
    /// the end. Without locks, it costs one counter.
    /// </summary>
    /// <param name="name">The name to change.</param>
    /// <param name="use">How it is changed.</param>
    /// <param name="cancellationToken">Ends the wait for the locks of other servers.</param>
    /// <returns>To be disposed after the change.</returns>
    /// <exception cref="TransferException">Status 423: another caller has locked it.</exception>
    public async ValueTask<Change> BeginAsync(TransferName name, LockUse use, CancellationToken cancellationToken)
    {
        if (State is not { } state)
        {
            return default;
        }

        if (state.Locks.MayHaveAny)
        {
            await state.Locks.LookAsync(cancellationToken);
        }

        var change = new Change(state.Locks, state.Locks.Begin());
        try
        {
            ThrowIfLocked(state.Locks.Known, name, use);
            return change;
        }
        catch
        {
            change.Dispose();
            throw;
        }
    }

    /// <summary>Throws if another caller has locked a name.</summary>
    /// <exception cref="TransferException">Status 423.</exception>
    public void ThrowIfLocked(WriteLocks.Index? locks, TransferName name, LockUse use)
    {
        if (locks is { IsEmpty: false } && LockCheck.FindConflict(locks, name, use, owner, LockTokens, Now) is { } held)
        {
            throw LockCheck.Locked(name, held, Now, showsHolder: !IsLink);
        }
    }

    /// <summary>Forgets the locks and properties of something that was deleted, and of everything in it.</summary>
    public async ValueTask ForgetAsync(TransferName name)
    {
        if (State is { } state)
        {
            await RemoveLocksAsync(state, name);
            await state.Properties.DeletedAsync(name);
        }
    }

    /// <summary>Moves the properties to the new name; locks do not move (RFC 4918, section 7.6).</summary>
    public async ValueTask ForgetMovedAsync(TransferName from, TransferName to)
    {
        if (State is { } state)
        {
            await RemoveLocksAsync(state, from);
            await state.Properties.PassOnAsync(from, to, isCopy: false, withContent: true);
        }
    }

    private static async ValueTask RemoveLocksAsync(StoreState state, TransferName name)
    {
        if (state.Locks.Known is { IsEmpty: false })
        {
            await state.Locks.ChangeAsync(
                locks => locks.At(name.Value).Length > 0 || locks.Below(name).Any() ? locks.All.Where(one => one.IsForSync || !one.Root.IsIn(name)) : null,
                CancellationToken.None);
        }
    }

    /// <summary>Where the files of a request that brings several are logged; null if nothing reads that.</summary>
    public TransferObservation? FileLog => observation.LogsFiles ? observation : null;

    public void AddBytes(long bytes)
    {
        Interlocked.Add(ref _bytes, bytes);
        observation.Moved(bytes);
    }

    public void Dispose()
    {
        if (Interlocked.Exchange(ref _slot, null) is not { } taken)
        {
            return;
        }

        if (limits is null)
        {
            taken.Dispose();
        }
        else
        {
            limits.Release(taken);
        }
    }

    /// <summary>A change that has begun.</summary>
    public readonly struct Change(WriteLocks? locks, int begun) : IDisposable
    {
        public void Dispose() => locks?.End(begun);
    }
}
