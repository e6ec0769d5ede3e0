using System.Buffers;
using System.Runtime.CompilerServices;

namespace Millrace.Transfer.Server;

/// <summary>A request's body that returns bytes only as fast as the caller may send them. The full connection then slows the client down.</summary>
internal sealed class PacedReader(PipeReader inner, PacedExchange exchange) : PipeReader
{
    private ReadOnlySequence<byte> _buffer;

    /// <summary>Bytes at the start of the buffer that were returned, and so counted.</summary>
    private long _shown;

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        ReadResult result = await inner.ReadAsync(cancellationToken);
        _buffer = result.Buffer;
        if (result.IsCanceled || _buffer.Length <= _shown)
        {
            return result;
        }

        int bytes = await exchange.ReceiveAsync((int)Math.Min(_buffer.Length - _shown, int.MaxValue));
        return Show(result, bytes);
    }

    public override bool TryRead(out ReadResult result)
    {
        if (!inner.TryRead(out result))
        {
            return false;
        }

        _buffer = result.Buffer;
        if (!result.IsCanceled && _buffer.Length > _shown)
        {
            result = Show(result, exchange.ReceiveNow((int)Math.Min(_buffer.Length - _shown, int.MaxValue)));
        }

        return true;
    }

    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        _shown = Math.Max(0, _shown - _buffer.Slice(_buffer.Start, consumed).Length);
        _buffer = default;
        inner.AdvanceTo(consumed, examined);
    }

    public override void CancelPendingRead()
    {
        if (!exchange.CancelReceive())
        {
            inner.CancelPendingRead();
        }
    }

    public override void Complete(Exception? exception = null) => inner.Complete(exception);

    public override ValueTask CompleteAsync(Exception? exception = null) => inner.CompleteAsync(exception);

    private ReadResult Show(ReadResult result, int bytes)
    {
        _shown += bytes;
        return _shown == _buffer.Length && bytes > 0
            ? result
            : new ReadResult(_buffer.Slice(0, _shown), isCanceled: bytes == 0, isCompleted: false);
    }
}
