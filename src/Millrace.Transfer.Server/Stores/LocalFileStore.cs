namespace Millrace.Transfer.Server;

/// <summary>
/// A store in a folder: names are paths below it, everything is published by <see cref="FilePipeWriter.CommitAsync"/>, and
/// uploads and digests are kept in <see cref="TransferName.HiddenFolder"/>.
/// </summary>
public sealed partial class LocalFileStore : IFileStore, IAsyncDisposable
{
    /// <summary>Opens the store of a folder.</summary>
    /// <param name="root">The folder; it has to exist.</param>
    /// <param name="options">How files are kept; null for the defaults.</param>
    public LocalFileStore(string root, LocalFileStoreOptions? options = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(root);
        Root = Path.GetFullPath(root);
        Options = options ?? new LocalFileStoreOptions();
    }

    /// <summary>The folder, as an absolute path.</summary>
    public string Root { get; }

    /// <summary>How files are kept.</summary>
    public LocalFileStoreOptions Options { get; }

    /// <inheritdoc/>
    public ValueTask<StoredFile?> FindAsync(TransferName name, DigestNeed digest, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    /// <inheritdoc/>
    public ValueTask<StoredFileReader> OpenReadAsync(
        TransferName name, DigestNeed digest, CancellationToken cancellationToken) => throw new NotSupportedException();

    /// <inheritdoc/>
    public ValueTask<StoredFileWriter> CreateAsync(
        TransferName name, CreateFileOptions options, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    /// <inheritdoc/>
    public ValueTask<FilePage> ListAsync(ListFilesOptions options, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    /// <inheritdoc/>
    public ValueTask<bool> DeleteAsync(
        TransferName name, WritePrecondition precondition, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    /// <inheritdoc/>
    public ValueTask<UploadStatus> StartUploadAsync(StartUploadOptions options, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    /// <inheritdoc/>
    public ValueTask<UploadStatus?> FindUploadAsync(UploadId id, bool takeOver, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    /// <inheritdoc/>
    public ValueTask<UploadWriter> AppendUploadAsync(
        UploadId id, long offset, bool discardable, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    /// <inheritdoc/>
    public ValueTask<UploadStatus> SetUploadLengthAsync(UploadId id, long length, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    /// <inheritdoc/>
    public ValueTask<StoredFile> CompleteUploadAsync(
        UploadId id, Sha256Digest? expected, CancellationToken cancellationToken) => throw new NotSupportedException();

    /// <inheritdoc/>
    public ValueTask<UploadStatus> JoinUploadsAsync(
        StartUploadOptions options, IReadOnlyList<UploadId> parts, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    /// <inheritdoc/>
    public ValueTask<bool> AbortUploadAsync(UploadId id, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    /// <inheritdoc/>
    public ValueTask<int> ExpireUploadsAsync(CancellationToken cancellationToken) => throw new NotSupportedException();

    /// <summary>Ends what runs in the background.</summary>
    public ValueTask DisposeAsync() => default;
}
