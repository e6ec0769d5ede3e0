using System.Collections.Concurrent;
using System.Text.Json;

namespace Millrace.Transfer.S3;

/// <content>What happens in the background.</content>
public sealed partial class S3FileStore
{
    private static readonly TimeSpan LongestPeriod = TimeSpan.FromMinutes(10);

    private static readonly TimeSpan ShortestPeriod = TimeSpan.FromSeconds(1);

    /// <summary>How old a claim is that nobody holds any more: much older than any holder trusts it.</summary>
    private static readonly TimeSpan DeadClaim = TimeSpan.FromMinutes(10);

    /// <summary>States of uploads that are read at once.</summary>
    private const int MaxReads = 16;

    private readonly SemaphoreSlim _expiring = new(1, 1);

    /// <summary>One count at a time: who needs one waits for the one that is running.</summary>
    private readonly SemaphoreSlim _counting = new(1, 1);

    /// <summary>Completed once it is known which uploads other servers, or an earlier process, have started.</summary>
    private readonly TaskCompletionSource _counted = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Uploads that count, and that the bucket did not have at the last expiry.</summary>
    private HashSet<UploadId> _missing = [];

    /// <summary>Bytes of unfinished uploads that no list of objects shows, as of the last expiry.</summary>
    private long _unlisted;

    /// <inheritdoc/>
    /// <remarks>Also ends multipart uploads that no server has written to for so long, and deletes claims of dead servers.</remarks>
    public async ValueTask<int> ExpireUploadsAsync(CancellationToken cancellationToken)
    {
        await _expiring.WaitAsync(cancellationToken);
        try
        {
            await _clock.AdjustAsync(cancellationToken);
            int expired = await ExpireAsync(cancellationToken);
            await EndAbandonedPartsAsync(cancellationToken);
            await DeleteDeadClaimsAsync(cancellationToken);
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

    private async ValueTask<int> ExpireAsync(CancellationToken cancellationToken)
    {
        int expired = 0;
        long unlisted = 0;
        IReadOnlyCollection<UploadId> counted = _uploads.Counted;
        var unfinished = new ConcurrentDictionary<UploadId, string>();
        var joined = new ConcurrentDictionary<string, bool>(StringComparer.Ordinal);
        await Parallel.ForEachAsync(
            ListUploadsAsync(cancellationToken),
            new ParallelOptions { MaxDegreeOfParallelism = MaxReads, CancellationToken = cancellationToken },
            async (objects, _) =>
            {
                if (!UploadId.TryParse(objects.Id, out UploadId id))
                {
                    return;
                }

                DateTimeOffset now = _clock.Now;
                UploadRecord? record = await objects.ReadAsync(_bucket, cancellationToken);
                if (objects.Started is null || record is null)
                {
                    // Its start or its end was interrupted.
                    if (objects.Touched + Options.UploadLifetime < now && await TrySweepAsync(objects, record, cancellationToken))
                    {
                        Interlocked.Increment(ref expired);
                    }
                }
                else if (objects.Expires(record.HasBytes, Options) < now && !_uploads.Get(id).IsHeld)
                {
                    // A published upload only loses the record that it was one.
                    if (await AbortUploadAsync(id, cancellationToken) && record.Published is null)
                    {
                        Interlocked.Increment(ref expired);
                    }
                }
                else
                {
                    foreach (string part in record.Joined ?? [])
                    {
                        joined[part] = true;
                    }

                    if (record.Published is null)
                    {
                        unfinished[id] = record.Caller ?? "";

                        // What this server holds is counted while it is received.
                        if (!objects.HasData && !_uploads.Get(id).IsHeld)
                        {
                            Interlocked.Add(ref unlisted, record.End);
                        }
                    }
                    else
                    {
                        _uploads.Finish(id);
                    }
                }
            });

        foreach ((UploadId id, string caller) in unfinished)
        {
            if (joined.ContainsKey(id.Value))
            {
                _uploads.Finish(id);
            }
            else
            {
                _uploads.Add(id, caller);
            }
        }

        // An upload that is just being started is counted before its objects are in the bucket: it has to be missing twice.
        HashSet<UploadId> missing = [.. counted.Where(id => !unfinished.ContainsKey(id))];
        foreach (UploadId gone in missing.Where(_missing.Contains))
        {
            _uploads.Release(gone);
        }

        _missing = missing;
        _unlisted = unlisted;
        _uploads.Trim();
        _counted.TrySetResult();
        return expired;
    }

    private async ValueTask<bool> TrySweepAsync(UploadObjects objects, UploadRecord? record, CancellationToken cancellationToken)
    {
        if (record is { MultipartId: { } multipart, Published: null })
        {
            string key = record.Name.Length == 0 ? UploadObjects.DataOf(objects.Prefix) : _keys.Of(record.ToName());
            await _bucket.AbortAsync(key, multipart, cancellationToken);
        }

        foreach (S3Object old in objects.All)
        {
            await _bucket.DeleteAsync(old.Key, cancellationToken);
        }

        return true;
    }

    /// <summary>The uploads of the bucket, one after the other: their objects are listed together.</summary>
    private async IAsyncEnumerable<UploadObjects> ListUploadsAsync(
        [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken cancellationToken)
    {
        string? prefix = null;
        var objects = new List<S3Object>();
        await foreach (S3Object found in _bucket.ListAllAsync(_keys.Uploads, cancellationToken))
        {
            if (prefix is not null && !found.Key.StartsWith(prefix, StringComparison.Ordinal))
            {
                yield return new UploadObjects(prefix, objects);
                objects = [];
                prefix = null;
            }

            int slash = found.Key.IndexOf('/', _keys.Uploads.Length);
            prefix ??= found.Key[..(slash + 1)];
            objects.Add(found);
        }

        if (prefix is not null)
        {
            yield return new UploadObjects(prefix, objects);
        }
    }

    /// <summary>A server that was killed during a simple upload leaves a multipart upload that nobody knows.</summary>
    private async ValueTask EndAbandonedPartsAsync(CancellationToken cancellationToken)
    {
        var request = new ListMultipartUploadsRequest { BucketName = _bucket.Name, Prefix = _keys.OfFolder(default) };
        ListMultipartUploadsResponse page;
        do
        {
            page = await _bucket.Client.ListMultipartUploadsAsync(request, cancellationToken);
            foreach (MultipartUpload upload in page.MultipartUploads ?? [])
            {
                if (IsOld(upload.Initiated) && IsOld(await LastPartAsync(upload, cancellationToken)))
                {
                    await _bucket.AbortAsync(upload.Key, upload.UploadId, cancellationToken);
                    if (_keys.TryName(upload.Key, out TransferName name))
                    {
                        await DeleteOrphanDigestAsync(name, cancellationToken);
                    }
                }
            }

            (request.KeyMarker, request.UploadIdMarker) = (page.NextKeyMarker, page.NextUploadIdMarker);
        }
        while (page.IsTruncated is true);
    }

    /// <summary>When the last part of a multipart upload was written; null if it has none.</summary>
    private async ValueTask<DateTime?> LastPartAsync(MultipartUpload upload, CancellationToken cancellationToken)
    {
        DateTime? last = null;
        var request = new ListPartsRequest { BucketName = _bucket.Name, Key = upload.Key, UploadId = upload.UploadId };
        ListPartsResponse page;
        do
        {
            try
            {
                page = await _bucket.Client.ListPartsAsync(request, cancellationToken);
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

    private bool IsOld(DateTime? time) => time is null || FileMetadata.Time(time) + Options.UploadLifetime < _clock.Now;

    private async ValueTask DeleteDeadClaimsAsync(CancellationToken cancellationToken)
    {
        await foreach (S3Object claim in _bucket.ListAllAsync(_keys.Claims, cancellationToken))
        {
            if (FileMetadata.Time(claim.LastModified) + DeadClaim < _clock.Now)
            {
                await _bucket.DeleteAsync(claim.Key, cancellationToken);
            }
        }
    }

    /// <summary>Refuses announced bytes that do not fit.</summary>
    private async ValueTask CheckTotalAsync(TransferName name, long coming, CancellationToken cancellationToken)
    {
        if (_quota.NeedsCount(coming))
        {
            await _counting.WaitAsync(cancellationToken);
            try
            {
                if (_quota.NeedsCount(coming))
                {
                    await CountAsync(cancellationToken);
                }
            }
            finally
            {
                _counting.Release();
            }
        }

        _quota.Check(name, coming);
    }

    /// <summary>Expires uploads, and counts what the files and the unfinished uploads have together.</summary>
    private ValueTask CountAsync(CancellationToken cancellationToken) => _quota.CountAsync(async () =>
    {
        await ExpireUploadsAsync(cancellationToken);
        long used = _unlisted;
        await foreach (S3Object found in _bucket.ListAllAsync(_keys.OfFolder(default), cancellationToken))
        {
            used += found.Size ?? 0;
        }

        return used;
    });

    private async Task UpkeepAsync()
    {
        TimeSpan shortest = Options.UploadLifetime < Options.EmptyUploadLifetime ? Options.UploadLifetime : Options.EmptyUploadLifetime;
        TimeSpan period = shortest / 4;
        period = period > LongestPeriod ? LongestPeriod : period < ShortestPeriod ? ShortestPeriod : period;
        using var timer = new PeriodicTimer(period, Options.Clock);
        do
        {
            try
            {
                if (!_quota.IsLimited)
                {
                    await ExpireUploadsAsync(_end.Token);
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
}
