using System.IO.Pipelines;
using System.Security.Cryptography;

namespace Millrace.Transfer.Server;

/// <summary>Appends what a call brings to an upload, and keeps what came whatever happens.</summary>
internal static class UploadAppend
{
    /// <param name="call">The call.</param>
    /// <param name="status">How far the upload is.</param>
    /// <param name="hash">Goes on with all that comes, and means that nothing is kept unless all is well; null for neither.</param>
    /// <param name="pass">Counts the bytes.</param>
    /// <param name="take">Moves what the call brings into a sink, until it is stopped.</param>
    /// <returns>How far the upload is now, saved; and what the call said at its end.</returns>
    public static async ValueTask<(UploadStatus Status, T End)> RunAsync<T>(
        GrpcCall call, UploadStatus status, IncrementalHash? hash, TransferPass pass,
        Func<ChunkSink, CancellationToken, ValueTask<T>> take)
    {
        if (status.HasAll)
        {
            var none = new ChunkSink(PipeWriter.Create(Stream.Null), room: 0, hash);
            return (status, await take(none, call.Ended).ConfigureAwait(false));
        }

        UploadWriter writer = await call.Store
            .AppendUploadAsync(status.Id, status.Offset, discardable: hash is not null, call.Ended)
            .ConfigureAwait(false);
        await using (writer.ConfigureAwait(false))
        {
            using var stop = CancellationTokenSource.CreateLinkedTokenSource(call.Ended, writer.Superseded);
            var sink = new ChunkSink(writer.Body, writer.RemainingBytes, hash);
            T end;
            try
            {
                end = await take(sink, stop.Token).ConfigureAwait(false);
            }
            catch (Exception exception)
            {
                await KeepAsync(writer, sink, isDiscarded: hash is not null).ConfigureAwait(false);
                long kept = hash is null ? writer.Offset : status.Offset;
                pass.AddBytes(kept - status.Offset);
                throw Explain(exception, writer, status.Id, kept);
            }

            pass.AddBytes(writer.Offset - status.Offset);
            return (await writer.SaveAsync(CancellationToken.None).ConfigureAwait(false), end);
        }
    }

    private static Exception Explain(Exception exception, UploadWriter writer, UploadId id, long kept) => exception switch
    {
        _ when writer.Superseded.IsCancellationRequested => new TransferException(
            TransferError.TakenOver,
            $"Another request has taken upload {id} over at {kept} bytes. Ask for its offset with QueryUpload if this one should go on instead.",
            innerException: exception),
        TransferException { Offset: null } transfer => new TransferException(
            transfer.Error, transfer.Message, transfer.Name, transfer)
        {
            Offset = kept,
            RetryAfter = transfer.RetryAfter,
        },
        _ => exception,
    };

    private static async ValueTask KeepAsync(UploadWriter writer, ChunkSink sink, bool isDiscarded)
    {
        try
        {
            if (isDiscarded)
            {
                await writer.DiscardAsync().ConfigureAwait(false);
            }
            else
            {
                await sink.ReleaseAsync(CancellationToken.None).ConfigureAwait(false);
                await writer.SaveAsync(CancellationToken.None).ConfigureAwait(false);
            }
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException)
        {
            // What ended the copying says more than what it left behind; the upload is as long as what reached the store.
        }
    }
}
