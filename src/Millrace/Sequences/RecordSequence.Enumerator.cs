using System.Buffers;
using System.Runtime.CompilerServices;
using Millrace.Sequences;

namespace Millrace;

public readonly partial struct RecordSequence<T>
{
    /// <summary>A walk. Not thread-safe.</summary>
    /// <remarks>
    /// The segment is pinned and read through a pointer. Copying it into an array first took half as much time again,
    /// asking the memory for its span at every element far more (docs/measuring.md).
    /// </remarks>
    public sealed class Enumerator
    {
        private readonly Feed _feed;
        private readonly bool _reverses;
        private MemoryHandle _pin;

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
        public unsafe NextAwaitable MoveNextAsync() => ++_current <= _last ? default : MoveToNextSegment();

        /// <summary>Ends the walk.</summary>
        public unsafe ValueTask DisposeAsync()
        {
            // A segment that was left has no start.
            Leave(_start is null ? 0 : (byte*)_current - _start + sizeof(T));
            _feed.End();
            return ValueTask.CompletedTask;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private unsafe NextAwaitable MoveToNextSegment()
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
                throw RecordException.Incomplete(_feed.Taken, _feed.Rest.Length, Unsafe.SizeOf<T>());
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

            _pin = segment.Pin();
            _start = (byte*)_pin.Pointer;
            _current = (T*)_start;
            _last = _current + whole - 1;
            return true;
        }

        private unsafe void Leave(long taken)
        {
            _pin.Dispose();
            _pin = default;
            _start = null;
            _current = null;
            _last = null;
            _feed.Take(taken);
        }
    }
}
