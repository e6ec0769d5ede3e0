using Microsoft.AspNetCore.Http;

namespace Millrace.Transfer.Server;

/// <summary>Finds the upload of a request, for somebody who may continue it.</summary>
internal static class UploadLookup
{
    /// <summary>Lets the request in and finds its upload. Nobody is disturbed by it.</summary>
    /// <param name="call">The request.</param>
    /// <param name="id">The upload.</param>
    /// <param name="isTransfer">Whether it brings bytes.</param>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.NotFound"/>, <see cref="TransferError.Forbidden"/> and what <see cref="TransferGuard"/> says.
    /// </exception>
    public static async ValueTask<(UploadStatus Status, TransferPass Pass)> EnterAsync(
        UploadCall call, UploadId id, bool isTransfer)
    {
        UploadStatus? status = await call.Store
            .FindUploadAsync(id, takeOver: false, call.Context.RequestAborted)
            .ConfigureAwait(false);

        // Who may not come in is not told which uploads there are.
        TransferPass pass = await TransferGuard.Of(call.Context)
            .EnterAsync(call.Context, TransferScope.Write, status?.Name ?? default, isTransfer)
            .ConfigureAwait(false);
        if (status is null)
        {
            pass.Dispose();
            throw Missing(id);
        }

        if (!Owns(status, pass))
        {
            pass.Dispose();
            throw new TransferException(
                TransferError.Forbidden,
                $"Upload {id} was begun with another token. Continue it with that one, or begin a new upload.");
        }

        return (status, pass);
    }

    /// <summary>Whether a request may do something with an upload that another one began.</summary>
    public static bool Owns(UploadStatus status, TransferPass pass) =>
        status.Owner is null || string.Equals(status.Owner, pass.Owner, StringComparison.Ordinal);

    /// <summary>How far the upload is, when whoever still appended to it has been stopped.</summary>
    public static async ValueTask<UploadStatus> TakeOverAsync(UploadCall call, UploadId id) =>
        await call.Store.FindUploadAsync(id, takeOver: true, call.Context.RequestAborted).ConfigureAwait(false)
        ?? throw Missing(id);

    /// <summary>Refuses to go on anywhere but at the end.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.OffsetMismatch"/>.</exception>
    public static void ThrowIfOffsetMismatch(UploadCall call, UploadStatus status, long offset)
    {
        if (offset != status.Offset)
        {
            call.ProvidedOffset = offset;
            throw new TransferException(
                TransferError.OffsetMismatch,
                $"Upload {status.Id} has {status.Offset} bytes, and this request continues at {offset}. Continue at {status.Offset}.")
            {
                Offset = status.Offset,
            };
        }
    }

    /// <summary>What must be under the name of a new upload, as the request says; checked now, and again when it is published.</summary>
    /// <exception cref="TransferException">It is not, or a field cannot be read.</exception>
    public static async ValueTask<WritePrecondition> ReadPreconditionAsync(UploadCall call, TransferName name)
    {
        IHeaderDictionary headers = call.Request.Headers;
        if (headers.IfNoneMatch.Count == 0 && headers.IfMatch.Count == 0 && headers.IfUnmodifiedSince.Count == 0)
        {
            return default;
        }

        StoredFile? present = await call.Store
            .FindAsync(name, DigestNeed.IfKnown, call.Context.RequestAborted)
            .ConfigureAwait(false);
        return WriteConditions.Read(call.Request, name, present);
    }

    public static TransferException Missing(UploadId id) => new(
        TransferError.NotFound,
        $"There is no upload {id}: it was never begun, was thrown away, or has expired. Begin a new one.");
}
