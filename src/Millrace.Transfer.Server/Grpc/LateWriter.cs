namespace Millrace.Transfer.Server;

/// <summary>
/// The answer's body of a call whose time may end: a flush that takes longer is left alone and not canceled. Kestrel resets
/// the stream of one that is canceled, and the status could not follow what was sent.
/// </summary>
/// <remarks>After such a flush only trailers follow. Not thread-safe.</remarks>
internal sealed class LateWriter(PipeWriter inner) : PipeWriter
{
    public override bool CanGetUnflushedBytes => inner.CanGetUnflushedBytes;

    public override long UnflushedBytes => inner.UnflushedBytes;

    public override Memory<byte> GetMemory(int sizeHint = 0) => inner.GetMemory(sizeHint);

    public override Span<byte> GetSpan(int sizeHint = 0) => inner.GetSpan(sizeHint);

    public override void Advance(int bytes) => inner.Advance(bytes);

    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        ValueTask<FlushResult> flush = inner.FlushAsync(CancellationToken.None);
        return flush.IsCompleted ? flush : new ValueTask<FlushResult>(flush.AsTask().WaitAsync(cancellationToken));
    }

    public override void CancelPendingFlush() => inner.CancelPendingFlush();

    public override void Complete(Exception? exception = null) => inner.Complete(exception);
}
