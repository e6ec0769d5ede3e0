namespace Millrace.Transfer.Server;

/// <summary>
/// A store as a link sees it by which files can be dropped: it takes new files, in every protocol, and nothing else. Each is counted before
/// its first byte.
/// </summary>
/// <param name="whole">The store, for every caller the same.</param>
/// <param name="inner">The store, confined to the link's folder.</param>
/// <param name="use">The request's use of the link.</param>
internal sealed class DropStore(IFileStore whole, IFileStore inner, LinkUse use) : IFileStore
{
    public IFileStore Whole => whole;

    public long? MaxFileBytes => inner.MaxFileBytes;

    public IUploadStore Uploads { get; } = new DropUploads(inner.Uploads, use);

    public bool CanMoveFolders => false;

    public AllowedNames Names => inner.Names;

    public IFileStore Within(TransferName prefix) => new DropStore(whole, inner.Within(prefix), use);

    public ValueTask<StoredFile?> FindAsync(TransferName name, DigestNeed digest, CancellationToken cancellationToken) =>
        inner.FindAsync(name, digest, cancellationToken);

    public ValueTask<bool> FolderExistsAsync(TransferName folder, CancellationToken cancellationToken) =>
        inner.FolderExistsAsync(folder, cancellationToken);

    public async ValueTask<StoredFileWriter> CreateAsync(TransferName name, CreateFileOptions options, CancellationToken cancellationToken)
    {
        await use.DropAsync(options.Length, cancellationToken);
        try
        {
            return new Writer(
                await inner.CreateAsync(
                    name, options with { Precondition = options.Precondition with { CreateNew = true }, IsPreconditionChecked = false }, cancellationToken),
                use,
                options.Length);
        }
        catch
        {
            await use.GiveBackAsync(1, options.Length ?? 0);
            throw;
        }
    }

    public ValueTask<StoredFileReader> OpenReadAsync(TransferName name, DigestNeed digest, CancellationToken cancellationToken) => throw Refused();

    public ValueTask<FilePage> ListAsync(ListFilesOptions options, CancellationToken cancellationToken) => throw Refused();

    public ValueTask<bool> DeleteAsync(TransferName name, WritePrecondition precondition, CancellationToken cancellationToken) => throw Refused();

    public ValueTask<bool> DeleteFolderAsync(TransferName folder, DeleteFolderOptions options, CancellationToken cancellationToken) => throw Refused();

    public ValueTask<StoredFile?> MoveAsync(TransferName from, TransferName to, MoveOptions options, CancellationToken cancellationToken) => throw Refused();

    public ValueTask CreateFolderAsync(TransferName folder, CancellationToken cancellationToken) => throw Refused();

    private static TransferException Refused() => new(TransferError.Forbidden, LinkHandler.Refused);

    private sealed class DropUploads(IUploadStore inner, LinkUse use) : IUploadStore
    {
        public async ValueTask<StoredUpload> StartAsync(StartUploadOptions options, CancellationToken cancellationToken)
        {
            if (options.Name.IsRoot)
            {
                throw new TransferException(TransferError.Forbidden, "A link takes files, and no parts of files to be joined. Upload the file as a whole.");
            }

            await use.DropAsync(options.Length, cancellationToken);
            try
            {
                return new Upload(
                    await inner.StartAsync(
                        options with { Precondition = options.Precondition with { CreateNew = true }, IsPreconditionChecked = false }, cancellationToken),
                    use);
            }
            catch
            {
                await use.GiveBackAsync(1, options.Length ?? 0);
                throw;
            }
        }

        public async ValueTask<StoredUpload?> FindAsync(UploadId id, CancellationToken cancellationToken) =>
            await inner.FindAsync(id, cancellationToken) is { } found ? new Upload(found, use) : null;

        public ValueTask<StoredUpload> JoinAsync(
            StartUploadOptions options, IReadOnlyList<UploadId> parts, CancellationToken cancellationToken) => throw Refused();

        public ValueTask<int> ExpireAsync(CancellationToken cancellationToken) => inner.ExpireAsync(cancellationToken);
    }

    /// <summary>An upload that is deleted before it is published gives back its share of the link's limits.</summary>
    private sealed class Upload(StoredUpload inner, LinkUse use) : ForwardingUpload(inner)
    {
        public override async ValueTask<bool> DeleteAsync(CancellationToken cancellationToken)
        {
            UploadStatus status = Status;
            bool deleted = await Inner.DeleteAsync(cancellationToken);
            if (deleted && status.Published is null && Status.Published is null)
            {
                await use.GiveBackAsync(1, status.Length ?? 0);
            }

            return deleted;
        }
    }

    private sealed class Writer(StoredFileWriter inner, LinkUse use, long? length) : StoredFileWriter
    {
        private bool _isStored;

        public override PipeWriter Output => inner.Output;

        public override async ValueTask<StoredFile> CommitAsync(Sha256Digest? expected, CancellationToken cancellationToken)
        {
            StoredFile file = await inner.CommitAsync(expected, cancellationToken);
            _isStored = true;
            if (length is null)
            {
                await use.AddAsync(file.Length);
            }

            return file;
        }

        public override async ValueTask DisposeAsync()
        {
            await inner.DisposeAsync();
            if (!_isStored)
            {
                _isStored = true;
                await use.GiveBackAsync(1, length ?? 0);
            }
        }
    }
}
