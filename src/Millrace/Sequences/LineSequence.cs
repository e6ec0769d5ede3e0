using System.Buffers;
using System.Runtime.CompilerServices;
using Millrace.Sequences;

namespace Millrace;

/// <summary>
/// The lines of a pipe or a stream as bytes: <c>await foreach (ReadOnlyMemory&lt;byte&gt; line in
/// reader.ReadLinesAsync())</c>.
/// </summary>
/// <remarks>
/// A line ends with \n or \r\n, which are not part of it; a last one may end with the bytes. Its memory belongs to the iteration
/// and is valid until the next line is asked for. A line that lies in one segment is not copied. Ended early, the iteration leaves
/// the reader after the last line that was taken. One iteration at a time; the reader stays the caller's to complete.
/// </remarks>
public readonly record struct LineSequence
{
    private readonly SequenceSource _source;
    private readonly int _maxLength;

    internal LineSequence(in SequenceSource source, int maxLength)
    {
        _source = source;
        _maxLength = maxLength;
    }

    /// <summary>Begins an iteration; called by <c>await foreach</c>.</summary>
    public Enumerator GetAsyncEnumerator() => new(_source, _maxLength);

    /// <summary>The same sequence, awaited as with <see cref="Task.ConfigureAwait(bool)"/>.</summary>
    /// <param name="continueOnCapturedContext">False to continue on any thread.</param>
    public LineSequence ConfigureAwait(bool continueOnCapturedContext) =>
        new(_source with { ContinueOnCapturedContext = continueOnCapturedContext }, _maxLength);

    /// <summary>The same sequence, which ends with an exception when a token is cancelled.</summary>
    /// <param name="cancellationToken">Replaces the token that the sequence was made with.</param>
    public LineSequence WithCancellation(CancellationToken cancellationToken) =>
        new(_source with { CancellationToken = cancellationToken }, _maxLength);

    /// <summary>
    /// The lines for LINQ and whatever else asks for the interface: each is a copy, which is valid for ever, and costs an allocation. Iterate
    /// synchronously with <see cref="TaskAsyncEnumerableExtensions.ToBlockingEnumerable{T}"/>.
    /// </summary>
    public IAsyncEnumerable<ReadOnlyMemory<byte>> AsAsyncEnumerable() => IterateAsync(this);

    private static async IAsyncEnumerable<ReadOnlyMemory<byte>> IterateAsync(
        LineSequence lines, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        // Two tokens only where there are two: an exception then names the one that was cancelled.
        CancellationToken own = lines._source.CancellationToken;
        using CancellationTokenSource? both = own.CanBeCanceled && cancellationToken.CanBeCanceled
            ? CancellationTokenSource.CreateLinkedTokenSource(own, cancellationToken)
            : null;
        lines = lines.WithCancellation(both?.Token ?? (cancellationToken.CanBeCanceled ? cancellationToken : own));
#pragma warning disable CA2007 // This ConfigureAwait is the sequence's own, which the rule does not know.
        await foreach (ReadOnlyMemory<byte> line in lines.ConfigureAwait(false))
#pragma warning restore CA2007
        {
            yield return line.ToArray();
        }
    }

    /// <summary>An enumerator. Not thread-safe.</summary>
    public sealed class Enumerator
    {
        private const byte LineFeed = (byte)'\n';
        private const byte CarriageReturn = (byte)'\r';

        private readonly Feed _feed;
        private readonly int _maxLength;
        private ReadOnlyMemory<byte> _segment;
        private unsafe byte* _start;
        private LineEnds _ends;

        // Within the segment: where the line begins, its length, and where the next one begins.
        private int _line;
        private int _length;
        private int _next;
        private byte[]? _spanning;
        private long _count;

        internal Enumerator(in SequenceSource source, int maxLength)
        {
            _feed = new Feed(source);

            // The longest line, with its line end, that fits an array.
            _maxLength = Math.Min(maxLength, Array.MaxLength - 2);
        }

        /// <summary>The line without its end. Valid until the next move.</summary>
        public ReadOnlyMemory<byte> Current => _segment.Slice(_line, _length);

        /// <summary>Goes on to the next line; the current one becomes invalid.</summary>
        /// <exception cref="RecordException">The line is too long; the reader is left at its start.</exception>
        /// <exception cref="OperationCanceledException">The sequence's token is cancelled, or the read was.</exception>
        public unsafe SegmentSequence.NextAwaitable MoveNextAsync()
        {
            int end = _ends.Next();
            int length = end - _next;
            if (end < 0 || length > _maxLength)
            {
                // None here, or one that is too long unless a \r belongs to its end.
                return MoveToNextSegment();
            }

            _line = _next;
            _next = end + 1;
            _length = length > 0 && _start[end - 1] == CarriageReturn ? length - 1 : length;
            _count++;
            return default;
        }

        /// <summary>Ends the iteration.</summary>
        public ValueTask DisposeAsync()
        {
            Leave();
            _feed.End();
            if (_spanning is { } array)
            {
                _spanning = null;
                ArrayPool<byte>.Shared.Return(array);
            }

            return ValueTask.CompletedTask;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private SegmentSequence.NextAwaitable MoveToNextSegment()
        {
            Leave();
            return _feed.Await(MoveAsync());
        }

        [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
        private async ValueTask<bool> MoveAsync()
        {
            long searched = 0;
            while (true)
            {
                ReadOnlySequence<byte> rest = _feed.Rest;
                if (rest.Slice(searched).PositionOf(LineFeed) is { } end)
                {
                    Enter(rest.Slice(0, end), hasEnd: true);
                    return true;
                }

                // Searched bytes are not searched again, however small the reads are.
                searched = rest.Length;
                ThrowIfTooLong(searched);

                if (!await _feed.ReadMoreAsync().ConfigureAwait(false))
                {
                    if (searched == 0)
                    {
                        return false;
                    }

                    Enter(_feed.Rest, hasEnd: false);
                    return true;
                }
            }
        }

        /// <summary>Begins with a line: where it lies when that is one segment, and else with a copy.</summary>
        private unsafe void Enter(in ReadOnlySequence<byte> line, bool hasEnd)
        {
            ThrowIfTooLong(line.Length);
            ReadOnlyMemory<byte> first = _feed.FirstSegment();
            int length = (int)line.Length;
            int next = hasEnd ? length + 1 : length;
            if (first.Length < next)
            {
                first = Join(next);
            }

            byte last = length == 0 ? default : first.Span[length - 1];
            int trimmed = hasEnd && last == CarriageReturn ? length - 1 : length;
            ThrowIfTooLong(trimmed, excess: 0);
            _segment = first;
            _start = _feed.Pin(first);
            _line = 0;
            _length = trimmed;
            _next = next;
            _ends = new LineEnds(_start, first.Length, next);
            _count++;
        }

        private ReadOnlyMemory<byte> Join(int length)
        {
            if (_spanning is null || _spanning.Length < length)
            {
                if (_spanning is not null)
                {
                    ArrayPool<byte>.Shared.Return(_spanning);
                }

                _spanning = ArrayPool<byte>.Shared.Rent(length);
            }

            _feed.Rest.Slice(0, length).CopyTo(_spanning);
            return _spanning.AsMemory(0, length);
        }

        private unsafe void Leave()
        {
            _feed.Unpin();
            _start = null;
            _ends = default;
            _segment = default;
            _feed.Take(_next);
            _line = 0;
            _length = 0;
            _next = 0;
        }

        // One more than the limit may still be a \r.
        private void ThrowIfTooLong(long length, int excess = 1)
        {
            if (length > _maxLength + excess)
            {
                throw RecordException.LineTooLong(_feed.Path, _feed.Taken, _count, _maxLength);
            }
        }
    }
}
