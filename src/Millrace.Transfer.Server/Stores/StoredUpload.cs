using System.Diagnostics.CodeAnalysis;

namespace Millrace.Transfer.Server;

/// <summary>One upload, as one request uses it. Its first change takes the upload over from every other request.</summary>
/// <remarks>
/// Not thread-safe. Between two calls the upload stays with this request until it is disposed, or until another request takes the
/// upload over, which then does not have to wait; the next call takes it back. Disposing it changes nothing about the upload.
/// </remarks>
[Experimental("MILLRACE001")]
public abstract class StoredUpload : IAsyncDisposable
{
    /// <summary>The upload as this request knows it; final once it was taken over.</summary>
    public abstract UploadStatus Status { get; }

    /// <summary>Which upload.</summary>
    public UploadId Id => Status.Id;

    /// <summary>Stops a request that still appends, so that the offset is final: for a client whose connection died.</summary>
    /// <param name="cancellationToken">Ends the wait for the other request.</param>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.NotFound"/>: it was deleted. <see cref="TransferError.Superseded"/>: the other request does not end.
    /// </exception>
    public abstract ValueTask TakeOverAsync(CancellationToken cancellationToken);

    /// <summary>Sets or confirms the length.</summary>
    /// <param name="length">Bytes of the whole.</param>
    /// <param name="cancellationToken">Ends the wait for another request.</param>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>: another length was set before, or there are more bytes.</exception>
    public abstract ValueTask SetLengthAsync(long length, CancellationToken cancellationToken);

    /// <summary>Appends bytes. A request that still appends is stopped at once.</summary>
    /// <param name="offset">The offset that the caller expects.</param>
    /// <param name="discardable">Whether <see cref="UploadWriter.DiscardAsync"/> may be called, which costs a little.</param>
    /// <param name="cancellationToken">Ends the wait for the other request.</param>
    /// <returns>The writer, to be disposed before anything else is done with the upload.</returns>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.NotFound"/>, <see cref="TransferError.UploadComplete"/>, or
    /// <see cref="TransferError.OffsetMismatch"/> with the right one in <see cref="TransferException.Offset"/>.
    /// </exception>
    public abstract ValueTask<UploadWriter> AppendAsync(long offset, bool discardable, CancellationToken cancellationToken);

    /// <summary>Publishes the upload, which has all its bytes, under its name.</summary>
    /// <param name="expected">The digest that it must have; null for any.</param>
    /// <param name="cancellationToken">Until it begins to be published.</param>
    /// <returns>The file; the same again if it was published before.</returns>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.DigestMismatch"/> (the upload is gone then), <see cref="TransferError.AlreadyExists"/>,
    /// <see cref="TransferError.PreconditionFailed"/> (it is still there, until it expires).
    /// </exception>
    public abstract ValueTask<StoredFile> CompleteAsync(Sha256Digest? expected, CancellationToken cancellationToken);

    /// <summary>Deletes the upload.</summary>
    /// <returns>False if it was gone already.</returns>
    public abstract ValueTask<bool> DeleteAsync(CancellationToken cancellationToken);

    /// <summary>Lets go of the upload.</summary>
    public abstract ValueTask DisposeAsync();
}
