namespace Millrace.Transfer.S3;

/// <summary>The uploads of a bucket. Thread-safe.</summary>
internal sealed class S3Uploads(S3Store store, UploadRegistry registry, S3Upkeep upkeep, Publisher publisher) : IUploadStore
{
    private readonly UploadJoin _join = new(store);

    public UploadExpiry? Expiring
    {
        get => upkeep.Expiring;
        set => upkeep.Expiring = value;
    }

    public async ValueTask<StoredUpload> StartAsync(StartUploadOptions options, CancellationToken cancellationToken)
    {
        S3Upload upload = await StartAsync(options, UploadTerms.Of<UploadRecord>(options), cancellationToken);
        return Open(upload, upload.ToStatus());
    }

    public async ValueTask<StoredUpload?> FindAsync(UploadId id, CancellationToken cancellationToken)
    {
        if (id.Value is null)
        {
            return null;
        }

        S3Upload upload = registry.Get(id);
        if (await upload.FindAsync(cancellationToken) is { } status)
        {
            return Open(upload, status);
        }

        registry.Forget(id);
        return null;
    }

    public async ValueTask<StoredUpload> JoinAsync(
        StartUploadOptions options, IReadOnlyList<UploadId> parts, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(parts);
        var holders = new List<TakeoverLock.Holder>();
        try
        {
            var sources = new List<UploadJoin.Source>();
            foreach (UploadId part in parts)
            {
                S3Upload upload = part.Value is null ? throw Errors.NoUpload(part) : registry.Get(part);
                if (!sources.Exists(source => source.Upload == upload))
                {
                    // Held, so that it is not deleted meanwhile.
                    holders.Add(await upload.AcquireAsync(evenExpired: false, cancellationToken));
                }

                sources.Add(await _join.ToSourceAsync(upload, cancellationToken));
            }

            UploadRecord record = UploadTerms.Of<UploadRecord>(options) with
            {
                Length = sources.Sum(static source => source.Length),
                Joined = [.. parts.Select(static part => part.Value)],
            };
            S3Upload whole = await StartAsync(options, record, cancellationToken);
            try
            {
                using TakeoverLock.Holder holder = await whole.AcquireAsync(evenExpired: false, cancellationToken);
                await _join.JoinAsync(whole, sources, cancellationToken);
            }
            catch
            {
                await registry.RemoveAsync(whole.Id, CancellationToken.None);
                throw;
            }

            foreach (UploadId part in parts)
            {
                registry.Finish(part);
            }

            return Open(whole, whole.ToStatus());
        }
        catch (Exception exception) when (S3Errors.IsOfStore(exception))
        {
            throw S3Errors.Translate(exception, options.Name.Value);
        }
        finally
        {
            holders.ForEach(static holder => holder.Dispose());
        }
    }

    public ValueTask<int> ExpireAsync(CancellationToken cancellationToken) => upkeep.ExpireAsync(cancellationToken);

    private S3UploadRequest Open(S3Upload upload, UploadStatus status) => new(store, registry, upkeep, publisher, upload, status);

    private async ValueTask<S3Upload> StartAsync(
        StartUploadOptions options, UploadRecord record, CancellationToken cancellationToken)
    {
        await upkeep.Counted.WaitAsync(cancellationToken);
        long length = record.Length ?? 0;
        UploadRules.ThrowIfNotStartable(options, length);
        store.CheckLength(options.Name, length);
        if (!options.Name.IsRoot)
        {
            _ = store.Keys.Of(options.Name);
            await publisher.CheckFoldersAsync(options.Name, cancellationToken);
            if (!options.IsPreconditionChecked)
            {
                await publisher.CheckAsync(options.Name, options.Precondition, cancellationToken);
            }
        }

        await upkeep.CheckTotalAsync(options.Name, length, cancellationToken);
        UploadId id = UploadId.Next();
        registry.Take(id, options.Name, record.Caller!);
        try
        {
            while (registry.TakeSurplus() is { } oldest)
            {
                await registry.RemoveAsync(oldest, cancellationToken);
            }

            S3Upload upload = registry.Get(id);
            await upload.StartAsync(
                record with { FileVersion = FileMetadata.NewVersion(), PartBytes = PartPlan.For(record.Length, store.Options).FixedBytes },
                cancellationToken);
            return upload;
        }
        catch
        {
            registry.Release(id);
            registry.Forget(id);
            throw;
        }
    }
}
