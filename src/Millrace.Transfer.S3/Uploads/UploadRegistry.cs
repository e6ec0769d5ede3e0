using System.Collections.Concurrent;

namespace Millrace.Transfer.S3;

/// <summary>
/// The uploads that this server has to do with, how many unfinished ones each caller has, and which finished ones the bucket still
/// keeps for clients that did not hear of it. Thread-safe.
/// </summary>
internal sealed class UploadRegistry(S3Store store)
{
    /// <summary>Uploads that are looked at where one has no room: each costs two requests.</summary>
    private const int MaxListed = 100;

    private readonly ConcurrentDictionary<UploadId, S3Upload> _uploads = new();
    private readonly ConcurrentDictionary<UploadId, string> _callers = new();
    private readonly Lock _finishedLock = new();
    private readonly OrderedDictionary<UploadId, bool> _finished = [];

    /// <summary>The one instance for all requests of this server.</summary>
    public S3Upload Get(UploadId id) => _uploads.GetOrAdd(id, _ => new S3Upload(id, store));

    /// <summary>Forgets uploads that no request holds. The next request claims its upload again.</summary>
    public void Trim()
    {
        foreach ((UploadId id, S3Upload upload) in _uploads)
        {
            if (!upload.IsHeld)
            {
                _uploads.TryRemove(id, out _);
            }
        }
    }

    public void Forget(UploadId id) => _uploads.TryRemove(id, out _);

    /// <summary>Counts an upload that is about to be started.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.TooManyTransfers"/>.</exception>
    public void Take(UploadId id, TransferName name, string caller)
    {
        bool isOfCaller = _callers.Values.Count(other => string.Equals(other, caller, StringComparison.Ordinal)) >= store.Options.MaxUploadsPerCaller;
        if (isOfCaller || _callers.Count >= store.Options.MaxUploads)
        {
            throw Errors.TooManyUploads(name, isOfCaller ? store.Options.MaxUploadsPerCaller : store.Options.MaxUploads, isOfCaller);
        }

        _callers[id] = caller;
    }

    /// <summary>Takes an upload over and deletes it.</summary>
    /// <returns>False if there is none.</returns>
    public async ValueTask<bool> RemoveAsync(UploadId id, CancellationToken cancellationToken)
    {
        S3Upload upload = Get(id);
        try
        {
            using TakeoverLock.Holder holder = await upload.AcquireAsync(evenExpired: true, cancellationToken);
            await RemoveAsync(upload, cancellationToken);
            return true;
        }
        catch (TransferException exception) when (exception.Error == TransferError.NotFound)
        {
            return false;
        }
        finally
        {
            Forget(id);
        }
    }

    /// <summary>Deletes an upload whose lock the caller holds.</summary>
    public async ValueTask RemoveAsync(S3Upload upload, CancellationToken cancellationToken)
    {
        UploadRecord record = upload.Record;
        await upload.DeleteAsync(cancellationToken);
        Release(upload.Id);
        if (record.Published is not null)
        {
            return;
        }

        store.Quota.Deleted();
        if (record is { Name.Length: > 0, MultipartId: not null })
        {
            await store.Digests.DeleteOrphanAsync(upload.Name, cancellationToken);
        }
    }

    /// <summary>It is gone: it does not count any more.</summary>
    public void Release(UploadId id)
    {
        _callers.TryRemove(id, out _);
        lock (_finishedLock)
        {
            _finished.Remove(id);
        }
    }

    /// <summary>It is published, or a part that was joined: it does not count any more, and stays while there is room.</summary>
    public void Finish(UploadId id)
    {
        _callers.TryRemove(id, out _);
        lock (_finishedLock)
        {
            _finished.TryAdd(id, true);
        }
    }

    /// <summary>The upload that finished first, where there are more in all than may be.</summary>
    public UploadId? TakeSurplus()
    {
        lock (_finishedLock)
        {
            if (_finished.Count == 0 || _finished.Count + _callers.Count <= store.Options.MaxUploads)
            {
                return null;
            }

            UploadId first = _finished.GetAt(0).Key;
            _finished.RemoveAt(0);
            return first;
        }
    }

    public bool Counts(UploadId id) => _callers.ContainsKey(id);

    /// <summary>Counts an upload of another server.</summary>
    public void Add(UploadId id, string caller) => _callers[id] = caller;

    /// <summary>Unfinished uploads, of other servers as of the last expiry; not all if there are many.</summary>
    public async ValueTask<IReadOnlyCollection<UploadStatus>> ListUnfinishedAsync()
    {
        var found = new ConcurrentBag<UploadStatus>();
        await Parallel.ForEachAsync(Counted.Take(MaxListed), async (id, cancellationToken) =>
        {
            if (await Get(id).FindAsync(cancellationToken) is { } status)
            {
                found.Add(status);
            }
        });
        return found;
    }

    /// <summary>The uploads that count now.</summary>
    public IReadOnlyCollection<UploadId> Counted => [.. _callers.Keys];
}
