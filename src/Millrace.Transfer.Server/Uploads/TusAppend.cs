using Microsoft.AspNetCore.Http;

namespace Millrace.Transfer.Server;

/// <summary>tus: PATCH of an upload.</summary>
internal static class TusAppend
{
    public static async Task AppendAsync(UploadCall call, UploadId id)
    {
        HttpRequest request = call.Request;
        (UploadStatus status, TransferPass pass) = await UploadLookup
            .EnterAsync(call, id, isTransfer: true)
            .ConfigureAwait(false);
        using TransferPass entered = pass;
        ThrowUnlessMediaType(call);
        if (!TusCreation.TryReadLength(request.Headers[TransferHeaders.UploadOffset].ToString(), out long offset))
        {
            throw new TransferException(
                TransferError.InvalidRequest, "Upload-Offset is missing or not a number of bytes. Ask for it with HEAD.");
        }

        if (status.Parts is not null)
        {
            throw new TransferException(
                TransferError.Forbidden, $"Upload {id} was joined of others and takes no bytes of its own.");
        }

        using ContentCheck? check = ContentCheck.Read(request);
        status = await UploadLookup.TakeOverAsync(call, id).ConfigureAwait(false);
        UploadLookup.ThrowIfOffsetMismatch(call, status, offset);
        status = await TakeLengthAsync(call, status).ConfigureAwait(false);
        status = await UploadReceiver.ReceiveAsync(call, status, check, pass).ConfigureAwait(false);
        if (status.HasAll && !status.IsPartial)
        {
            await UploadCompletion.CompleteAsync(call, status).ConfigureAwait(false);
        }

        call.Response.StatusCode = StatusCodes.Status204NoContent;
        call.AddCommonFields();
        UploadAnswers.AddStatus(call, status);
    }

    /// <summary>Refuses bodies that are something else than bytes of a file.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>, answered 415.</exception>
    public static void ThrowUnlessMediaType(UploadCall call)
    {
        if (!string.Equals(call.Request.ContentType, UploadHeaders.TusMediaType, StringComparison.OrdinalIgnoreCase))
        {
            call.RefusalStatus = StatusCodes.Status415UnsupportedMediaType;
            throw new TransferException(
                TransferError.InvalidRequest, $"tus sends bytes of a file as Content-Type: {UploadHeaders.TusMediaType}.");
        }
    }

    private static async ValueTask<UploadStatus> TakeLengthAsync(UploadCall call, UploadStatus status)
    {
        string field = call.Request.Headers[TransferHeaders.UploadLength].ToString();
        if (field.Length == 0)
        {
            return status;
        }

        if (!TusCreation.TryReadLength(field, out long length))
        {
            throw new TransferException(TransferError.InvalidRequest, "Upload-Length is not a number of bytes.");
        }

        return await call.Store
            .SetUploadLengthAsync(status.Id, length, call.Context.RequestAborted)
            .ConfigureAwait(false);
    }
}
