namespace Millrace.Transfer.Server;

/// <summary>
/// Where files are kept. What arrives is visible under its name only when it is whole, verified and durable; no method
/// needs to write anywhere but at the end, so that an object store can be one too.
/// </summary>
/// <remarks>
/// All members can be called by any number of threads at once. Refusals are <see cref="TransferException"/>s with the
/// reason in <see cref="TransferException.Error"/>; cancellation is <see cref="OperationCanceledException"/>.
/// </remarks>
public interface IFileStore
{
    /// <summary>The largest file that the store accepts, in bytes; null without a limit, or if the store does not know it.</summary>
    long? MaxFileBytes { get; }

    /// <summary>What is known of a file.</summary>
    /// <param name="name">The file.</param>
    /// <param name="digest">Whether <see cref="StoredFile.Sha256"/> is wanted if that takes reading the file.</param>
    /// <param name="cancellationToken">Ends the wait for a digest; it is computed on, for others.</param>
    /// <returns>Null when there is no such file (a folder is none).</returns>
    ValueTask<StoredFile?> FindAsync(TransferName name, DigestNeed digest, CancellationToken cancellationToken);

    /// <summary>Opens one version of a file, which stays what it is while others replace or delete the name.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.NotFound"/>.</exception>
    ValueTask<StoredFileReader> OpenReadAsync(TransferName name, DigestNeed digest, CancellationToken cancellationToken);

    /// <summary>Begins a new file, or a new version of one. Nothing is visible before its commit.</summary>
    ValueTask<StoredFileWriter> CreateAsync(
        TransferName name, CreateFileOptions options, CancellationToken cancellationToken);

    /// <summary>A page of names, in the order of <see cref="TransferName.CompareTo"/>.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.NotFound"/>: there is no such folder.</exception>
    ValueTask<FilePage> ListAsync(ListFilesOptions options, CancellationToken cancellationToken);

    /// <summary>Deletes a file, or an empty folder, durably.</summary>
    /// <returns>False when there was none.</returns>
    ValueTask<bool> DeleteAsync(TransferName name, WritePrecondition precondition, CancellationToken cancellationToken);

    /// <summary>Begins an upload that can be continued after any interruption.</summary>
    ValueTask<UploadStatus> StartUploadAsync(StartUploadOptions options, CancellationToken cancellationToken);

    /// <summary>How far an upload is.</summary>
    /// <param name="id">The upload.</param>
    /// <param name="takeOver">
    /// Whether a request that is still appending is stopped first, so that the offset is final. That is what a client means
    /// that asks after its connection died.
    /// </param>
    /// <param name="cancellationToken">Ends the wait for the other request.</param>
    /// <returns>Null when there is no such upload, or it has expired.</returns>
    ValueTask<UploadStatus?> FindUploadAsync(UploadId id, bool takeOver, CancellationToken cancellationToken);

    /// <summary>Continues an upload; whoever still appends to it is stopped at once.</summary>
    /// <param name="id">The upload.</param>
    /// <param name="offset">Bytes that the caller believes to be there.</param>
    /// <param name="discardable">Whether <see cref="UploadWriter.DiscardAsync"/> may be called, which costs a little.</param>
    /// <param name="cancellationToken">Ends the wait for the other request.</param>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.NotFound"/>, <see cref="TransferError.UploadComplete"/>, or
    /// <see cref="TransferError.OffsetMismatch"/> with the right one in <see cref="TransferException.Offset"/>.
    /// </exception>
    ValueTask<UploadWriter> AppendUploadAsync(
        UploadId id, long offset, bool discardable, CancellationToken cancellationToken);

    /// <summary>Says, or confirms, how long the upload is.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>: another length was said before, or more is there.</exception>
    ValueTask<UploadStatus> SetUploadLengthAsync(UploadId id, long length, CancellationToken cancellationToken);

    /// <summary>Publishes an upload that has all its bytes under its name.</summary>
    /// <param name="id">The upload.</param>
    /// <param name="expected">The digest that it must have; null for whatever it has.</param>
    /// <param name="cancellationToken">Until it begins to be published.</param>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.DigestMismatch"/> (the upload is gone then), <see cref="TransferError.AlreadyExists"/>,
    /// <see cref="TransferError.PreconditionFailed"/> (it is still there, until it expires).
    /// </exception>
    ValueTask<StoredFile> CompleteUploadAsync(UploadId id, Sha256Digest? expected, CancellationToken cancellationToken);

    /// <summary>Joins finished partial uploads, in this order, as the content of a new one.</summary>
    ValueTask<UploadStatus> JoinUploadsAsync(
        StartUploadOptions options, IReadOnlyList<UploadId> parts, CancellationToken cancellationToken);

    /// <summary>Throws an upload away.</summary>
    /// <returns>False when there was none.</returns>
    ValueTask<bool> AbortUploadAsync(UploadId id, CancellationToken cancellationToken);

    /// <summary>Throws uploads away that nobody has continued for too long.</summary>
    /// <returns>How many; those that were published are forgotten then and not counted.</returns>
    ValueTask<int> ExpireUploadsAsync(CancellationToken cancellationToken);
}

/// <summary>How much a file's digest is worth to the caller.</summary>
public enum DigestNeed
{
    /// <summary>Only when it is known already.</summary>
    IfKnown,

    /// <summary>Also when it takes reading a file that is not large; a larger one is read in the background, for the next.</summary>
    IfCheap,

    /// <summary>In any case.</summary>
    Always,
}
