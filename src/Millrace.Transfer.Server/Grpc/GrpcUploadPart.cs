using System.Security.Cryptography;
using Millrace.Transfer.Messages;

namespace Millrace.Transfer.Server;

/// <summary>UploadPart: continues an upload by one message, whose bytes go to the store while it comes.</summary>
internal static class GrpcUploadPart
{
    public static async Task AnswerAsync(GrpcCall call)
    {
        call.ExpectFile();
        MessageReader messages = call.Read(UploadPartRequest.DataFieldNumber);
        ChunkToken token = await messages.NextAsync().ConfigureAwait(false);
        if (token == ChunkToken.More)
        {
            throw new GrpcFault(GrpcStatus.Unimplemented, "This method takes one message, and none came.");
        }

        UploadPartRequest request = UploadPartRequest.Parser.ParseFrom(messages.Rest);
        UploadId id = GrpcValues.Upload(request.Upload);
        Sha256Digest? said = request.HasSha256 ? GrpcMapping.ToDigest(request.Sha256) : null;
        (UploadStatus status, TransferPass pass) = await GrpcUploads.EnterAsync(call, id, isTransfer: true).ConfigureAwait(false);
        using TransferPass entered = pass;
        status = await GrpcAppend
            .ContinueAsync(call, id, GrpcValues.Bytes(request.Offset, "offset"))
            .ConfigureAwait(false);
        using IncrementalHash? hash = said is null ? null : IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        (status, _) = await UploadAppend
            .RunAsync(call, status, hash, pass, async (sink, stop) =>
            {
                messages.Into(sink, stop);
                await TakeAsync(messages, token, request).ConfigureAwait(false);
                Compare(status, said, hash);
                return sink.Bytes;
            })
            .ConfigureAwait(false);
        await call.Answer.SendAsync(GrpcUploads.ToMessage(status)).ConfigureAwait(false);
    }

    private static async ValueTask TakeAsync(MessageReader messages, ChunkToken token, UploadPartRequest request)
    {
        if (token == ChunkToken.Data)
        {
            await messages.TakeDataAsync().ConfigureAwait(false);
            await messages.NextAsync().ConfigureAwait(false);
            UploadPartRequest whole = UploadPartRequest.Parser.ParseFrom(messages.Rest);
            if (whole.Upload != request.Upload || whole.Offset != request.Offset || whole.Sha256 != request.Sha256)
            {
                throw GrpcUpload.Misplaced("'data' is the last field of a part: what is behind it says too late what it is.");
            }
        }

        await messages.ThrowIfMoreAsync().ConfigureAwait(false);
    }

    private static void Compare(UploadStatus status, Sha256Digest? said, IncrementalHash? hash)
    {
        if (hash is null)
        {
            return;
        }

        Span<byte> found = stackalloc byte[SHA256.HashSizeInBytes];
        hash.GetHashAndReset(found);
        if (new Sha256Digest(found) is var digest && digest != said)
        {
            throw new TransferException(
                TransferError.DigestMismatch,
                $"The part was to have the SHA-256 {said}, and what arrived has {digest}. Nothing of it was kept; send it again from {status.Offset}.")
            {
                Offset = status.Offset,
            };
        }
    }
}
