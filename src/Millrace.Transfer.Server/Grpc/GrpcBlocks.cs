using System.Buffers;
using Millrace.Transfer.Messages;

namespace Millrace.Transfer.Server;

/// <summary>Blocks: <c>file</c>, then the list of its blocks as <c>data</c>, then <c>end</c>.</summary>
internal static class GrpcBlocks
{
    public static async Task AnswerAsync(GrpcCall call)
    {
        BlocksRequest request = await call.ReadAsync(BlocksRequest.Parser);
        TransferName name = TransferName.Parse(request.Name);
        long offset = GrpcValues.Bytes(request.Offset, "offset");
        using TransferPass pass = await call.EnterAsync(TransferOperation.Download, name);
        StoredFile file = await call.Store.FindAsync(name, DigestNeed.IfKnown, call.Ended) ?? throw Errors.NoFile(name);
        if (request.HasIfTag && request.IfTag != file.Tag.Value)
        {
            throw new TransferException(
                TransferError.PreconditionFailed, $"'{name}' has the version {file.Tag.Value}, and not {request.IfTag}.", name.Value);
        }

        BlockLists lists = call.Context.RequestServices.GetRequiredService<BlockLists>();
        BlockSums sums = await lists.GetAsync(call.Root, pass, file, call.Ended);
        if (offset > sums.Document.Length)
        {
            throw new TransferException(
                TransferError.RangeNotSatisfiable, $"The list has {sums.Document.Length} bytes, and its part from {offset} on was asked for.", name.Value)
            {
                Offset = sums.Document.Length,
            };
        }

        ReadOnlyMemory<byte> part = sums.Document[(int)offset..];
        FileVersion info = GrpcMapping.ToMessage(file);
        info.Offset = offset;
        info.Count = part.Length;
        var first = new Chunk { File = info };
        var end = new Chunk { End = new End { Length = part.Length } };
        ChunkPlan plan = ChunkPlan.For(call, wish: 0, part.Length);
        await call.Answer.BeginAsync(call.SendsGzip ? null : plan.Bytes + GrpcAnswer.BytesOf(first) + GrpcAnswer.BytesOf(end));
        call.Answer.Write(first);
        if (part.Length > 0)
        {
            await ChunkSender.SendAsync(call, plan, PipeReader.Create(new ReadOnlySequence<byte>(part)));
        }

        call.Answer.Write(end);
    }
}
