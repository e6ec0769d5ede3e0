using System.IO.Pipelines;

namespace Millrace.Transfer.Server;

/// <summary>
/// The answer's body of a call whose time may end: a flush that takes longer is left alone and not canceled. Kestrel resets
/// the stream of one that is canceled, and the status could not follow what was sent.
/// </summary>
/// <remarks>After such a flush only trailers follow. Not thread-safe.</remarks>
internal sealed class LateWriter(PipeWriter inner) : PipeWriter
{
    /// <inheritdoc/>
    public override bool CanGetUnflushedBytes => inner.CanGetUnflushedBytes;

    /// <inheritdoc/>
    public override long UnflushedBytes => inner.UnflushedBytes;

    /// <inheritdoc/>
    public override Memory<byte> GetMemory(int sizeHint = 0) => inner.GetMemory(sizeHint);

    /// <inheritdoc/>
    public override Span<byte> GetSpan(int sizeHint = 0) => inner.GetSpan(sizeHint);

    /// <inheritdoc/>
    public override void Advance(int bytes) => inner.Advance(bytes);

    /// <inheritdoc/>
    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        ValueTask<FlushResult> flush = inner.FlushAsync(CancellationToken.None);
        return flush.IsCompleted ? flush : new ValueTask<FlushResult>(flush.AsTask().WaitAsync(cancellationToken));
    }

    /// <inheritdoc/>
    public override void CancelPendingFlush() => inner.CancelPendingFlush();

    /// <inheritdoc/>
    public override void Complete(Exception? exception = null) => inner.Complete(exception);
}
