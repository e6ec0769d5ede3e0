namespace Millrace.Transfer.Server;

/// <summary>
/// Stores files. A file is visible under its name only when it is complete, verified and durable. All methods append only, so
/// that an object store can implement the contract.
/// </summary>
/// <remarks>
/// All members can be called by any number of threads at once. Refusals are <see cref="TransferException"/>s with the
/// reason in <see cref="TransferException.Error"/>; cancellation is <see cref="OperationCanceledException"/>.
/// </remarks>
public interface IFileStore
{
    /// <summary>The largest file that the store accepts, in bytes; null without a limit, or if the store does not know it.</summary>
    long? MaxFileBytes { get; }

    /// <summary>Uploads that take several requests and become files of this store.</summary>
    IUploadStore Uploads { get; }

    /// <summary>Whether <see cref="MoveAsync"/> moves folders; the page offers it only then.</summary>
    bool CanMoveFolders => true;

    /// <summary>
    /// The names that the store takes: requests for others are refused before they reach it. Only portable ones by default; a store that
    /// takes others has to be safe with each <see cref="TransferName"/>.
    /// </summary>
    AllowedNames Names => AllowedNames.Portable;

    /// <summary>
    /// Small documents that the server keeps with the files: locks, properties that clients set, and links to folders; null for a store
    /// that has no place for them.
    /// </summary>
    IStoreDocuments? Documents => null;

    /// <summary>The bytes that the store has and may still take; without a value where it does not know them.</summary>
    StoreSpace Space => default;

    /// <summary>
    /// The same store for a caller that may use one folder or one file only. Names stay relative to the root of the store. Links
    /// below the folder that lead out of it are refused; the folder itself may be a link.
    /// </summary>
    /// <param name="prefix">The folder or file; the root for everything.</param>
    /// <returns>This one, for a store without links. It is not to be disposed.</returns>
    IFileStore Within(TransferName prefix);

    /// <summary>Deleted and replaced files; null if the store does not keep them.</summary>
    IFileTrash? Trash => null;

    /// <summary>The same store for the requests of a caller, whose name is recorded in the trash with the files that it deletes.</summary>
    /// <param name="caller">The name of the token or user; null if it is anonymous.</param>
    /// <returns>This one, for a store that records no names. It is not to be disposed.</returns>
    IFileStore OnBehalfOf(string? caller) => this;

    /// <summary>
    /// The same store, which keeps nothing in the trash that is deleted by it: for files that no client has written, such as the empty file of a
    /// lock. What is replaced is kept nevertheless.
    /// </summary>
    /// <returns>This one, for a store without a trash. It is not to be disposed.</returns>
    IFileStore WithoutTrash() => this;

    /// <summary>Finds a file.</summary>
    /// <param name="name">The file.</param>
    /// <param name="digest">Whether <see cref="StoredFile.Sha256"/> is needed if that requires reading the file.</param>
    /// <param name="cancellationToken">Ends the wait for a digest, which is computed nevertheless for others.</param>
    /// <returns>Null if there is no such file, or it is a folder.</returns>
    ValueTask<StoredFile?> FindAsync(TransferName name, DigestNeed digest, CancellationToken cancellationToken);

    /// <summary>Opens one version of a file, which stays the same while others replace or delete the name.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.NotFound"/>.</exception>
    ValueTask<StoredFileReader> OpenReadAsync(TransferName name, DigestNeed digest, CancellationToken cancellationToken);

    /// <summary>Starts a new file or a new version. Nothing is visible before the commit.</summary>
    ValueTask<StoredFileWriter> CreateAsync(
        TransferName name, CreateFileOptions options, CancellationToken cancellationToken);

    /// <summary>Whether there is a folder, which is not listed for that.</summary>
    /// <param name="folder">The folder; <c>default</c> for the root.</param>
    /// <param name="cancellationToken">Cancels the question.</param>
    ValueTask<bool> FolderExistsAsync(TransferName folder, CancellationToken cancellationToken);

    /// <summary>Lists a page of names in the order of <see cref="TransferName.CompareTo"/>.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.NotFound"/>: there is no such folder.</exception>
    ValueTask<FilePage> ListAsync(ListFilesOptions options, CancellationToken cancellationToken);

    /// <summary>
    /// Finds files and folders below a folder by words in their names. A page comes when something was found, and otherwise from time to
    /// time; the next one is looked for when it is asked for. By default with <see cref="ListAsync"/>, which lists no empty folders.
    /// </summary>
    /// <param name="options">The folder and the words.</param>
    /// <param name="cancellationToken">Ends the search.</param>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.NotFound"/>: there is no such folder; <see cref="TransferError.InvalidRequest"/>: no word was given.
    /// </exception>
    IAsyncEnumerable<SearchPage> SearchAsync(SearchFilesOptions options, CancellationToken cancellationToken) =>
        ListedSearch.SearchAsync(this, options, cancellationToken);

    /// <summary>Counts the content of a folder, at any depth; the last value is the total. Each value is counted when it is requested.</summary>
    /// <param name="folder">The folder; <c>default</c> for the root.</param>
    /// <param name="cancellationToken">Ends the count.</param>
    /// <exception cref="TransferException"><see cref="TransferError.NotFound"/>: there is no such folder.</exception>
    IAsyncEnumerable<FolderUsage> MeasureAsync(TransferName folder, CancellationToken cancellationToken) =>
        ListedSearch.MeasureAsync(this, folder, cancellationToken);

    /// <summary>Deletes a file, or an empty folder, durably.</summary>
    /// <returns>False when there was none.</returns>
    ValueTask<bool> DeleteAsync(TransferName name, WritePrecondition precondition, CancellationToken cancellationToken);

    /// <summary>Deletes a folder with everything in it.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="options">For a store that hides names: see <see cref="FileStoreExtensions.Hiding"/>. Others ignore it.</param>
    /// <param name="cancellationToken">Until it begins to be deleted.</param>
    /// <returns>False when there was no such folder.</returns>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.InvalidRequest"/> with <see cref="TransferException.Omitted"/>: something in it is in no listing.
    /// </exception>
    ValueTask<bool> DeleteFolderAsync(TransferName folder, DeleteFolderOptions options, CancellationToken cancellationToken);

    /// <summary>Moves or renames a file, or a folder with everything in it, in one step and durably.</summary>
    /// <param name="from">The file or folder.</param>
    /// <param name="to">Its new name. The folder that it is in must exist.</param>
    /// <param name="options">The precondition, and whether a file may be replaced.</param>
    /// <param name="cancellationToken">Until it begins to be moved.</param>
    /// <returns>The file under its new name; null for a folder.</returns>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.NotFound"/>; <see cref="TransferError.AlreadyExists"/>: something has the new name;
    /// <see cref="TransferError.PreconditionFailed"/>; <see cref="TransferError.InvalidRequest"/>: a folder into itself, or what this
    /// store cannot do in one step. Nothing was moved then.
    /// </exception>
    ValueTask<StoredFile?> MoveAsync(
        TransferName from, TransferName to, MoveOptions options, CancellationToken cancellationToken);

    /// <summary>Copies a file with its time, in one step and durably. Its bytes do not pass through this process where the store can avoid that.</summary>
    /// <param name="from">The file.</param>
    /// <param name="to">The name of the copy. The folder that it is in must exist.</param>
    /// <param name="options">The precondition, and whether a file may be replaced.</param>
    /// <param name="cancellationToken">Until the copy begins to be published.</param>
    /// <returns>The copy.</returns>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.NotFound"/>; <see cref="TransferError.AlreadyExists"/>: something has the new name;
    /// <see cref="TransferError.PreconditionFailed"/>; <see cref="TransferError.NoSpace"/>. Nothing was copied then.
    /// </exception>
    ValueTask<StoredFile> CopyAsync(
        TransferName from, TransferName to, MoveOptions options, CancellationToken cancellationToken) =>
        StoreCopy.RunAsync(this, from, to, options, cancellationToken);

    /// <summary>Sets when a file was last changed.</summary>
    /// <param name="name">The file.</param>
    /// <param name="modified">The time.</param>
    /// <param name="precondition">The condition on the file.</param>
    /// <param name="cancellationToken">Until it begins to be set.</param>
    /// <returns>The file, which may have another tag.</returns>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.NotFound"/>; <see cref="TransferError.PreconditionFailed"/>;
    /// <see cref="TransferError.InvalidRequest"/>: the store cannot do that.
    /// </exception>
    ValueTask<StoredFile> SetModifiedAsync(
        TransferName name, FileTime modified, WritePrecondition precondition, CancellationToken cancellationToken) =>
        throw new TransferException(TransferError.InvalidRequest, "This store does not change the time of a file.", name.Value)
        {
            Status = StatusCodes.Status501NotImplemented,
        };

    /// <summary>Creates an empty folder, durably.</summary>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.AlreadyExists"/>; <see cref="TransferError.NotFound"/>: its parent folder does not exist.
    /// </exception>
    ValueTask CreateFolderAsync(TransferName folder, CancellationToken cancellationToken);
}

/// <summary>The room in a store.</summary>
/// <param name="AvailableBytes">Bytes that it may still take; null if unknown.</param>
/// <param name="UsedBytes">Bytes that are taken; null if unknown.</param>
public readonly record struct StoreSpace(long? AvailableBytes, long? UsedBytes);

/// <summary>How much work a file's digest is worth to the caller.</summary>
public enum DigestNeed
{
    /// <summary>Only if it is known already.</summary>
    IfKnown,

    /// <summary>Also if that requires reading a small file; a larger one is read in the background for later requests.</summary>
    IfCheap,

    /// <summary>Always.</summary>
    Always,
}
