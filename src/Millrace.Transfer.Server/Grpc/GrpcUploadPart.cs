using Millrace.Transfer.Messages;

namespace Millrace.Transfer.Server;

/// <summary>UploadPart: continues an upload by one message, whose bytes go to the store while it comes.</summary>
internal static class GrpcUploadPart
{
    public static async Task AnswerAsync(GrpcCall call)
    {
        call.ExpectFile();
        MessageReader messages = call.Read(UploadPartRequest.DataFieldNumber);
        ChunkToken token = await messages.NextAsync();
        if (token == ChunkToken.More)
        {
            throw new GrpcFault(GrpcStatus.Unimplemented, "This method takes one message, and none came.");
        }

        UploadPartRequest request = StrictMessage.Parse(UploadPartRequest.Parser, messages.Rest);
        _ = GrpcValues.Upload(request.Upload);
        Sha256Digest? expected = request.HasSha256 ? GrpcMapping.ToDigest(request.Sha256) : null;
        await using UploadSession session = await GrpcUploads.OpenAsync(call, request.Upload, GrpcUpload.OperationOf(request.DeltaBase));
        await GrpcUpload.ContinueAsync(session, GrpcValues.Bytes(request.Offset, "offset"));
        using IncrementalHash? hash = expected is null ? null : IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        long start = session.Status.Offset;
        await GrpcUpload
            .AppendAsync(call, session, hash, request.IsDelta || request.DeltaBase.Length > 0, request.DeltaBase, async (sink, stop) =>
            {
                messages.Into(sink, stop);
                await TakeAsync(messages, token, request);
                ThrowIfDifferent(start, expected, hash);
                return true;
            });
        await call.Answer.SendAsync(GrpcUploads.ToMessage(session.Status));
    }

    private static async ValueTask TakeAsync(MessageReader messages, ChunkToken token, UploadPartRequest request)
    {
        if (token == ChunkToken.Data)
        {
            await messages.TakeDataAsync();
            await messages.NextAsync();
            UploadPartRequest whole = StrictMessage.Parse(UploadPartRequest.Parser, messages.Rest);
            if (whole.Upload != request.Upload || whole.Offset != request.Offset || whole.Sha256 != request.Sha256 || whole.DeltaBase != request.DeltaBase
                || whole.IsDelta != request.IsDelta)
            {
                throw Errors.Invalid("'data' is the last field of a part; the others come before it.");
            }
        }

        await messages.ThrowIfMoreAsync();
    }

    private static void ThrowIfDifferent(long start, Sha256Digest? expected, IncrementalHash? hash)
    {
        if (hash is null)
        {
            return;
        }

        Span<byte> bytes = stackalloc byte[SHA256.HashSizeInBytes];
        hash.GetHashAndReset(bytes);
        if (new Sha256Digest(bytes) is var actual && actual != expected)
        {
            throw new Refusal(
                TransferError.DigestMismatch,
                $"The part should have the SHA-256 {expected}, and what arrived has {actual}. Nothing of it was kept; send it again from {start}.")
            {
                Offset = start,
            };
        }
    }
}
