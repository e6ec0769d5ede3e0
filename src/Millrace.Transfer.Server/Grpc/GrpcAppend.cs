using System.Security.Cryptography;
using Millrace.Transfer.Messages;

namespace Millrace.Transfer.Server;

/// <summary>Continues an upload of StartUpload by a stream.</summary>
internal static class GrpcAppend
{
    public static async ValueTask<Messages.UploadStatus> AppendAsync(GrpcCall call, MessageReader messages, UploadHead head)
    {
        UploadId id = GrpcValues.Upload(head.Upload);
        (UploadStatus status, TransferPass pass) = await GrpcUploads.EnterAsync(call, id, isTransfer: true).ConfigureAwait(false);
        using TransferPass entered = pass;
        if (head.Name.Length > 0 && head.Name != status.Name.Value)
        {
            throw GrpcUpload.Misplaced($"Upload {id} is for '{status.Name}', and the stream says '{head.Name}'.");
        }

        long? length = GrpcValues.Bytes(head.HasLength, head.Length, "length");
        Sha256Digest? said = head.HasSha256 ? GrpcMapping.ToDigest(head.Sha256) : null;
        status = await ContinueAsync(call, id, GrpcValues.Bytes(head.Offset, "offset")).ConfigureAwait(false);
        if (length is { } whole && whole != status.Length)
        {
            status = await call.Store.SetUploadLengthAsync(id, whole, call.Ended).ConfigureAwait(false);
        }

        (status, End end) = await UploadAppend
            .RunAsync(call, status, hash: null, pass, (sink, stop) => TakeAsync(messages, sink, stop))
            .ConfigureAwait(false);
        if (head.Commit)
        {
            Sha256Digest? digest = GrpcUpload.Expected(said, end, status.Name);
            status = await GrpcUploads.CompleteAsync(call, status, length, digest).ConfigureAwait(false);
        }

        return GrpcUploads.ToMessage(status);
    }

    /// <summary>Stops whoever still appends, and goes on nowhere but at the end.</summary>
    public static async ValueTask<UploadStatus> ContinueAsync(GrpcCall call, UploadId id, long offset)
    {
        UploadStatus status = await GrpcUploads.TakeOverAsync(call, id).ConfigureAwait(false);
        if (status.Published is not null || status.Parts is not null)
        {
            throw new TransferException(
                TransferError.UploadComplete, $"Upload {id} is complete: it became '{status.Name}'. Nothing can be appended.")
            {
                Offset = status.Offset,
            };
        }

        UploadLookup.ThrowIfOffsetMismatch(GrpcUploads.Of(call), status, offset);
        return status;
    }

    private static async ValueTask<End> TakeAsync(MessageReader messages, ChunkSink sink, CancellationToken stop)
    {
        messages.Into(sink, stop);
        End end = await GrpcUpload.ReceiveAsync(messages).ConfigureAwait(false)
            ?? throw GrpcUpload.Cut("The stream ended without 'end'. What came is kept; ask for the offset and continue.");
        GrpcUpload.ThrowUnlessLength(end, sink.Bytes);
        return end;
    }
}
