namespace Millrace.Transfer.Server;

/// <summary>A writer in front of another one, which changes some of its behaviour.</summary>
internal abstract class ForwardingWriter(PipeWriter inner) : PipeWriter
{
    protected PipeWriter Inner => inner;

    public override bool CanGetUnflushedBytes => inner.CanGetUnflushedBytes;

    public override long UnflushedBytes => inner.UnflushedBytes;

    public override Memory<byte> GetMemory(int sizeHint = 0) => inner.GetMemory(sizeHint);

    public override Span<byte> GetSpan(int sizeHint = 0) => inner.GetSpan(sizeHint);

    public override void Advance(int bytes) => inner.Advance(bytes);

    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default) =>
        inner.FlushAsync(cancellationToken);

    public override void CancelPendingFlush() => inner.CancelPendingFlush();

    public override void Complete(Exception? exception = null) => inner.Complete(exception);

    public override ValueTask CompleteAsync(Exception? exception = null) => inner.CompleteAsync(exception);
}
