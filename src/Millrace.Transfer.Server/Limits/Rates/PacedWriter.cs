using System.Runtime.CompilerServices;

namespace Millrace.Transfer.Server;

/// <summary>A response's body that is sent as fast as its caller may receive it. Bytes wait before they go to the connection.</summary>
internal sealed class PacedWriter(PipeWriter body, PacedExchange exchange) : ForwardingWriter(body)
{
    /// <summary>Written bytes for which the caller has not waited.</summary>
    private long _unpaid;

    public override void Advance(int bytes)
    {
        base.Advance(bytes);
        _unpaid += bytes;
    }

    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default) =>
        _unpaid == 0 ? Inner.FlushAsync(cancellationToken) : PayAndFlushAsync(cancellationToken);

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<FlushResult> WriteAsync(ReadOnlyMemory<byte> source, CancellationToken cancellationToken = default)
    {
        await PayAsync(cancellationToken);
        FlushResult flushed = default;
        while (!source.IsEmpty && !flushed.IsCompleted && !flushed.IsCanceled)
        {
            cancellationToken.ThrowIfCancellationRequested();
            int bytes = await exchange.SendAsync(source.Length);
            flushed = await Inner.WriteAsync(source[..bytes], cancellationToken);
            source = source[bytes..];
        }

        return flushed;
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<FlushResult> PayAndFlushAsync(CancellationToken cancellationToken)
    {
        await PayAsync(cancellationToken);
        return await Inner.FlushAsync(cancellationToken);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask PayAsync(CancellationToken cancellationToken)
    {
        while (_unpaid > 0)
        {
            cancellationToken.ThrowIfCancellationRequested();
            _unpaid -= await exchange.SendAsync((int)Math.Min(_unpaid, int.MaxValue));
        }
    }
}
