using Google.Protobuf;
using Millrace.Transfer.Messages;

namespace Millrace.Transfer.Server;

/// <summary>Download: <c>file</c>, then <c>data</c>, then <c>end</c>.</summary>
internal static class GrpcDownload
{
    public static async Task AnswerAsync(GrpcCall call)
    {
        DownloadRequest request = await call.ReadAsync(DownloadRequest.Parser);
        TransferName name = TransferName.Parse(request.Name);
        long offset = GrpcValues.Bytes(request.Offset, "offset");
        long? count = GrpcValues.Bytes(request.HasCount, request.Count, "count");
        _ = GrpcValues.Bytes(request.ChunkBytes, "chunk_bytes");
        using TransferPass pass = await call.EnterAsync(TransferOperation.Download, name);
        await using StoredFileReader reader = await call.Store
            .OpenReadAsync(name, request.WantSha256 ? DigestNeed.IfCheap : DigestNeed.IfKnown, call.Ended);
        StoredFile file = reader.File;
        if (request.HasIfTag && request.IfTag != file.Tag.Value)
        {
            // As If-Range: a part of another version is of no use.
            (offset, count) = (0, null);
        }

        if (offset > file.Length)
        {
            throw new TransferException(
                TransferError.RangeNotSatisfiable,
                $"'{name}' has {file.Length} bytes, and its part from {offset} on was asked for. Ask for less.",
                name.Value)
            {
                Offset = file.Length,
            };
        }

        if (request.AcceptsHoles && offset == 0 && count is null && !pass.IsCounted && reader.HasHoles)
        {
            FileVersion sparse = GrpcMapping.ToMessage(file);
            sparse.HasHoles = true;
            await call.Answer.BeginAsync(null);
            call.Answer.Write(new Chunk { File = sparse });
            call.Answer.Write(new Chunk { End = new End() });
            return;
        }

        var range = new ByteRange(offset, Math.Min(count ?? long.MaxValue, file.Length - offset));
        await pass.CountAsync(file, range.Length, call.Ended);
        await SendAsync(call, request, reader, range, pass);
    }

    private static async Task SendAsync(
        GrpcCall call, DownloadRequest request, StoredFileReader reader, ByteRange range, TransferPass pass)
    {
        StoredFile file = reader.File;
        FileVersion info = GrpcMapping.ToMessage(file);
        info.Offset = range.Offset;
        info.Count = range.Length;
        var first = new Chunk { File = info };
        bool looksAgain = request.WantSha256 && file.Sha256 is null;
        var end = new Chunk { End = new End { Length = range.Length } };
        ChunkPlan plan = ChunkPlan.For(call, request.ChunkBytes, range.Length);
        await call.Answer
            .BeginAsync(looksAgain || call.SendsGzip ? null : plan.Bytes + GrpcAnswer.BytesOf(first) + GrpcAnswer.BytesOf(end));
        call.Answer.Write(first);
        if (range.Length > 0)
        {
            await SendDataAsync(call, plan, reader, range, pass);
        }

        if (looksAgain && await LookAsync(call, file) is { } digest)
        {
            end.End.Sha256 = digest;
        }

        call.Answer.Write(end);
    }

    private static async Task SendDataAsync(
        GrpcCall call, ChunkPlan plan, StoredFileReader reader, ByteRange range, TransferPass pass)
    {
        PipeReader content = reader.Read(range, plan.ReadBytes);
        try
        {
            long sent = await ChunkSender.SendAsync(call, plan, content);
            if (sent != range.Length)
            {
                throw Errors.Changed(reader.File.Name);
            }

            pass.AddBytes(sent);
        }
        finally
        {
            await content.CompleteAsync();
        }
    }

    /// <summary>It may have become known while the file was sent.</summary>
    private static async ValueTask<ByteString?> LookAsync(GrpcCall call, StoredFile file)
    {
        StoredFile? now = await call.Store.FindAsync(file.Name, DigestNeed.IfKnown, call.Ended);
        return now?.Sha256 is { } digest && now.Tag == file.Tag ? GrpcMapping.ToMessage(digest) : null;
    }
}
