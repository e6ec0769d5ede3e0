namespace Millrace.Transfer;

/// <summary>Bytes that come once: a pipe, a sequence, a stream that cannot go back.</summary>
internal abstract class Feed : IAsyncDisposable
{
    /// <summary>The next bytes, valid until the next call; empty at the end.</summary>
    public abstract ValueTask<ReadOnlyMemory<byte>> ReadAsync(CancellationToken cancellationToken);

    public abstract ValueTask DisposeAsync();
}
