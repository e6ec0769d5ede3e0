using System.IO.Pipelines;

namespace Millrace.Transfer.Server;

/// <summary>Moves a part of a file into an answer, in chunks.</summary>
internal static class ChunkSender
{
    /// <summary>Bytes of one write to the connection.</summary>
    /// <remarks>Each costs a wake-up of the thread that sends.</remarks>
    private const int FlushBytes = 256 * 1024;

    /// <returns>Bytes of the file that were sent.</returns>
    public static async ValueTask<long> SendAsync(GrpcCall call, ChunkPlan plan, PipeReader content)
    {
        var writer = new ChunkWriter(call.Answer.Body, FlushBytes);
        await content.CopyToAsync(writer, call.Ended).ConfigureAwait(false);
        return writer.Written;
    }
}
