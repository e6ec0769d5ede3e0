namespace Millrace.Transfer.S3;

/// <summary>A range as a pipe. Copied to a writer, its bytes go from the connection of the bucket straight into the writer's memory.</summary>
/// <param name="content">The range; owned.</param>
/// <param name="readBytes">Bytes of a read at most.</param>
internal sealed class RangePipeReader(RangeStream content, int readBytes) : PipeReader
{
    private const int MaxReadBytes = 128 * 1024;

    private readonly int _readBytes = Math.Min(readBytes, MaxReadBytes);

    private PipeReader? _buffered;

    private PipeReader Buffered => _buffered ??= Create(content, new StreamPipeReaderOptions(bufferSize: _readBytes));

    public override void AdvanceTo(SequencePosition consumed) => Buffered.AdvanceTo(consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined) => Buffered.AdvanceTo(consumed, examined);

    public override void CancelPendingRead() => Buffered.CancelPendingRead();

    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default) => Buffered.ReadAsync(cancellationToken);

    public override bool TryRead(out ReadResult result) => Buffered.TryRead(out result);

    public override async Task CopyToAsync(PipeWriter destination, CancellationToken cancellationToken = default)
    {
        if (_buffered is not null)
        {
            await base.CopyToAsync(destination, cancellationToken);
            return;
        }

        int count;
        while ((count = await content.ReadAtLeastAsync(
            destination.GetMemory(_readBytes)[.._readBytes], _readBytes, throwOnEndOfStream: false, cancellationToken)) > 0)
        {
            destination.Advance(count);
            FlushResult flushed = await destination.FlushAsync(cancellationToken);
            if (flushed.IsCanceled)
            {
                throw new OperationCanceledException("Copying was canceled.");
            }

            if (flushed.IsCompleted)
            {
                return;
            }
        }
    }

    public override void Complete(Exception? exception = null)
    {
        _buffered?.Complete(exception);
        content.Dispose();
    }
}
