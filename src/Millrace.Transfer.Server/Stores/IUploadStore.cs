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
