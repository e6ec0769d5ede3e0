using System.IO.Pipelines;

namespace Millrace.Transfer;

/// <summary>
/// Puts the header of a chunk in front of whatever is written between two flushes, in the memory that the destination
/// lends: the file is read right behind the room that was left for it.
/// </summary>
/// <remarks>
/// The destination is not completed by this. Nothing may be written to the destination by others between
/// <see cref="GetMemory"/> and <see cref="FlushAsync"/>. Not thread-safe.
/// </remarks>
/// <param name="destination">Where the frames go.</param>
/// <param name="flushBytes">Bytes that are gathered before the destination is flushed.</param>
internal sealed class ChunkWriter(PipeWriter destination, int flushBytes) : PipeWriter
{
    private int _header;
    private long _unflushed;
    private Memory<byte> _lent;

    /// <summary>Bytes of the file that were written.</summary>
    public long Written { get; private set; }

    /// <inheritdoc/>
    public override bool CanGetUnflushedBytes => true;

    /// <inheritdoc/>
    public override long UnflushedBytes => _unflushed;

    /// <inheritdoc/>
    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        int bytes = Math.Clamp(sizeHint, 1, ChunkHeader.MostData);
        _header = sizeHint == 0 ? ChunkHeader.MostBytes : ChunkHeader.BytesFor(bytes);
        _lent = destination.GetMemory(bytes + _header);
        return _lent[_header..Math.Min(_lent.Length, _header + (sizeHint == 0 ? ChunkHeader.MostData : MostFor(_header)))];
    }

    /// <inheritdoc/>
    public override Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

    /// <summary>A chunk of what was written to the memory that was lent last.</summary>
    public override void Advance(int bytes)
    {
        if (bytes == 0)
        {
            return;
        }

        ChunkHeader.Write(_lent.Span[.._header], bytes);
        destination.Advance(_header + bytes);
        _lent = default;
        _unflushed += _header + bytes;
        Written += bytes;
    }

    /// <summary>Flushes the destination when there is enough for a write.</summary>
    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        if (_unflushed < flushBytes)
        {
            return ValueTask.FromResult(new FlushResult(isCanceled: false, isCompleted: false));
        }

        _unflushed = 0;
        return destination.FlushAsync(cancellationToken);
    }

    /// <inheritdoc/>
    public override void CancelPendingFlush() => destination.CancelPendingFlush();

    /// <inheritdoc/>
    public override void Complete(Exception? exception = null)
    {
    }

    /// <summary>Bytes of a file whose length a header of that many bytes holds.</summary>
    private static int MostFor(int header) => (1 << (7 * (header - FramePrefix.Bytes - 1))) - 1;
}
