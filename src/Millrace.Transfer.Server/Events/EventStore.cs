namespace Millrace.Transfer.Server;

/// <summary>A store that reports its changes. Thread-safe.</summary>
internal class EventStore : IFileStore
{
    private readonly FileEvents _events;
    private readonly string? _by;

    protected EventStore(IFileStore inner, FileEvents events, string? by)
    {
        Inner = inner;
        _events = events;
        _by = by;
        Uploads = new EventUploads(this, inner.Uploads);
    }

    public IFileStore Inner { get; }

    public long? MaxFileBytes => Inner.MaxFileBytes;

    public IUploadStore Uploads { get; }

    public bool CanMoveFolders => Inner.CanMoveFolders;

    public AllowedNames Names => Inner.Names;

    public IStoreDocuments? Documents => Inner.Documents;

    public StoreSpace Space => Inner.Space;

    public IFileTrash? Trash => Inner.Trash is { } trash ? new EventTrash(this, trash) : null;

    private EventOutbox Outbox => _events.Outbox;

    public static EventStore Create(IFileStore inner, FileEvents events, string? by) =>
        inner is IFolderClones clones ? new CloningEventStore(inner, clones, events, by) : new EventStore(inner, events, by);

    public IFileStore Within(TransferName prefix) =>
        Inner.Within(prefix) is var within && ReferenceEquals(within, Inner) ? this : Create(within, _events, _by);

    public IFileStore OnBehalfOf(string? caller) => caller == _by ? this : Create(Inner.OnBehalfOf(caller), _events, caller);

    public IFileStore WithoutTrash() =>
        Inner.WithoutTrash() is var without && ReferenceEquals(without, Inner) ? this : Create(without, _events, _by);

    public ValueTask<StoredFile?> FindAsync(TransferName name, DigestNeed digest, CancellationToken cancellationToken) =>
        Inner.FindAsync(name, digest, cancellationToken);

    public ValueTask<StoredFileReader> OpenReadAsync(TransferName name, DigestNeed digest, CancellationToken cancellationToken) =>
        Inner.OpenReadAsync(name, digest, cancellationToken);

    public async ValueTask<StoredFileWriter> CreateAsync(TransferName name, CreateFileOptions options, CancellationToken cancellationToken) =>
        new Writer(this, name, await Inner.CreateAsync(name, options, cancellationToken));

    public ValueTask<bool> FolderExistsAsync(TransferName folder, CancellationToken cancellationToken) => Inner.FolderExistsAsync(folder, cancellationToken);

    public ValueTask<FilePage> ListAsync(ListFilesOptions options, CancellationToken cancellationToken) => Inner.ListAsync(options, cancellationToken);

    public IAsyncEnumerable<SearchPage> SearchAsync(SearchFilesOptions options, CancellationToken cancellationToken) =>
        Inner.SearchAsync(options, cancellationToken);

    public IAsyncEnumerable<FolderUsage> MeasureAsync(TransferName folder, CancellationToken cancellationToken) =>
        Inner.MeasureAsync(folder, cancellationToken);

    public async ValueTask<bool> DeleteAsync(TransferName name, WritePrecondition precondition, CancellationToken cancellationToken)
    {
        SemaphoreSlim entered = await Outbox.Locks.EnterAsync(name, cancellationToken);
        try
        {
            return await RunAsync(
                FileEvents.New(FileEventKind.Deleted, name, _by),
                () => Inner.DeleteAsync(name, precondition, cancellationToken),
                static (record, deleted) => deleted ? record : null,
                cancellationToken);
        }
        finally
        {
            entered.Release();
        }
    }

    public async ValueTask<bool> DeleteFolderAsync(TransferName folder, DeleteFolderOptions options, CancellationToken cancellationToken)
    {
        using NameLocks.All all = await Outbox.Locks.EnterAllAsync(cancellationToken);
        return await RunAsync(
            FileEvents.New(FileEventKind.Deleted, folder, _by) with { IsFolder = true },
            () => Inner.DeleteFolderAsync(folder, options, cancellationToken),
            static (record, deleted) => deleted ? record : null,
            cancellationToken);
    }

    public async ValueTask<StoredFile?> MoveAsync(TransferName from, TransferName to, MoveOptions options, CancellationToken cancellationToken)
    {
        if (FileEvents.IsFolder(await FileEvents.IdentifyAsync(Inner, from, folders: true, cancellationToken)))
        {
            using NameLocks.All all = await Outbox.Locks.EnterAllAsync(cancellationToken);
            return await MoveAsync();
        }

        using NameLocks.Pair both = await Outbox.Locks.EnterAsync(from, to, cancellationToken);
        return await MoveAsync();

        async ValueTask<StoredFile?> MoveAsync() => await RunAsync(
            FileEvents.New(FileEventKind.Moved, to, _by) with
            {
                From = from.Value,
                Target = await FileEvents.IdentifyAsync(Inner, to, folders: true, cancellationToken),
            },
            () => Inner.MoveAsync(from, to, options, cancellationToken),
            static (record, file) => file is null ? record with { IsFolder = true } : record.With(file),
            cancellationToken);
    }

    public ValueTask<StoredFile> CopyAsync(TransferName from, TransferName to, MoveOptions options, CancellationToken cancellationToken) =>
        PublishAsync(
            to,
            canRepeat: false,
            async recorded =>
            {
                await recorded;
                return await Inner.CopyAsync(from, to, options, cancellationToken);
            },
            cancellationToken);

    public ValueTask<StoredFile> SetModifiedAsync(
        TransferName name, FileTime modified, WritePrecondition precondition, CancellationToken cancellationToken) =>
        Inner.SetModifiedAsync(name, modified, precondition, cancellationToken);

    public async ValueTask CreateFolderAsync(TransferName folder, CancellationToken cancellationToken)
    {
        SemaphoreSlim entered = await Outbox.Locks.EnterAsync(folder, cancellationToken);
        try
        {
            await RunAsync(
                FileEvents.New(FileEventKind.Created, folder, _by) with { IsFolder = true },
                async () =>
                {
                    await Inner.CreateFolderAsync(folder, cancellationToken);
                    return true;
                },
                static (record, _) => record,
                cancellationToken);
        }
        finally
        {
            entered.Release();
        }
    }

    /// <summary>Reports a new version of a file.</summary>
    /// <param name="name">The file.</param>
    /// <param name="canRepeat">Whether what publishes it may only say that it was published before.</param>
    /// <param name="publish">Publishes it, after the task that it gets.</param>
    /// <param name="cancellationToken">Until it begins.</param>
    private async ValueTask<StoredFile> PublishAsync(
        TransferName name, bool canRepeat, Func<Task, ValueTask<StoredFile>> publish, CancellationToken cancellationToken)
    {
        SemaphoreSlim entered = await Outbox.Locks.EnterAsync(name, cancellationToken);
        try
        {
            (EventRecord begun, Task recorded) = await Outbox.RecordAsync(
                FileEvents.New(FileEventKind.Replaced, name, _by),
                ended => FileEvents.IdentifyAsync(Inner, name, folders: false, ended),
                isForced: false,
                cancellationToken);
            StoredFile file;
            try
            {
                file = await publish(recorded);
            }
            catch
            {
                await SettleByLookingAsync(begun);
                throw;
            }

            if (canRepeat)
            {
                await SettleByLookingAsync(begun);
            }
            else
            {
                await Outbox.SettleAsync(begun, begun.With(file));
            }

            return file;
        }
        finally
        {
            entered.Release();
        }
    }

    private async ValueTask<T> RunAsync<T>(
        EventRecord record, Func<ValueTask<T>> change, Func<EventRecord, T, EventRecord?> happened, CancellationToken cancellationToken)
    {
        EventRecord begun = await BeginAsync(record, cancellationToken);
        T result;
        try
        {
            result = await change();
        }
        catch
        {
            await SettleByLookingAsync(begun);
            throw;
        }

        await Outbox.SettleAsync(begun, happened(begun, result));
        return result;
    }

    private ValueTask<EventRecord> BeginAsync(EventRecord record, CancellationToken cancellationToken)
    {
        bool folders = record.IsFolder || record.Kind != FileEventKind.Replaced;
        TransferName name = TransferName.Parse(record.From ?? record.Name);
        return Outbox.BeginAsync(record, ended => FileEvents.IdentifyAsync(Inner, name, folders, ended), isForced: false, cancellationToken);
    }

    /// <summary>After a failure the change may have happened or not.</summary>
    private async ValueTask SettleByLookingAsync(EventRecord begun)
    {
        try
        {
            await Outbox.SettleAsync(begun, await FileEvents.HasHappenedAsync(Inner, begun, CancellationToken.None));
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            Outbox.Leave(begun);
        }
    }

    private sealed class Writer(EventStore store, TransferName name, StoredFileWriter inner) : StoredFileWriter
    {
        public override PipeWriter Output => inner.Output;

        public override ValueTask<StoredFile> CommitAsync(Sha256Digest? expected, CancellationToken cancellationToken) =>
            store.PublishAsync(
                name,
                canRepeat: false,
                async recorded =>
                {
                    if (inner is LocalFileWriter local)
                    {
                        return await local.CommitAsync(expected, recorded, cancellationToken);
                    }

                    await recorded;
                    return await inner.CommitAsync(expected, cancellationToken);
                },
                cancellationToken);

        public override ValueTask DisposeAsync() => inner.DisposeAsync();
    }

    private sealed class EventUploads(EventStore store, IUploadStore inner) : IUploadStore
    {
        public async ValueTask<StoredUpload> StartAsync(StartUploadOptions options, CancellationToken cancellationToken) =>
            await StartedAsync(await inner.StartAsync(options with { IsReported = true }, cancellationToken));

        public async ValueTask<StoredUpload?> FindAsync(UploadId id, CancellationToken cancellationToken) =>
            await inner.FindAsync(id, cancellationToken) is { } found ? new Upload(store, found) : null;

        public async ValueTask<StoredUpload> JoinAsync(
            StartUploadOptions options, IReadOnlyList<UploadId> parts, CancellationToken cancellationToken) =>
            await StartedAsync(await inner.JoinAsync(options with { IsReported = true }, parts, cancellationToken));

        public ValueTask<int> ExpireAsync(CancellationToken cancellationToken) => inner.ExpireAsync(cancellationToken);

        /// <summary>Recorded before the client knows the upload.</summary>
        private async ValueTask<StoredUpload> StartedAsync(StoredUpload upload)
        {
            try
            {
                UploadStatus status = upload.Status;
                EventRecord begun = await store.Outbox.BeginAsync(
                    FileEvents.New(FileEventKind.UploadStarted, status.Name, store._by) with { Upload = FileEvents.NameOf(status.Id), Length = status.Length },
                    static _ => default,
                    isForced: false,
                    CancellationToken.None);
                await store.Outbox.SettleAsync(begun, begun);
                return new Upload(store, upload);
            }
            catch
            {
                await upload.DeleteAsync(CancellationToken.None);
                await upload.DisposeAsync();
                throw;
            }
        }
    }

    private sealed class Upload(EventStore store, StoredUpload inner) : ForwardingUpload(inner)
    {
        public override ValueTask<StoredFile> CompleteAsync(Sha256Digest? expected, CancellationToken cancellationToken) =>
            Status.IsPartial || Status.Published is not null
                ? Inner.CompleteAsync(expected, cancellationToken)
                : store.PublishAsync(
                    Status.Name,
                    canRepeat: store.Inner.Unwrap() is LocalFileStore,
                    async recorded =>
                    {
                        await recorded;
                        return await Inner.CompleteAsync(expected, cancellationToken);
                    },
                    cancellationToken);
    }

    private sealed class EventTrash(EventStore store, IFileTrash inner) : IFileTrash
    {
        public ValueTask<TrashPage> ListAsync(ListTrashOptions options, CancellationToken cancellationToken) => inner.ListAsync(options, cancellationToken);

        public ValueTask<TrashEntry?> FindAsync(string id, CancellationToken cancellationToken) => inner.FindAsync(id, cancellationToken);

        public async ValueTask<TransferName> RestoreAsync(string id, TransferName name, CancellationToken cancellationToken)
        {
            TrashEntry entry = await inner.FindAsync(id, cancellationToken) ?? throw TrashRules.NotFound(id);
            TransferName restored = name.IsRoot ? entry.Name : name;
            using NameLocks.All all = await store.Outbox.Locks.EnterAllAsync(cancellationToken);
            EventRecord begun = await store.BeginAsync(
                FileEvents.New(FileEventKind.Created, restored, store._by) with { IsFolder = entry.IsFolder }, cancellationToken);
            try
            {
                return await inner.RestoreAsync(id, name, cancellationToken);
            }
            finally
            {
                await store.SettleByLookingAsync(begun);
            }
        }

        public ValueTask<bool> DeleteAsync(string id, CancellationToken cancellationToken) => inner.DeleteAsync(id, cancellationToken);
    }

    /// <summary>Of a store that publishes whole folders.</summary>
    private sealed class CloningEventStore(IFileStore inner, IFolderClones clones, FileEvents events, string? by)
        : EventStore(inner, events, by), IFolderClones, ISymbolicLinks
    {
        /// <remarks>No event: a link has no content of its own.</remarks>
        public ValueTask<(StoredFile Link, bool IsNew)> CreateSymbolicLinkAsync(
            TransferName name, string target, WritePrecondition precondition, CancellationToken cancellationToken) =>
            ((ISymbolicLinks)clones).CreateSymbolicLinkAsync(name, target, precondition, cancellationToken);

        /// <inheritdoc cref="CreateSymbolicLinkAsync"/>
        public ValueTask<bool> DeleteSymbolicLinkAsync(
            TransferName name, WritePrecondition precondition, CancellationToken cancellationToken) =>
            ((ISymbolicLinks)clones).DeleteSymbolicLinkAsync(name, precondition, cancellationToken);

        /// <remarks>No event: a program that follows the folder learns of the files when the folder is exchanged for its clone.</remarks>
        public ValueTask<ClonedFolder> CloneFolderAsync(TransferName folder, TransferName clone, CancellationToken cancellationToken) =>
            clones.CloneFolderAsync(folder, clone, cancellationToken);

        public async ValueTask ExchangeFoldersAsync(
            TransferName folder, TransferName other, WritePrecondition precondition, CancellationToken cancellationToken)
        {
            using NameLocks.All all = await Outbox.Locks.EnterAllAsync(cancellationToken);
            EventRecord first = await BeginAsync(New(folder), cancellationToken);
            EventRecord second = await BeginAsync(New(other), cancellationToken);
            try
            {
                await clones.ExchangeFoldersAsync(folder, other, precondition, cancellationToken);
            }
            finally
            {
                await SettleByLookingAsync(first);
                await SettleByLookingAsync(second);
            }
        }

        private EventRecord New(TransferName name) => FileEvents.New(FileEventKind.Replaced, name, _by) with { IsFolder = true };
    }
}
