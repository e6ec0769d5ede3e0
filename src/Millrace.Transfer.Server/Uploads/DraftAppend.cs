using Microsoft.AspNetCore.Http;

namespace Millrace.Transfer.Server;

/// <summary>The draft: PATCH of an upload.</summary>
internal static class DraftAppend
{
    public static async Task AppendAsync(UploadCall call, UploadId id)
    {
        (UploadStatus status, TransferPass pass) = await UploadLookup
            .EnterAsync(call, id, isTransfer: true)
            .ConfigureAwait(false);
        using TransferPass entered = pass;
        ThrowUnlessMediaType(call);
        if (!StructuredField.TryParseCount(
            call.Request.Headers[TransferHeaders.UploadOffset].ToString(), out long offset))
        {
            throw new TransferException(
                TransferError.InvalidRequest, "Upload-Offset is missing or not a number of bytes. Ask for it with HEAD.");
        }

        DraftRequest request = DraftRequest.Read(call, offset);
        using ContentCheck? check = ContentCheck.Read(call.Request);
        status = await UploadLookup.TakeOverAsync(call, id).ConfigureAwait(false);
        UploadLookup.ThrowIfOffsetMismatch(call, status, offset);
        bool isRepeated = status.Published is not null && status.Metadata is not null && request.Completes && !call.HasBody;
        if (!isRepeated && (status.Published is not null || status.Parts is not null))
        {
            call.LengthContradicts = call.HasBody;
            throw new TransferException(
                TransferError.UploadComplete, $"Upload {id} is complete: it became '{status.Name}'. Nothing can be appended.");
        }

        status = await TakeLengthAsync(call, status, request).ConfigureAwait(false);
        (status, bool isNew) = await TakeAsync(call, status, request, check, pass).ConfigureAwait(false);
        call.Response.StatusCode =
            call.HasAll && isNew ? StatusCodes.Status201Created : StatusCodes.Status204NoContent;
        if (call.Response.StatusCode == StatusCodes.Status201Created)
        {
            call.Response.Headers.Location = call.UrlOf(status.Name);
        }

        AddFields(call, status);
    }

    /// <summary>Takes what comes, and publishes the file when that was the last of it.</summary>
    /// <returns>How far the upload is, and whether the name was free before.</returns>
    public static async ValueTask<(UploadStatus Status, bool IsNew)> TakeAsync(
        UploadCall call, UploadStatus status, DraftRequest request, ContentCheck? check, TransferPass pass)
    {
        if (call.HasBody)
        {
            try
            {
                status = await UploadReceiver.ReceiveAsync(call, status, check, pass).ConfigureAwait(false);
            }
            catch (TransferException) when (call.LengthContradicts && call.Request.ContentLength is null)
            {
                // The draft, section 4.4.2: what has become longer than it was said to be is of no use to anybody.
                await call.Store.AbortUploadAsync(status.Id, CancellationToken.None).ConfigureAwait(false);
                throw;
            }
        }

        if (!request.Completes && !UploadCompletion.IsDue(status))
        {
            return (status, false);
        }

        if (status.Length is null)
        {
            status = await call.Store
                .SetUploadLengthAsync(status.Id, status.Offset, CancellationToken.None)
                .ConfigureAwait(false);
        }

        if (!status.HasAll)
        {
            DraftRequest.ThrowContradiction(
                call, $"Upload {status.Id} was said to have {status.Length} bytes, and ends at {status.Offset}.");
        }

        if (status.IsPartial)
        {
            throw new TransferException(
                TransferError.InvalidRequest,
                $"Upload {status.Id} is a part of others and becomes no file of its own. Join it with Upload-Concat.");
        }

        bool isNew = await UploadCompletion.CompleteAsync(call, status).ConfigureAwait(false);
        return (status, isNew);
    }

    /// <summary>Puts down how far it is, and whether that is all.</summary>
    public static void AddFields(UploadCall call, UploadStatus status)
    {
        call.AddCommonFields();
        UploadAnswers.AddStatus(call, status);
        call.Response.Headers[TransferHeaders.UploadComplete] =
            call.HasAll ? UploadHeaders.True : UploadHeaders.False;
        if (call.Response.StatusCode == StatusCodes.Status201Created)
        {
            call.Response.ContentLength = 0;
        }
    }

    private static async ValueTask<UploadStatus> TakeLengthAsync(
        UploadCall call, UploadStatus status, DraftRequest request)
    {
        if (request.Length is not { } length || status.Length == length)
        {
            return status;
        }

        if (status.Length is { } before)
        {
            DraftRequest.ThrowContradiction(
                call, $"Upload {status.Id} was said to have {before} bytes, and now {length}.");
        }

        if (status.Offset > length)
        {
            DraftRequest.ThrowContradiction(call, $"Upload {status.Id} has {status.Offset} bytes, more than {length}.");
        }

        return await call.Store
            .SetUploadLengthAsync(status.Id, length, call.Context.RequestAborted)
            .ConfigureAwait(false);
    }

    private static void ThrowUnlessMediaType(UploadCall call)
    {
        if (!DraftVersion.NeedsMediaType(call.Request))
        {
            return;
        }

        if (!string.Equals(call.Request.ContentType, UploadHeaders.DraftMediaType, StringComparison.OrdinalIgnoreCase))
        {
            call.RefusalStatus = StatusCodes.Status415UnsupportedMediaType;
            throw new TransferException(
                TransferError.InvalidRequest,
                $"Bytes of a file are appended as Content-Type: {UploadHeaders.DraftMediaType}.");
        }
    }
}
