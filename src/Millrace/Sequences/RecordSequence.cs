using System.Buffers;
using System.Runtime.CompilerServices;
using Millrace.Sequences;

namespace Millrace;

/// <summary>
/// The fixed-size records of a pipe or a stream: <c>await foreach (long value in reader.ReadRecordsAsync&lt;long&gt;(…))</c>.
/// </summary>
/// <typeparam name="T">The record, in memory as in the file: without references, and without padding that the file lacks.</typeparam>
/// <remarks>
/// A record is read where it lies; only one that spans two segments is copied. Ended early, the iteration leaves the reader after
/// the last record that was taken. One iteration at a time; the reader stays the caller's to complete.
/// </remarks>
public readonly record struct RecordSequence<T>
    where T : unmanaged
{
    private readonly SequenceSource _source;
    private readonly bool _reverses;

    internal RecordSequence(in SequenceSource source, bool reverses)
    {
        _source = source;
        _reverses = reverses;
    }

    /// <summary>Begins an iteration; called by <c>await foreach</c>.</summary>
    public Enumerator GetAsyncEnumerator() => new(_source, _reverses);

    /// <summary>The same sequence, awaited as with <see cref="Task.ConfigureAwait(bool)"/>.</summary>
    /// <param name="continueOnCapturedContext">False to continue on any thread.</param>
    public RecordSequence<T> ConfigureAwait(bool continueOnCapturedContext) =>
        new(_source with { ContinueOnCapturedContext = continueOnCapturedContext }, _reverses);

    /// <summary>The same records for whatever asks for the interface. Each costs as much as with any async iterator.</summary>
    public IAsyncEnumerable<T> AsAsyncEnumerable() => IterateAsync(_source, _reverses);

    private static async IAsyncEnumerable<T> IterateAsync(
        SequenceSource source, bool reverses, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        // Two tokens only where there are two: an exception then names the one that was cancelled.
        using CancellationTokenSource? both = source.CancellationToken.CanBeCanceled && cancellationToken.CanBeCanceled
            ? CancellationTokenSource.CreateLinkedTokenSource(source.CancellationToken, cancellationToken)
            : null;
        CancellationToken either = both?.Token
            ?? (cancellationToken.CanBeCanceled ? cancellationToken : source.CancellationToken);
        var records = new RecordSequence<T>(source with { CancellationToken = either }, reverses);
#pragma warning disable CA2007 // This ConfigureAwait is the sequence's own, which the rule does not know.
        await foreach (T record in records.ConfigureAwait(false))
#pragma warning restore CA2007
        {
            yield return record;
        }
    }

    /// <summary>An enumerator. Not thread-safe.</summary>
    /// <remarks>
    /// The segment is pinned and read through a pointer. Copying it into an array first took half as much time again,
    /// asking the memory for its span at every element far more (docs/measuring.md).
    /// </remarks>
    public sealed class Enumerator
    {
        private readonly Feed _feed;
        private readonly bool _reverses;

        // The current record and the last whole one of its segment; null without a segment.
        private unsafe T* _current;
        private unsafe T* _last;
        private unsafe byte* _start;
        private byte[]? _spanning;

        internal Enumerator(in SequenceSource source, bool reverses)
        {
            _feed = new Feed(source);
            _reverses = reverses;
        }

        /// <summary>The record. Only to be asked for after a move that found one.</summary>
        public unsafe T Current
        {
            [MethodImpl(MethodImplOptions.AggressiveInlining)]
            get
            {
                T record = Unsafe.ReadUnaligned<T>(_current);
                return sizeof(T) > 1 && _reverses ? RecordBytes<T>.Reverse(record) : record;
            }
        }

        /// <summary>Goes on to the next record.</summary>
        /// <exception cref="RecordException">The bytes end within a record; the reader is left at its start.</exception>
        /// <exception cref="OperationCanceledException">The sequence's token is cancelled, or the read was.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public unsafe SegmentSequence.NextAwaitable MoveNextAsync() => ++_current <= _last ? default : MoveToNextSegment();

        /// <summary>Ends the iteration.</summary>
        public unsafe ValueTask DisposeAsync()
        {
            // A segment that was left has no start.
            Leave(_start is null ? 0 : (byte*)_current - _start + sizeof(T));
            _feed.End();
            return ValueTask.CompletedTask;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private unsafe SegmentSequence.NextAwaitable MoveToNextSegment()
        {
            Leave(_start is null ? 0 : (byte*)_last - _start + sizeof(T));
            return Enter() ? default : _feed.Await(ReadAsync());
        }

        [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
        private async ValueTask<bool> ReadAsync()
        {
            while (await _feed.ReadMoreAsync().ConfigureAwait(false))
            {
                if (Enter())
                {
                    return true;
                }
            }

            if (!_feed.Rest.IsEmpty)
            {
                throw RecordException.Incomplete(_feed.Path, _feed.Taken, _feed.Rest.Length, Unsafe.SizeOf<T>());
            }

            return false;
        }

        /// <summary>Begins with the first segment that holds a whole record, or with a copy of one that spans two.</summary>
        private unsafe bool Enter()
        {
            ReadOnlyMemory<byte> segment = _feed.FirstSegment();
            int whole = segment.Length / sizeof(T);
            if (whole == 0)
            {
                if (segment.IsEmpty || _feed.Rest.Length < sizeof(T))
                {
                    return false;
                }

                _spanning ??= new byte[sizeof(T)];
                _feed.Rest.Slice(0, sizeof(T)).CopyTo(_spanning);
                segment = _spanning;
                whole = 1;
            }

            _start = _feed.Pin(segment);
            _current = (T*)_start;
            _last = _current + whole - 1;
            return true;
        }

        private unsafe void Leave(long taken)
        {
            _feed.Unpin();
            _start = null;
            _current = null;
            _last = null;
            _feed.Take(taken);
        }
    }
}

/// <summary>Which byte of a number comes first.</summary>
public enum ByteOrder
{
    /// <summary>The least significant one, as in the memory of nearly all of today's machines.</summary>
    LittleEndian = 0,

    /// <summary>The most significant one, as in network protocols.</summary>
    BigEndian = 1,
}
