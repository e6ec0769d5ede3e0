using System.Threading.RateLimiting;

namespace Millrace.Transfer.Server;

/// <summary>A request that <see cref="TransferGuard"/> let in. Disposing it frees the caller's slot.</summary>
/// <remarks>For one thread at a time, except <see cref="AddBytes"/>.</remarks>
internal sealed class TransferPass(
    string? owner, string caller, IFileStore store, TransferObservation observation, TransferGuard? guard, RateLimitLease? slot,
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

        if (guard is null)
        {
            taken.Dispose();
        }
        else
        {
            guard.Release(taken);
        }
    }
}
