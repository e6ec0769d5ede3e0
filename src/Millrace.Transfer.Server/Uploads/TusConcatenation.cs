namespace Millrace.Transfer.Server;

/// <summary>tus: joins parts that were uploaded beside each other.</summary>
internal static class TusConcatenation
{
    public static async Task JoinAsync(
        UploadCall call, TransferPass pass, StartUploadOptions start, IReadOnlyList<UploadId> parts)
    {
        if (call.HasBody)
        {
            throw new TransferException(
                TransferError.InvalidRequest, "A joined upload has the bytes of its parts and takes no others. Send no body.");
        }

        foreach (UploadId part in parts)
        {
            UploadStatus status = await call.Store
                .FindUploadAsync(part, takeOver: false, call.Context.RequestAborted)
                .ConfigureAwait(false) ?? throw UploadLookup.Missing(part);
            ThrowUnlessJoinable(status, pass);
        }

        UploadStatus joined = await call.Store
            .JoinUploadsAsync(start, parts, call.Context.RequestAborted)
            .ConfigureAwait(false);
        try
        {
            await UploadCompletion.CompleteAsync(call, joined).ConfigureAwait(false);
        }
        catch
        {
            await call.Store.AbortUploadAsync(joined.Id, CancellationToken.None).ConfigureAwait(false);
            throw;
        }

        TusCreation.Answer(call, joined);
    }

    private static void ThrowUnlessJoinable(UploadStatus status, TransferPass pass)
    {
        if (!UploadLookup.Owns(status, pass))
        {
            throw new TransferException(
                TransferError.Forbidden, $"Upload {status.Id} was begun with another token. Join only what is yours.");
        }

        if (!status.IsPartial)
        {
            throw new TransferException(
                TransferError.InvalidRequest,
                $"Upload {status.Id} is not partial. Begin the parts with Upload-Concat: partial.");
        }

        if (!status.HasAll)
        {
            throw new TransferException(
                TransferError.InvalidRequest,
                $"Upload {status.Id} has {status.Offset} of {status.Length?.ToString() ?? "an unknown number of"} bytes. "
                + "Finish all parts, then join them.");
        }
    }
}
