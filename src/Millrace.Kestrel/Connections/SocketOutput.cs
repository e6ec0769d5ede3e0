using System.IO.Pipelines;
using System.Net.Sockets;
using System.Threading.Tasks.Sources;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Kestrel;

/// <summary>
/// The bytes that a connection sends, as a PipeWriter that sends on the flushing thread and waits for a slow peer without one. Between
/// <see cref="Lend"/> and <see cref="EndLending"/> the memory it hands out stands for a range of a file.
/// </summary>
/// <remarks>
/// One caller writes; another thread may call <see cref="Abort"/>. The thread that sets <see cref="_sending"/> owns the head of the queue until it
/// is false again, so that no block returns to the pool while the system reads it.
/// </remarks>
internal sealed partial class SocketOutput : PipeWriter, IValueTaskSource<FlushResult>, IThreadPoolWorkItem, IDisposable
{
    /// <summary>
    /// How much of a file one write stands for: what Kestrel copies at a time, because it gives a client that stops reading as long as
    /// these bytes take at the minimum data rate (docs/measuring.md).
    /// </summary>
    public const int LendableBytes = 64 * 1024;

    /// <summary>How much of a file may be sent before it is written, in bytes; as much as nginx sends with a call.</summary>
    private const int MaxAhead = 2 * 1024 * 1024;

    /// <summary>A flush of so many bytes, as of a whole TLS record, is sent by its own thread, in whose processor's cache they are.</summary>
    private const int WorthSending = 16 * 1024;

    /// <summary>Stands for bytes of files. It is never read or written, so its pages are never touched.</summary>
    private static readonly byte[] Placeholder = GC.AllocateUninitializedArray<byte>(LendableBytes + MaxAhead);

    private readonly Lock _lock = new();
    private readonly Socket _socket;
    private readonly SocketEvents? _events;
    private readonly BlockPool _pool;
    private readonly Action<Exception?> _ended;
    private readonly SendQueue _queue = SendQueue.Next();
    private readonly long _pauseBytes;
    private SegmentQueue _segments;

    /// <summary>Where the next byte is written in the block of the tail; its End is the flushed length.</summary>
    private int _position;
    private long _unflushed;
    private long _unsent;

    /// <summary>Bytes of the lent file that were sent before they were written.</summary>
    private long _sentAhead;
    private bool _memoryIsOut;
    private bool _sending;
    private bool _delayed;
    private Timer? _delay;
    private bool _completed;
    private bool _closed;

    /// <summary>Whether bytes were flushed that nothing can send any more.</summary>
    private bool _hasLost;
    private bool _hasEnded;
    private Exception? _error;

    private SafeFileHandle? _lentFile;
    private long _lentOffset;
    private int _lentBytes;
    private long _lentAhead;

    private ManualResetValueTaskSourceCore<FlushResult> _flush;
    private CancellationToken _flushToken;
    private CancellationTokenRegistration _flushRegistration;
    private bool _flushWaits;
    private bool _flushCancelled;

    /// <param name="socket">A connected socket that does not block.</param>
    /// <param name="events">Its events, or null where everything is sent through the framework's queue.</param>
    /// <param name="pool">Where blocks come from.</param>
    /// <param name="options">Thresholds.</param>
    /// <param name="ended">Called once: with null when everything has been sent after Complete, otherwise with the error.</param>
    public SocketOutput(
        Socket socket, SocketEvents? events, BlockPool pool, MillraceSocketOptions options, Action<Exception?> ended)
    {
        _socket = socket;
        _events = events;
        _pool = pool;
        _ended = ended;
        _pauseBytes = options.WriteBufferBytes;
    }

    /// <summary>Why nothing can be sent any more.</summary>
    public Exception? Error => Volatile.Read(ref _error);

    /// <summary>Whether a caller waits for a flush.</summary>
    public bool IsFlushing => Volatile.Read(ref _flushWaits);

    public override bool CanGetUnflushedBytes => true;

    public override long UnflushedBytes => _unflushed;

    /// <summary>Memory to be passed to <see cref="PipeWriter.WriteAsync"/> in place of the bytes that <see cref="Lend"/> announced.</summary>
    public static ReadOnlyMemory<byte> StandIn(int count) => Placeholder.AsMemory(0, count);

    public static IOException FileIsShorter(long length, long end) =>
        new($"The file ended at byte {length} while its bytes up to {end} were being sent. The connection has been aborted.");

    /// <summary>
    /// Makes the next bytes that are written stand for those of a file: 64 KiB, and the part already sent. Following bytes of the
    /// file may be sent, too; they must be lent next.
    /// </summary>
    /// <param name="file">The file.</param>
    /// <param name="offset">The first byte.</param>
    /// <param name="count">How many bytes of it will be written, in all.</param>
    /// <param name="certain">How many of them will be written, whatever happens to the connection.</param>
    /// <returns>How many bytes to write now; 0 when nothing can be sent any more.</returns>
    public int Lend(SafeFileHandle file, long offset, long count, long certain)
    {
        lock (_lock)
        {
            _lentFile = file;
            _lentOffset = offset;
            _lentBytes = (int)Math.Min(count, LendableBytes + _sentAhead);
            _lentAhead = Math.Clamp(certain - _lentBytes, 0, MaxAhead);
            return _closed || _completed ? 0 : _lentBytes;
        }
    }

    /// <returns>Whether all bytes that were lent have been written.</returns>
    public bool EndLending()
    {
        lock (_lock)
        {
            _lentFile = null;
            return _lentBytes == 0;
        }
    }

    /// <summary>Ends what <see cref="Lend"/> announced.</summary>
    /// <returns>Whether bytes were or will be sent that were not written.</returns>
    public bool EndFile()
    {
        lock (_lock)
        {
            bool isAhead = _sentAhead > 0 || _segments.Tail is { Ahead: > 0 };
            _sentAhead = 0;
            _vainWaits = 0;
            return isAhead;
        }
    }

    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        lock (_lock)
        {
            ThrowIfCompleted();
            _memoryIsOut = true;
            if (_lentFile is not null && _lentBytes > 0)
            {
                return Placeholder.AsMemory(0, _lentBytes);
            }

            if (_segments.Tail?.Block is not { } block || block.Bytes - _position < Math.Max(sizeHint, 1))
            {
                block = AppendBlock(sizeHint);
            }

            return block.Memory[_position..];
        }
    }

    public override Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

    public override void Advance(int bytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(bytes);
        lock (_lock)
        {
            _memoryIsOut = false;
            if (_lentFile is not null && _lentBytes > 0)
            {
                ArgumentOutOfRangeException.ThrowIfGreaterThan(bytes, _lentBytes);
                _lentBytes -= bytes;
                AppendFile(_lentFile, _lentOffset, bytes, _lentBytes == 0 ? _lentAhead : 0);
                _lentOffset += bytes;
                return;
            }

            ArgumentOutOfRangeException.ThrowIfGreaterThan(bytes, (_segments.Tail?.Block?.Bytes ?? 0) - _position);
            _position += bytes;
            _unflushed += bytes;
        }
    }

    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<FlushResult>(cancellationToken);
        }

        bool start, small, wasClosed;
        lock (_lock)
        {
            CommitTail();
            _memoryIsOut = false;
            wasClosed = _closed;
            small = _segments.Files == 0 && _unflushed < WorthSending && _unsent <= _pauseBytes;
            _unflushed = 0;
            start = !_sending && !_closed && _unsent > 0 && !IsDelayed;
            _sending |= start;
        }

        if (start && small)
        {
            if (!ReceiveScheduler.TryTake(this))
            {
                _queue.Add(this);
            }
        }
        else if (start)
        {
            Send(mayBlock: !ReceiveScheduler.RunsRequest);
        }

        short version;
        lock (_lock)
        {
            if (_flushCancelled)
            {
                _flushCancelled = false;
                return new(new FlushResult(isCanceled: true, _closed));
            }

            if (wasClosed || _completed || IsBelow(_pauseBytes))
            {
                return new(new FlushResult(isCanceled: false, wasClosed || _completed || _hasLost));
            }

            if (_flushWaits)
            {
                throw new InvalidOperationException("A flush is in progress. Await it before the next one.");
            }

            _flush.Reset();
            version = _flush.Version;
            _flushToken = cancellationToken;
            _flushWaits = true;
        }

        if (cancellationToken.CanBeCanceled)
        {
            _flushRegistration = cancellationToken.UnsafeRegister(
                static (state, token) => ((SocketOutput)state!).CancelFlush(token), this);
        }

        return new(this, version);
    }

    public override void CancelPendingFlush()
    {
        lock (_lock)
        {
            _flushCancelled = !_flushWaits;
        }

        CompleteFlush(new FlushResult(isCanceled: true, isCompleted: false), inline: false);
    }

    /// <summary>Nothing more will be written. The bytes written so far are still sent, unless there is an error.</summary>
    public override void Complete(Exception? exception = null)
    {
        bool start;
        lock (_lock)
        {
            if (_completed)
            {
                return;
            }

            CommitTail();
            _completed = true;
            _memoryIsOut = false;
            _lentFile = null;
            start = !_sending;
            _sending = true;
        }

        if (exception is not null)
        {
            Abort(exception);
        }

        if (start)
        {
            Send(mayBlock: !ReceiveScheduler.RunsRequest);
        }
    }

    /// <summary>Keeps small writes until the time is over. Callable from any thread.</summary>
    public void Delay(TimeSpan time)
    {
        lock (_lock)
        {
            if (!_closed && !_completed)
            {
                _delayed = true;
                _delay ??= new Timer(
                    static output => ((SocketOutput)output!).EndDelay(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
                _delay.Change(time, Timeout.InfiniteTimeSpan);
            }
        }
    }

    /// <summary>Drops unsent bytes. Callable from any thread.</summary>
    /// <remarks>
    /// A flush that waits is left to the code that sends, which alone knows whether the last byte went out before: a client that resets
    /// its connection after that byte has the whole response.
    /// </remarks>
    public void Abort(Exception error)
    {
        bool ends;
        lock (_lock)
        {
            ends = !_hasEnded;
            _hasEnded = true;
            if (!_closed)
            {
                _closed = true;
                _error = error;
                if (!_sending)
                {
                    ReleaseQueue();
                }
            }
        }

        if (ends)
        {
            _ended(error);
        }
    }

    /// <summary>What <see cref="SendQueue"/> calls, once for each time that this was added to it.</summary>
    /// <remarks>Reading a file that is cold would hold up the other connections, and so would the code that waits for a flush.</remarks>
    public void SendFlushed() => Send(mayBlock: false);

    /// <summary>Sends on a thread that must not block, nor run the code that waits for a flush.</summary>
    public void SendInline()
    {
        if (IsFlushing)
        {
            _queue.Add(this);
        }
        else
        {
            SendFlushed();
        }
    }

    FlushResult IValueTaskSource<FlushResult>.GetResult(short token)
    {
        _flushRegistration.Dispose();
        _flushRegistration = default;
        return _flush.GetResult(token);
    }

    ValueTaskSourceStatus IValueTaskSource<FlushResult>.GetStatus(short token) => _flush.GetStatus(token);

    void IValueTaskSource<FlushResult>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _flush.OnCompleted(continuation, state, token, flags);

    private bool IsDelayed => _delayed && !_completed && _segments.Files == 0 && _unsent <= _pauseBytes;

    private bool IsBelow(long bytes) => !_sending || (_segments.Files == 0 && _unsent <= bytes);

    private void EndDelay()
    {
        bool start;
        lock (_lock)
        {
            _delayed = false;
            start = !_sending && !_closed && _unsent > 0;
            _sending |= start;
        }

        if (start)
        {
            _queue.Add(this);
        }
    }

    private void CancelFlush(CancellationToken token)
    {
        lock (_lock)
        {
            // On a closed connection, the code that sends ends the flush.
            if (!_flushWaits || _flushToken != token || _closed)
            {
                return;
            }

            _flushWaits = false;
        }

        _flush.RunContinuationsAsynchronously = true;
        _flush.SetException(new OperationCanceledException(token));
    }

    private void CompleteFlush(FlushResult result, bool inline)
    {
        lock (_lock)
        {
            if (!_flushWaits)
            {
                return;
            }

            _flushWaits = false;
        }

        _flush.RunContinuationsAsynchronously = !inline;
        _flush.SetResult(result);
    }

    private void ThrowIfCompleted()
    {
        if (_completed)
        {
            throw new InvalidOperationException("Writing is not allowed after the writer was completed.");
        }
    }
}
