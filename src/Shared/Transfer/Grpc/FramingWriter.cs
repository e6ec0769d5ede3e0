using System.IO.Pipelines;

namespace Millrace.Transfer;

/// <summary>Puts a file that is written to it into another writer as chunks, and has that one flushed when it is worth it.</summary>
/// <remarks>
/// The destination is not completed by this, and nothing may be written to it by others between
/// <see cref="PipeWriter.GetMemory"/> and <see cref="FlushAsync"/>. Not thread-safe.
/// </remarks>
/// <param name="destination">Where the frames go.</param>
/// <param name="flushBytes">Bytes that are gathered before the destination is flushed.</param>
internal abstract class FramingWriter(PipeWriter destination, int flushBytes) : PipeWriter
{
    private long _unflushed;

    /// <summary>Bytes of the file that were written.</summary>
    public abstract long Written { get; }

    public override bool CanGetUnflushedBytes => true;

    public override long UnflushedBytes => _unflushed;

    /// <summary>Where the frames go.</summary>
    protected PipeWriter Destination { get; } = destination;

    public override Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

    /// <summary>Flushes the destination when there is enough for a write.</summary>
    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        if (_unflushed < flushBytes)
        {
            return ValueTask.FromResult(new FlushResult(isCanceled: false, isCompleted: false));
        }

        _unflushed = 0;
        return Destination.FlushAsync(cancellationToken);
    }

    public override void CancelPendingFlush() => Destination.CancelPendingFlush();

    public override void Complete(Exception? exception = null)
    {
    }

    /// <summary>Says that as many bytes are in the destination's memory, headers included.</summary>
    protected void AdvanceDestination(int bytes)
    {
        Destination.Advance(bytes);
        _unflushed += bytes;
    }
}
