using System.IO.Pipelines;

namespace Millrace.Transfer.Server;

/// <summary>Appends the body of a request to an upload.</summary>
internal static class UploadReceiver
{
    /// <summary>Takes what comes, up to the body's end or the connection's.</summary>
    /// <param name="call">The request.</param>
    /// <param name="status">How far the upload is.</param>
    /// <param name="check">What the request says about its bytes; null when nothing.</param>
    /// <param name="pass">Counts the bytes.</param>
    /// <returns>How far the upload is now; saved.</returns>
    /// <remarks>
    /// What came before a cut is kept, unless the request said a checksum: then nothing is kept of which the checksum could
    /// not be compared.
    /// </remarks>
    public static async ValueTask<UploadStatus> ReceiveAsync(
        UploadCall call, UploadStatus status, ContentCheck? check, TransferPass pass)
    {
        if (status.HasAll)
        {
            await ThrowIfAnythingComesAsync(call, status).ConfigureAwait(false);
            return status;
        }

        UploadWriter writer = await call.Store
            .AppendUploadAsync(status.Id, status.Offset, discardable: check is not null, call.Context.RequestAborted)
            .ConfigureAwait(false);
        await using (writer.ConfigureAwait(false))
        {
            long room = writer.RemainingBytes;
            if (call.Request.ContentLength > room)
            {
                throw TooMuch(call, status, room);
            }

            try
            {
                PipeWriter destination = check is null ? writer.Body : new CheckedPipeWriter(writer.Body, check);

                // The end of the connection shows itself when the body is read, behind the bytes that came before it. To
                // be canceled by it would lose those.
                await BodyCopy
                    .ReceiveAsync(call.Request.BodyReader, destination, room, writer.Superseded)
                    .ConfigureAwait(false);
            }
            catch (Exception exception)
            {
                await KeepAsync(writer, check).ConfigureAwait(false);
                pass.AddBytes(writer.Offset - status.Offset);
                if (writer.Superseded.IsCancellationRequested)
                {
                    throw new TransferException(
                        TransferError.TakenOver,
                        $"Another request has taken upload {status.Id} over at {writer.Offset} bytes. "
                        + "Ask for its offset with HEAD if this one should go on instead.",
                        innerException: exception);
                }

                if (exception is TransferException { Error: TransferError.TooLarge })
                {
                    throw TooMuch(call, status, room);
                }

                throw;
            }

            bool isChecksum = false;
            string? why = check?.Compare(call.Request, out isChecksum);
            if (why is not null)
            {
                await writer.DiscardAsync().ConfigureAwait(false);
                call.RefusalStatus = isChecksum ? UploadProblems.ChecksumMismatch : null;
                throw new TransferException(
                    TransferError.DigestMismatch,
                    $"{why}. Nothing of this request was kept; send it again from {status.Offset}.")
                {
                    Offset = status.Offset,
                };
            }

            pass.AddBytes(writer.Offset - status.Offset);
            return await writer.SaveAsync(CancellationToken.None).ConfigureAwait(false);
        }
    }

    private static async ValueTask KeepAsync(UploadWriter writer, ContentCheck? check)
    {
        try
        {
            if (check is null)
            {
                await writer.SaveAsync(CancellationToken.None).ConfigureAwait(false);
            }
            else
            {
                await writer.DiscardAsync().ConfigureAwait(false);
            }
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException)
        {
            // What ended the copying says more than what it left behind; the upload is as long as what reached the store.
        }
    }

    private static async ValueTask ThrowIfAnythingComesAsync(UploadCall call, UploadStatus status)
    {
        if (call.HasBody)
        {
            ReadResult result = await call.Request.BodyReader.ReadAsync(call.Context.RequestAborted).ConfigureAwait(false);
            bool anything = !result.Buffer.IsEmpty;
            call.Request.BodyReader.AdvanceTo(result.Buffer.End);
            if (anything)
            {
                throw TooMuch(call, status, 0);
            }
        }
    }

    private static TransferException TooMuch(UploadCall call, UploadStatus status, long room)
    {
        if (status.Length is not { } length)
        {
            return new TransferException(
                TransferError.TooLarge,
                $"Upload {status.Id} has {status.Offset} bytes, and a file here may have {status.Offset + room}. Send less.");
        }

        call.LengthContradicts = true;
        return new TransferException(
            TransferError.TooLarge,
            $"Upload {status.Id} was said to have {length} bytes; {status.Offset} are there, and this request brings more "
            + $"than the {length - status.Offset} that are missing. Begin a new upload with the right length.");
    }
}
