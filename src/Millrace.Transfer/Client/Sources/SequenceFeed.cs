namespace Millrace.Transfer;

/// <summary>An asynchronous sequence of memory.</summary>
/// <param name="content">Enumerated once.</param>
/// <param name="caller">The caller's token: one enumerator serves all tries, and must outlive the request that happens to read.</param>
internal sealed class SequenceFeed(IAsyncEnumerable<ReadOnlyMemory<byte>> content, CancellationToken caller) : Feed
{
    private IAsyncEnumerator<ReadOnlyMemory<byte>>? _enumerator;

    public override async ValueTask<ReadOnlyMemory<byte>> ReadAsync(CancellationToken cancellationToken)
    {
        _enumerator ??= content.GetAsyncEnumerator(caller);
        while (await _enumerator.MoveNextAsync().ConfigureAwait(false))
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (!_enumerator.Current.IsEmpty)
            {
                return _enumerator.Current;
            }
        }

        return default;
    }

    public override ValueTask DisposeAsync() => _enumerator?.DisposeAsync() ?? default;
}
