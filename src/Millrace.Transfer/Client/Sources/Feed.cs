using System.Buffers;
using System.IO.Pipelines;

namespace Millrace.Transfer;

/// <summary>Bytes that come once: a pipe, a sequence, a stream that cannot go back.</summary>
internal abstract class Feed : IAsyncDisposable
{
    /// <summary>The next bytes, valid until the next call; empty at the end.</summary>
    public abstract ValueTask<ReadOnlyMemory<byte>> ReadAsync(CancellationToken cancellationToken);

    public abstract ValueTask DisposeAsync();
}

/// <summary>A pipe, which is completed at the end.</summary>
internal sealed class PipeFeed(PipeReader reader) : Feed
{
    /// <summary>A stream that cannot go back. It stays the caller's.</summary>
    public static PipeFeed Of(Stream stream) => new(PipeReader.Create(stream, new StreamPipeReaderOptions(
        AlignedMemoryPool.Shared, ContentSource.BlockBytes, leaveOpen: true)));

    private SequencePosition _next;
    private bool _pending;
    private CancellationToken _lastToken;

    public override async ValueTask<ReadOnlyMemory<byte>> ReadAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            if (_pending)
            {
                _pending = false;
                reader.AdvanceTo(_next);
            }

            // A reader may report an earlier request's cancellation only now, if that read was over when it was canceled.
            bool maybeEarlier = _lastToken.IsCancellationRequested;
            _lastToken = cancellationToken;
            ReadResult result = await reader.ReadAsync(cancellationToken).ConfigureAwait(false);
            ReadOnlySequence<byte> buffer = result.Buffer;
            _pending = true;
            _next = buffer.Start;
            if (result.IsCanceled)
            {
                if (maybeEarlier)
                {
                    continue;
                }

                throw new OperationCanceledException("Reading the pipe that is uploaded was canceled.");
            }

            foreach (ReadOnlyMemory<byte> segment in buffer)
            {
                if (!segment.IsEmpty)
                {
                    _next = buffer.GetPosition(segment.Length);
                    return segment;
                }
            }

            if (result.IsCompleted)
            {
                return default;
            }
        }
    }

    public override ValueTask DisposeAsync() => reader.CompleteAsync();
}

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
