namespace Millrace.Transfer.Server;

/// <summary>Moves a part of a file into an answer, in chunks.</summary>
internal static class ChunkSender
{
    /// <summary>Bytes after which chunks go to the connection: four chunks.</summary>
    /// <remarks>
    /// Each time costs a wake-up of the thread that sends, and one of the receiver: docs/measuring.md.
    /// </remarks>
    private const int FewFlushBytes = 960 * 1024;

    /// <summary>The same where many transfers run, which cannot all have that much memory.</summary>
    private const int ManyFlushBytes = 128 * 1024;

    /// <summary>Transfers that are few.</summary>
    private const int Few = 16;

    /// <summary>Moves it.</summary>
    /// <returns>Bytes of the file that were sent.</returns>
    public static ValueTask<long> SendAsync(GrpcCall call, ChunkPlan plan, PipeReader content)
    {
        PipeWriter body = call.Answer.Body;
        if (call.SendsGzip)
        {
            return new PackedChunks(call, plan).SendAsync(content);
        }

        int flushBytes = call.TurnBytes ?? (TransferGuard.Of(call.Context).Limits.Running <= Few ? FewFlushBytes : ManyFlushBytes);

        // Only an answer whose length is in no header may be divided as the file is read, which leaves whole chunks in front
        // of a status.
        return (call.Form == GrpcForm.Http2 || call.HasDeadline) && plan.ReadBytes == plan.ChunkBytes
            ? SendAsync(new ChunkWriter(body, flushBytes), content, call.Ended)
            : SendAsync(new FramedChunkWriter(body, plan, flushBytes), content, call.Ended);
    }

    private static async ValueTask<long> SendAsync(FramingWriter writer, PipeReader content, CancellationToken ended)
    {
        await content.CopyToAsync(writer, ended);
        return writer.Written;
    }
}
