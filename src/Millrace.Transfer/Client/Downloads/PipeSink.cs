using System.IO.Pipelines;

namespace Millrace.Transfer;

/// <summary>A pipe of the caller's; completed at the end, unless it only stands for a stream of his.</summary>
internal sealed class PipeSink(PipeWriter writer) : DownloadSink
{
    /// <summary>A stream of the caller's, which is left open.</summary>
    public static PipeSink Of(Stream stream) => new(PipeWriter.Create(
        stream, new StreamPipeWriterOptions(minimumBufferSize: 64 * 1024, leaveOpen: true)));

    public override PipeWriter Writer => writer;

    public override async ValueTask CommitAsync(CancellationToken cancellationToken)
    {
        await writer.FlushAsync(cancellationToken).ConfigureAwait(false);
        await writer.CompleteAsync().ConfigureAwait(false);
    }

    public override ValueTask AbandonAsync() =>
        writer.CompleteAsync(new TransferException(TransferError.Failed, "The download failed; what came so far is not whole."));

    public override ValueTask DisposeAsync() => default;
}
