using System.ComponentModel;
using System.Runtime.CompilerServices;
using Millrace.Sequences;

namespace Millrace;

/// <summary>
/// The bytes of a pipe or a stream, segment by segment: <c>await foreach (ReadOnlyMemory&lt;byte&gt; segment in
/// reader.ReadSegmentsAsync())</c>.
/// </summary>
/// <remarks>
/// A segment belongs to the reader and is valid until the next one is asked for. A segment that was handed out is taken: a
/// iteration that ends early leaves the reader after it.
/// </remarks>
public readonly record struct SegmentSequence
{
    private readonly SequenceSource _source;

    internal SegmentSequence(in SequenceSource source) => _source = source;

    /// <summary>Begins an iteration; called by <c>await foreach</c>.</summary>
    public Enumerator GetAsyncEnumerator() => new(_source);

    /// <summary>The same sequence, awaited as with <see cref="Task.ConfigureAwait(bool)"/>.</summary>
    /// <param name="continueOnCapturedContext">False to continue on any thread.</param>
    public SegmentSequence ConfigureAwait(bool continueOnCapturedContext) =>
        new(_source with { ContinueOnCapturedContext = continueOnCapturedContext });

    /// <summary>An enumerator. Not thread-safe.</summary>
    public sealed class Enumerator
    {
        private readonly Feed _feed;

        internal Enumerator(in SequenceSource source) => _feed = new Feed(source);

        /// <summary>The segment; never empty. Valid until the next move.</summary>
        public ReadOnlyMemory<byte> Current { get; private set; }

        /// <summary>Goes on to the next segment; the current one becomes invalid.</summary>
        /// <exception cref="OperationCanceledException">The sequence's token is cancelled, or the read was.</exception>
        public NextAwaitable MoveNextAsync()
        {
            TakeCurrent();
            Current = _feed.FirstSegment();
            return Current.IsEmpty ? _feed.Await(ReadAsync()) : default;
        }

        /// <summary>Ends the iteration.</summary>
        public ValueTask DisposeAsync()
        {
            TakeCurrent();
            _feed.End();
            return ValueTask.CompletedTask;
        }

        [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
        private async ValueTask<bool> ReadAsync()
        {
            bool more = await _feed.ReadMoreAsync().ConfigureAwait(false);
            Current = _feed.FirstSegment();
            return more;
        }

        private void TakeCurrent()
        {
            _feed.Take(Current.Length);
            Current = default;
        }
    }

    /// <summary>
    /// What MoveNextAsync of Millrace's sequences returns: awaitable and awaiter in one, and nothing but "ready" while bytes
    /// are in memory.
    /// </summary>
    /// <remarks>
    /// A <see cref="ValueTask{TResult}"/> holds the same in four fields, which are written and tested for every element; this
    /// one is a reference that is null (docs/measuring.md has both). Await it at once and once, as `await foreach` does.
    /// </remarks>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public readonly struct NextAwaitable : ICriticalNotifyCompletion
    {
        private readonly Feed? _pending;

        internal NextAwaitable(Feed pending) => _pending = pending;

        /// <summary>Whether awaiting it would not wait.</summary>
        public bool IsCompleted => _pending is null || _pending.IsMoveCompleted;

        /// <summary>Itself.</summary>
        public NextAwaitable GetAwaiter() => this;

        /// <summary>Whether there is a next element.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool GetResult() => _pending is null || _pending.GetMoveResult();

        /// <inheritdoc/>
        public void OnCompleted(Action continuation)
        {
            ArgumentNullException.ThrowIfNull(continuation);
            if (_pending is null)
            {
                continuation();
                return;
            }

            _pending.OnMoveCompleted(continuation);
        }

        /// <inheritdoc/>
        public void UnsafeOnCompleted(Action continuation)
        {
            ArgumentNullException.ThrowIfNull(continuation);
            if (_pending is null)
            {
                continuation();
                return;
            }

            _pending.UnsafeOnMoveCompleted(continuation);
        }
    }
}
