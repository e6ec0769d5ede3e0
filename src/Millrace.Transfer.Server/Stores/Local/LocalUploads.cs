namespace Millrace.Transfer.Server;

/// <summary>The uploads of a store for callers whose names are published as far as a tree leads. Thread-safe.</summary>
internal sealed class LocalUploads(
    LocalStore store, UploadRegistry registry, LocalFiles files, LocalPublisher publisher, LocalUpkeep upkeep) : IUploadStore
{
    public UploadExpiry? Expiring
    {
        get => upkeep.Expiring;
        set => upkeep.Expiring = value;
    }

    public async ValueTask<StoredUpload> StartAsync(StartUploadOptions options, CancellationToken cancellationToken) =>
        store.Options.ReadOnly
            ? throw Errors.ReadOnly(options.Name)
            : OpenNew(await StartAsync(options, UploadTerms.Of<UploadRecord>(options), cancellationToken));

    public ValueTask<StoredUpload?> FindAsync(UploadId id, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        try
        {
            return new ValueTask<StoredUpload?>(registry.Find(id) is { } upload ? Open(upload) : null);
        }
        catch (TransferException exception) when (exception.Error == TransferError.NotFound)
        {
            // It was deleted meanwhile.
            return default;
        }
    }

    /// <remarks>The kernel copies the parts where it can. They stay until they are deleted or expire.</remarks>
    public async ValueTask<StoredUpload> JoinAsync(
        StartUploadOptions options, IReadOnlyList<UploadId> parts, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(parts);
        if (store.Options.ReadOnly)
        {
            throw Errors.ReadOnly(options.Name);
        }

        LocalUpload[] sources = [.. parts.Select(part => registry.Find(part) ?? throw Errors.NoUpload(part))];
        long length = 0;
        foreach (LocalUpload source in sources)
        {
            UploadStatus status = source.ToStatus();
            UploadRules.ThrowIfNotJoinable(status);
            length += status.Offset;
        }

        UploadRecord record = UploadTerms.Of<UploadRecord>(options) with
        {
            Length = length,
            Parts = [.. parts.Select(static part => part.Value)],
        };
        LocalUpload whole = await StartAsync(options, record, cancellationToken);
        try
        {
            await CopyAsync(sources, whole, length, cancellationToken);
            foreach (LocalUpload source in sources)
            {
                registry.Finish(source);
            }

            return OpenNew(whole);
        }
        catch (Exception exception)
        {
            registry.Remove(whole);
            if (exception is FilePipeException)
            {
                throw Errors.Translate(exception, "join", options.Name);
            }

            throw;
        }
    }

    public ValueTask<int> ExpireAsync(CancellationToken cancellationToken) => upkeep.ExpireAsync(cancellationToken);

    private LocalUploadRequest Open(LocalUpload upload) => new(store, registry, publisher, upload);

    private LocalUploadRequest OpenNew(LocalUpload upload)
    {
        LocalUploadRequest request = Open(upload);
        upload.ForgetRecord();
        return request;
    }

    private static async ValueTask CopyAsync(
        LocalUpload[] sources, LocalUpload whole, long length, CancellationToken cancellationToken)
    {
        whole.Reservation.Reserve(whole.Name, length);
        await using FilePipeWriter data = whole.OpenData();
        foreach (LocalUpload source in sources)
        {
            // Held, so that it is not deleted meanwhile.
            using TakeoverLock.Holder holder = await source.AcquireAsync(cancellationToken);
            using FilePipeReader content = FilePipe.OpenRead(source.DataPath);
            await content.CopyToAsync(data, cancellationToken);
        }

        await data.FlushToDeviceAsync(cancellationToken);
        if (data.Position != length)
        {
            throw new TransferException(TransferError.Changed, "The parts changed while they were joined. Join them again.");
        }
    }

    private async ValueTask<LocalUpload> StartAsync(
        StartUploadOptions options, UploadRecord record, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        long length = record.Length ?? 0;
        UploadRules.ThrowIfNotStartable(options, length);
        store.Names.Check(options.Name);
        store.Limits.CheckFile(options.Name, length);
        if (!options.Name.IsRoot && !options.IsPreconditionChecked)
        {
            await files.CheckAsync(options.Name, options.Precondition, cancellationToken);
        }

        store.Limits.CheckDevice(options.Name, length);
        await store.Limits.CheckTotalAsync(options.Name, length, cancellationToken);
        await registry.ForgetFinishedAsync(cancellationToken);
        UploadCounts.Caller caller = store.Counts.Take(options.Name, record.Caller!);
        var upload = new LocalUpload(UploadId.Next(), record, store.Options.TimeProvider.GetUtcNow(), store, caller);
        try
        {
            Directory.CreateDirectory(upload.Folder);
            File.WriteAllBytes(upload.DataPath, []);

            // This makes the name of the data durable, too.
            await upload.SaveAsync(record);
            FlushFolderOfUploads();
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            upload.ReleaseCount();
            UploadRegistry.TryDeleteFolder(upload.Folder);
            throw Errors.Translate(exception, "begin the upload of", options.Name);
        }

        registry.Add(upload);
        return upload;
    }

    private void FlushFolderOfUploads()
    {
        if (store.Native && store.Options.Durability != Durability.None)
        {
            using var uploads = new NativeFolder(Millrace.Interop.Folder.Open(store.UploadsPath));
            uploads.Flush();
        }
    }
}
