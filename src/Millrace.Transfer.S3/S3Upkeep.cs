using System.Collections.Concurrent;
using System.Text.Json;

namespace Millrace.Transfer.S3;

/// <summary>What happens to a bucket in the background. Thread-safe.</summary>
internal sealed class S3Upkeep(S3Store store, UploadRegistry registry) : IAsyncDisposable
{
    /// <summary>The age at which a claim has no holder any more: much more than any holder trusts it.</summary>
    private static readonly TimeSpan DeadClaim = TimeSpan.FromMinutes(10);

    /// <summary>States of uploads that are read at once.</summary>
    private const int MaxReads = 16;

    private readonly CancellationTokenSource _end = new();
    private readonly SemaphoreSlim _expiring = new(1, 1);

    /// <summary>One count at a time: who needs one waits for the one that is running.</summary>
    private readonly SemaphoreSlim _counting = new(1, 1);

    private readonly TaskCompletionSource _counted = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Uploads that count, and that the bucket did not have at the last expiry.</summary>
    private HashSet<UploadId> _missing = [];

    /// <summary>Bytes of unfinished uploads that no list of objects shows, as of the last expiry.</summary>
    private long _unlisted;
    private readonly long _opened = store.Options.TimeProvider.GetTimestamp();
    private Task _running = Task.CompletedTask;

    /// <summary>Completed once it is known which uploads other servers, or an earlier process, have started.</summary>
    public Task Counted => _counted.Task;

    /// <summary>See <see cref="IUploadStore.Expiring"/>.</summary>
    public UploadExpiry? Expiring { get; set; }

    public void Start() => _running = Task.Run(RunAsync);

    /// <summary>Deletes uploads that have expired.</summary>
    /// <remarks>Also ends multipart uploads that no server has written to for so long, and deletes claims of dead servers.</remarks>
    public async ValueTask<int> ExpireAsync(CancellationToken cancellationToken)
    {
        await _expiring.WaitAsync(cancellationToken);
        try
        {
            await store.Clock.AdjustAsync(cancellationToken);
            int expired = await ExpireListedAsync(cancellationToken);
            await EndAbandonedPartsAsync(cancellationToken);
            await DeleteDeadClaimsAsync(cancellationToken);
            if (store.Trash is not null)
            {
                await store.Trash.ExpireAsync(cancellationToken);
            }

            return expired;
        }
        catch (Exception exception) when (S3Errors.IsOfStore(exception))
        {
            throw S3Errors.Translate(exception);
        }
        finally
        {
            // Also if it has failed: a bucket that does not answer refuses new uploads automatically.
            _counted.TrySetResult();
            _expiring.Release();
        }
    }

    /// <summary>Refuses announced bytes that do not fit.</summary>
    public async ValueTask CheckTotalAsync(TransferName name, long coming, CancellationToken cancellationToken)
    {
        if (store.Quota.NeedsCount(coming))
        {
            await _counting.WaitAsync(cancellationToken);
            try
            {
                if (store.Quota.NeedsCount(coming))
                {
                    await CountAsync(cancellationToken);
                }
            }
            finally
            {
                _counting.Release();
            }
        }

        if (store.Trash is not null && store.Quota.Excess(coming) is > 0 and var excess
            && await store.Trash.MakeRoomAsync(excess, cancellationToken))
        {
            await CountAsync(cancellationToken);
        }

        store.Quota.Check(name, coming);
    }

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        await _running.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _end.Dispose();
    }

    private async ValueTask<int> ExpireListedAsync(CancellationToken cancellationToken)
    {
        IReadOnlyCollection<UploadId> counted = registry.Counted;
        var listed = new Listed();
        await Parallel.ForEachAsync(
            ListUploadsAsync(cancellationToken),
            new ParallelOptions { MaxDegreeOfParallelism = MaxReads, CancellationToken = cancellationToken },
            async (objects, _) =>
            {
                if (UploadId.TryParse(objects.Id, out UploadId id))
                {
                    await JudgeAsync(id, objects, listed, cancellationToken);
                }
            });

        foreach ((UploadId id, string caller) in listed.Unfinished)
        {
            if (listed.Joined.ContainsKey(id.Value))
            {
                registry.Finish(id);
            }
            else
            {
                registry.Add(id, caller);
            }
        }

        // An upload that is just being started is counted before its objects are in the bucket: it has to be missing twice.
        HashSet<UploadId> missing = [.. counted.Where(id => !listed.Unfinished.ContainsKey(id))];
        foreach (UploadId gone in missing.Where(_missing.Contains))
        {
            registry.Release(gone);
        }

        _missing = missing;
        _unlisted = listed.UnlistedBytes;
        registry.Trim();
        _counted.TrySetResult();
        return listed.Expired;
    }

    /// <summary>Deletes an upload that has expired; otherwise adds it to the list.</summary>
    private async ValueTask JudgeAsync(UploadId id, UploadObjects objects, Listed listed, CancellationToken cancellationToken)
    {
        DateTimeOffset now = store.Clock.Now;
        UploadRecord? record = await objects.ReadAsync(store.Bucket, cancellationToken);
        if (objects.Started is null || record is null)
        {
            // Its start or its end was interrupted.
            if (objects.Touched + store.Options.UploadLifetime < now)
            {
                await SweepAsync(objects, record, cancellationToken);
                listed.AddExpired();
            }
        }
        else if (objects.Expires(record.HasBytes, store.Options) < now && !registry.Get(id).IsHeld
            && !(record.Published is null && UploadRules.AwaitsReport(record, Expiring, store.Options.TimeProvider.GetElapsedTime(_opened))))
        {
            // A published upload only loses the record that it was one.
            bool isUnfinished = record.Published is null;
            if (await (isUnfinished && Expiring is { } expiring
                ? expiring(record.ToStatus(id, now), () => registry.RemoveAsync(id, cancellationToken))
                : registry.RemoveAsync(id, cancellationToken))
                && isUnfinished)
            {
                listed.AddExpired();
            }
        }
        else
        {
            listed.Add(id, record, isUnlisted: !objects.HasData && !registry.Get(id).IsHeld);
            if (record.Published is not null)
            {
                registry.Finish(id);
            }
        }
    }

    private async ValueTask SweepAsync(UploadObjects objects, UploadRecord? record, CancellationToken cancellationToken)
    {
        if (record is { MultipartId: { } multipart, Published: null })
        {
            string key = record.Name.Length == 0 ? UploadObjects.DataOf(objects.Prefix) : store.Keys.Of(record.ToName());
            await store.Bucket.AbortAsync(key, multipart, cancellationToken);
        }

        foreach (S3Object old in objects.All)
        {
            await store.Bucket.DeleteAsync(old.Key, cancellationToken);
        }
    }

    /// <summary>The uploads of the bucket, one after the other: their objects are listed together.</summary>
    private async IAsyncEnumerable<UploadObjects> ListUploadsAsync(
        [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken cancellationToken)
    {
        string? prefix = null;
        var objects = new List<S3Object>();
        await foreach (S3Object found in store.Bucket.ListAllAsync(store.Keys.Uploads, cancellationToken))
        {
            if (prefix is not null && !found.Key.StartsWith(prefix, StringComparison.Ordinal))
            {
                yield return new UploadObjects(prefix, objects);
                objects = [];
                prefix = null;
            }

            int slash = found.Key.IndexOf('/', store.Keys.Uploads.Length);
            prefix ??= found.Key[..(slash + 1)];
            objects.Add(found);
        }

        if (prefix is not null)
        {
            yield return new UploadObjects(prefix, objects);
        }
    }

    /// <summary>A server that was killed during a simple upload leaves a multipart upload that no server knows.</summary>
    private async ValueTask EndAbandonedPartsAsync(CancellationToken cancellationToken)
    {
        var request = new ListMultipartUploadsRequest
        {
            BucketName = store.Bucket.Name,
            Prefix = store.Keys.OfFolder(default),
            Encoding = EncodingType.Url,
        };
        ListMultipartUploadsResponse page;
        do
        {
            page = await store.Bucket.Client.ListMultipartUploadsAsync(request, cancellationToken);
            foreach (MultipartUpload upload in page.MultipartUploads ?? [])
            {
                upload.Key = Bucket.Decode(upload.Key, page.EncodingType);
                if (IsOld(upload.Initiated) && IsOld(await LastPartAsync(upload, cancellationToken)))
                {
                    await store.Bucket.AbortAsync(upload.Key, upload.UploadId, cancellationToken);
                    if (store.Keys.TryName(upload.Key, out TransferName name))
                    {
                        await store.Digests.DeleteOrphanAsync(name, cancellationToken);
                    }
                }
            }

            (request.KeyMarker, request.UploadIdMarker) = (Bucket.Decode(page.NextKeyMarker ?? "", page.EncodingType), page.NextUploadIdMarker);
        }
        while (page.IsTruncated is true);
    }

    /// <summary>When the last part of a multipart upload was written; null if it has none.</summary>
    private async ValueTask<DateTime?> LastPartAsync(MultipartUpload upload, CancellationToken cancellationToken)
    {
        DateTime? last = null;
        var request = new ListPartsRequest { BucketName = store.Bucket.Name, Key = upload.Key, UploadId = upload.UploadId };
        ListPartsResponse page;
        do
        {
            try
            {
                page = await store.Bucket.Client.ListPartsAsync(request, cancellationToken);
            }
            catch (Exception exception) when (S3Errors.IsNotFound(exception))
            {
                return last;
            }

            foreach (PartDetail part in page.Parts ?? [])
            {
                last = last is { } other && other > part.LastModified ? other : part.LastModified;
            }

            request.PartNumberMarker = page.NextPartNumberMarker?.ToString(System.Globalization.CultureInfo.InvariantCulture);
        }
        while (page.IsTruncated is true);
        return last;
    }

    private bool IsOld(DateTime? time) => time is null || FileMetadata.Time(time) + store.Options.UploadLifetime < store.Clock.Now;

    private async ValueTask DeleteDeadClaimsAsync(CancellationToken cancellationToken)
    {
        await foreach (S3Object claim in store.Bucket.ListAllAsync(store.Keys.Claims, cancellationToken))
        {
            if (FileMetadata.Time(claim.LastModified) + DeadClaim < store.Clock.Now)
            {
                await store.Bucket.DeleteAsync(claim.Key, cancellationToken);
            }
        }
    }

    /// <summary>Expires uploads, and counts the bytes of files and unfinished uploads together.</summary>
    private ValueTask CountAsync(CancellationToken cancellationToken) => store.Quota.CountAsync(async () =>
    {
        await ExpireAsync(cancellationToken);
        long used = _unlisted;
        await foreach (S3Object found in store.Bucket.ListAllAsync(store.Keys.OfFolder(default), cancellationToken))
        {
            used += found.Size ?? 0;
        }

        return used;
    });

    private async Task RunAsync()
    {
        using var timer = new PeriodicTimer(
            UploadRules.Period(store.Options.UploadLifetime, store.Options.EmptyUploadLifetime), store.Options.TimeProvider);
        do
        {
            try
            {
                if (!store.Quota.IsLimited)
                {
                    await ExpireAsync(_end.Token);
                    continue;
                }

                await _counting.WaitAsync(_end.Token);
                try
                {
                    await CountAsync(_end.Token);
                }
                finally
                {
                    _counting.Release();
                }
            }
            catch (Exception exception) when (exception is TransferException or JsonException or FormatException)
            {
                // The bucket does not answer, or another program wrote a state. The next period tries again.
            }
        }
        while (await timer.WaitForNextTickAsync(_end.Token));
    }

    /// <summary>The result of listing all uploads. Thread-safe.</summary>
    private sealed class Listed
    {
        private int _expired;
        private long _unlistedBytes;

        /// <summary>Unfinished uploads, with the caller of each.</summary>
        public ConcurrentDictionary<UploadId, string> Unfinished { get; } = new();

        /// <summary>The ids of uploads that are parts of others.</summary>
        public ConcurrentDictionary<string, bool> Joined { get; } = new(StringComparer.Ordinal);

        public int Expired => _expired;

        /// <summary>Bytes that are in no object.</summary>
        public long UnlistedBytes => _unlistedBytes;

        public void AddExpired() => Interlocked.Increment(ref _expired);

        /// <param name="id">An upload that stays.</param>
        /// <param name="record">Its state.</param>
        /// <param name="isUnlisted">Whether its parts are in no list. What this server holds is counted while it is received.</param>
        public void Add(UploadId id, UploadRecord record, bool isUnlisted)
        {
            foreach (string part in record.Joined ?? [])
            {
                Joined[part] = true;
            }

            if (record.Published is null)
            {
                Unfinished[id] = record.Caller ?? "";
                Interlocked.Add(ref _unlistedBytes, isUnlisted ? record.End : 0);
            }
        }
    }
}
