using System.Buffers;
using Millrace.Transfer.Messages;

namespace Millrace.Transfer.Server;

/// <summary>Blocks and Extents: <c>file</c>, then the list of its blocks or extents as <c>data</c>, then <c>end</c>.</summary>
internal static class GrpcBlocks
{
    public static async Task AnswerAsync(GrpcCall call)
    {
        BlocksRequest request = await call.ReadAsync(BlocksRequest.Parser);
        await SendAsync(call, request.Name, request.Offset, request.HasIfTag ? request.IfTag : null, async (pass, file) =>
        {
            BlockLists lists = call.Context.RequestServices.GetRequiredService<BlockLists>();
            return (await lists.GetAsync(call.Root, pass, file, call.Ended)).Document;
        });
    }

    public static async Task AnswerExtentsAsync(GrpcCall call)
    {
        ExtentsRequest request = await call.ReadAsync(ExtentsRequest.Parser);
        await SendAsync(
            call, request.Name, request.Offset, request.HasIfTag ? request.IfTag : null,
            async (_, file) => await BlockDownload.FindExtentsAsync(call.Store, file, call.Ended));
    }

    private static async ValueTask SendAsync(
        GrpcCall call, string file, long first, string? tag, Func<TransferPass, StoredFile, ValueTask<ReadOnlyMemory<byte>>> listAsync)
    {
        TransferName name = TransferName.Parse(file);
        long offset = GrpcValues.Bytes(first, "offset");
        using TransferPass pass = await call.EnterAsync(TransferOperation.Download, name);
        StoredFile version = await call.Store.FindAsync(name, DigestNeed.IfKnown, call.Ended) ?? throw Errors.NoFile(name);
        if (tag is not null && tag != version.Tag.Value)
        {
            throw new TransferException(
                TransferError.PreconditionFailed, $"'{name}' has the version {version.Tag.Value}, and not {tag}.", name.Value);
        }

        ReadOnlyMemory<byte> list = await listAsync(pass, version);
        if (offset > list.Length)
        {
            throw new TransferException(
                TransferError.RangeNotSatisfiable, $"The list has {list.Length} bytes, and its part from {offset} on was asked for.", name.Value)
            {
                Offset = list.Length,
            };
        }

        ReadOnlyMemory<byte> part = list[(int)offset..];
        FileVersion info = GrpcMapping.ToMessage(version);
        info.Offset = offset;
        info.Count = part.Length;
        var head = new Chunk { File = info };
        var end = new Chunk { End = new End { Length = part.Length } };
        ChunkPlan plan = ChunkPlan.For(call, wish: 0, part.Length);
        await call.Answer.BeginAsync(call.SendsGzip ? null : plan.Bytes + GrpcAnswer.BytesOf(head) + GrpcAnswer.BytesOf(end));
        call.Answer.Write(head);
        if (part.Length > 0)
        {
            await ChunkSender.SendAsync(call, plan, PipeReader.Create(new ReadOnlySequence<byte>(part)));
        }

        call.Answer.Write(end);
    }
}
