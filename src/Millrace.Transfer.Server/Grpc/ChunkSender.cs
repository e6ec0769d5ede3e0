using System.IO.Pipelines;

namespace Millrace.Transfer.Server;

/// <summary>Moves a part of a file into an answer, in chunks.</summary>
internal static class ChunkSender
{
    /// <summary>Bytes of one write to the connection.</summary>
    /// <remarks>Each costs a wake-up of the thread that sends.</remarks>
    private const int FlushBytes = 256 * 1024;

    /// <summary>Moves it.</summary>
    /// <param name="call">The call, whose answer has begun.</param>
    /// <param name="plan">The chunks.</param>
    /// <param name="content">The part; not completed here.</param>
    /// <returns>Bytes of the file that were sent.</returns>
    public static ValueTask<long> SendAsync(GrpcCall call, ChunkPlan plan, PipeReader content)
    {
        PipeWriter body = call.Answer.Body;
        if (plan.Handling != ChunkHandling.Direct)
        {
            return SendArraysAsync(call, plan, content);
        }

        if (call.SendsGzip)
        {
            return new PackedChunks(call, plan).SendAsync(content);
        }

        // Only who sends by gRPC itself may divide the file as it is read: its length is in nobody's headers.
        return call.Form == GrpcForm.Http2 && plan.ReadBytes == plan.ChunkBytes
            ? SendAsReadAsync(new ChunkWriter(body, FlushBytes), content, call.Ended)
            : SendFramedAsync(new FramedChunkWriter(body, plan, FlushBytes), content, call.Ended);
    }

    private static async ValueTask<long> SendAsReadAsync(ChunkWriter writer, PipeReader content, CancellationToken ended)
    {
        await content.CopyToAsync(writer, ended).ConfigureAwait(false);
        return writer.Written;
    }

    private static async ValueTask<long> SendFramedAsync(FramedChunkWriter writer, PipeReader content, CancellationToken ended)
    {
        await content.CopyToAsync(writer, ended).ConfigureAwait(false);
        return writer.Written;
    }

    private static async ValueTask<long> SendArraysAsync(GrpcCall call, ChunkPlan plan, PipeReader content)
    {
        using var writer = new ArrayChunkWriter(call.Answer.Body, plan, call.SendsGzip, FlushBytes);
        await content.CopyToAsync(writer, call.Ended).ConfigureAwait(false);
        return writer.Written;
    }
}
