using System.Collections.Concurrent;

namespace Millrace.Transfer.S3;

/// <summary>
/// The uploads that this server has to do with, how many unfinished ones each caller has, and which finished ones the bucket still
/// keeps for clients that did not hear of it. Thread-safe.
/// </summary>
internal sealed class UploadRegistry(Bucket bucket, Keys keys, ServerClock clock, S3FileStoreOptions options)
{
    private readonly ConcurrentDictionary<UploadId, S3Upload> _uploads = new();
    private readonly ConcurrentDictionary<UploadId, string> _callers = new();
    private readonly Lock _finishedLock = new();
    private readonly OrderedDictionary<UploadId, bool> _finished = [];

    /// <summary>The one instance for all requests of this server.</summary>
    public S3Upload Get(UploadId id) => _uploads.GetOrAdd(id, _ => new S3Upload(id, bucket, keys, clock, options));

    /// <summary>Forgets what no request holds. The next request claims its upload again.</summary>
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
        bool isOfCaller = _callers.Values.Count(other => string.Equals(other, caller, StringComparison.Ordinal)) >= options.MaxUploadsPerCaller;
        if (isOfCaller || _callers.Count >= options.MaxUploads)
        {
            throw new TransferException(
                TransferError.TooManyTransfers,
                isOfCaller
                    ? $"You have {options.MaxUploadsPerCaller} unfinished uploads, and no more are allowed. Finish or delete one, or try again later."
                    : $"The store has {options.MaxUploads} unfinished uploads, and no more are allowed. Try again later.",
                name.Value)
            {
                RetryAfter = TimeSpan.FromSeconds(30),
            };
        }

        _callers[id] = caller;
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
            if (_finished.Count == 0 || _finished.Count + _callers.Count <= options.MaxUploads)
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

    /// <summary>The uploads that count now.</summary>
    public IReadOnlyCollection<UploadId> Counted => [.. _callers.Keys];
}
