using System.Diagnostics.CodeAnalysis;

namespace Millrace.Transfer.Server;

/// <summary>
/// Appends to an upload. If it is disposed without <see cref="SaveAsync"/>, the bytes that reached the store stay, as after a
/// cut connection.
/// </summary>
[Experimental("MILLRACE001")]
public abstract class UploadWriter : IAsyncDisposable
{
    /// <summary>Where the bytes go.</summary>
    public abstract PipeWriter Output { get; }

    /// <summary>
    /// Canceled when another request takes the upload over. Stop then and dispose this writer: the other request waits for
    /// that.
    /// </summary>
    public abstract CancellationToken Superseded { get; }

    /// <summary>Bytes of the upload, including those written to <see cref="Output"/>.</summary>
    public abstract long Offset { get; }

    /// <summary>Bytes that the upload still accepts: up to its length, or the store's limit.</summary>
    public abstract long RemainingBytes { get; }

    /// <summary>Appends bytes of a version of a file, if the store does that better than the caller, who would read and write them.</summary>
    /// <param name="source">A version of a file of the same store. Stays the caller's.</param>
    /// <param name="range">The bytes, within the file.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>False if nothing was appended: the caller has to write the bytes. That is so unless a store can do it.</returns>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.Changed"/> or <see cref="TransferError.PreconditionFailed"/>: the version is not there any more.
    /// </exception>
    public virtual ValueTask<bool> TryCopyAsync(StoredFileReader source, ByteRange range, CancellationToken cancellationToken) => new(false);

    /// <summary>Makes the written bytes durable. Save before you acknowledge them to a client.</summary>
    public abstract ValueTask<UploadStatus> SaveAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Makes bytes durable that have reached the store, as <see cref="SaveAsync"/> does, while further ones are written. Call it between
    /// two writes, and again only after it has completed.
    /// </summary>
    /// <returns>
    /// The bytes of the upload that are saved, which may be fewer than were written: 0 unless a store can say more, because it cannot
    /// save before the end.
    /// </returns>
    public virtual ValueTask<long> SaveReceivedAsync() => new(0);

    /// <summary>Removes the bytes that this writer has written, because their checksum was wrong.</summary>
    public abstract ValueTask DiscardAsync();

    /// <inheritdoc/>
    public abstract ValueTask DisposeAsync();
}
