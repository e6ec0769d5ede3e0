namespace Millrace.Transfer.Server;

/// <summary>
/// The answer's body of a call whose time may end: a flush that takes longer is abandoned and not canceled. Kestrel resets
/// the stream of one that is canceled, and the status could not follow the sent bytes.
/// </summary>
/// <remarks>After such a flush only trailers follow. Not thread-safe.</remarks>
internal sealed class LateWriter(PipeWriter inner) : ForwardingWriter(inner)
{
    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        ValueTask<FlushResult> flush = base.FlushAsync(CancellationToken.None);
        return flush.IsCompleted ? flush : new ValueTask<FlushResult>(flush.AsTask().WaitAsync(cancellationToken));
    }
}
