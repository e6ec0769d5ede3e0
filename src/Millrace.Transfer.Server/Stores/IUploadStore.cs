using System.Diagnostics.CodeAnalysis;

namespace Millrace.Transfer.Server;

/// <summary>
/// Keeps uploads that can be resumed after any interruption, until they become files. All methods append only, so that an object
/// store can implement the contract.
/// </summary>
/// <remarks>
/// All members can be called by any number of threads at once. Refusals are <see cref="TransferException"/>s with the
/// reason in <see cref="TransferException.Error"/>; cancellation is <see cref="OperationCanceledException"/>.
/// </remarks>
[Experimental("MILLRACE001")]
public interface IUploadStore
{
    /// <summary>Deletes each unfinished upload that expires; null, the default, for no special way. A store may ignore it.</summary>
    UploadExpiry? Expiring
    {
        get => null;
        set
        {
        }
    }

    /// <summary>Starts an upload.</summary>
    /// <returns>The upload, to be disposed at the end of the request.</returns>
    ValueTask<StoredUpload> StartAsync(StartUploadOptions options, CancellationToken cancellationToken);

    /// <summary>Finds an upload, without disturbing a request that appends to it.</summary>
    /// <returns>The upload, to be disposed at the end of the request; null if there is none, or it has expired.</returns>
    ValueTask<StoredUpload?> FindAsync(UploadId id, CancellationToken cancellationToken);

    /// <summary>Joins finished partial uploads, in this order, as the content of a new one.</summary>
    /// <returns>The new upload, to be disposed at the end of the request.</returns>
    ValueTask<StoredUpload> JoinAsync(
        StartUploadOptions options, IReadOnlyList<UploadId> parts, CancellationToken cancellationToken);

    /// <summary>Deletes uploads that no client has continued for too long.</summary>
    /// <returns>How many were deleted; the records of published ones are removed too, and not counted.</returns>
    ValueTask<int> ExpireAsync(CancellationToken cancellationToken);
}

/// <summary>Deletes an upload that has expired. Called by several threads at once, for different uploads.</summary>
/// <param name="upload">The upload.</param>
/// <param name="delete">Deletes it. Returns false if it was not there any more, or is in use again.</param>
/// <returns>The result of <paramref name="delete"/>.</returns>
[Experimental("MILLRACE001")]
public delegate ValueTask<bool> UploadExpiry(UploadStatus upload, Func<ValueTask<bool>> delete);
