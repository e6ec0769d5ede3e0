using Microsoft.AspNetCore.Connections;

namespace Millrace.Transfer.Server;

/// <summary>
/// A response's body whose flush fails when the client is gone. A copy to a pipe ends silently then, and the sent part
/// would pass for the whole.
/// </summary>
internal sealed class ResponseWriter(PipeWriter body) : ForwardingWriter(body)
{
    private long _written;

    /// <summary>Bytes that were flushed while the client was there.</summary>
    public long FlushedBytes { get; private set; }

    public override void Advance(int bytes)
    {
        base.Advance(bytes);
        _written += bytes;
    }

    /// <exception cref="ConnectionAbortedException">The client is gone.</exception>
    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        ValueTask<FlushResult> flush = Inner.FlushAsync(cancellationToken);
        return flush.IsCompletedSuccessfully ? new(Flushed(flush.Result)) : WaitAsync(flush);
    }

    public static FlushResult ThrowIfGone(FlushResult flushed) => flushed.IsCompleted || flushed.IsCanceled
        ? throw new ConnectionAbortedException("The client went away before it had the whole response.")
        : flushed;

    private async ValueTask<FlushResult> WaitAsync(ValueTask<FlushResult> flush) => Flushed(await flush);

    private FlushResult Flushed(FlushResult flushed)
    {
        ThrowIfGone(flushed);
        FlushedBytes = _written;
        return flushed;
    }
}
