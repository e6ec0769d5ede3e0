using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;

namespace Millrace.Kestrel;

/// <summary>
/// What Kestrel sends over HTTP/2, as the PipeWriter that it writes to. The bytes go straight into the memory of the connection; only the
/// heads of their frames are read there, so that interim responses can be written between frames.
/// </summary>
/// <remarks>
/// Kestrel makes its calls one after the other, under its own lock. Other threads may send at the same time, so one side owns the
/// connection: Kestrel while it writes a frame, and during its flushes; a sender from its first frame to the end of its flush. It is not
/// enough to let Kestrel own it from a write to the next flush, because it does not flush the fields of a response that is aborted meanwhile.
/// What Kestrel writes while a sender owns the connection is held until the sender's flush has ended: the connection of TLS accepts
/// nothing until then. The connection has no owner only where a frame may be inserted.
/// </remarks>
/// <param name="inner">The connection.</param>
/// <param name="input">Its other direction.</param>
internal sealed class InterimOutput(PipeWriter inner, InterimInput input) : PipeWriter
{
    /// <summary>Frames that wait, at most, for a peer that does not read: more than the requests that Kestrel lets a connection run by default.</summary>
    public const int MaxWaiting = 256;

    /// <summary>Streams that Kestrel has reset and that are remembered one by one. Their requests may still run.</summary>
    private const int RememberedResets = 64;

    private const int Nobody = 0;
    private const int Kestrel = 1;
    private const int Sender = 2;

    /// <summary>Taken before a sender begins or ends, and by Kestrel only if it finds one.</summary>
    private readonly Lock _lock = new();
    private readonly List<InterimFrame> _waiting = [];
    private bool _hasWaiting;
    private bool _isClosed;

    private int _owner;

    /// <summary>Whether Kestrel knows that it is the owner.</summary>
    private bool _isKestrels;

    /// <summary>Where Kestrel is. Its owner's, or under the lock while bytes are held.</summary>
    private FrameFollower _frames;
    private bool _hasBegun;
    private bool _isHttp2;
    private bool _isInFields;
    private int[]? _resets;
    private int _nextReset;
    private int _newestForgottenReset;

    /// <summary>What Kestrel has from the connection to write to.</summary>
    private Memory<byte> _memory;

    /// <summary>Kestrel's bytes, and frames between them, for which the connection is not free; null if there are none.</summary>
    private ArrayBufferWriter<byte>? _held;

    /// <summary>Whether Kestrel has memory of <see cref="_held"/> to write to.</summary>
    private bool _isHeldLent;

    /// <summary>Whether frames were inserted since the last flush began. The owner's.</summary>
    private bool _isUnflushed;

    /// <summary>Completes when the sender has made Kestrel, which waits to flush, the owner.</summary>
    private TaskCompletionSource? _turn;

    /// <summary>Completes when the sender has ended.</summary>
    private TaskCompletionSource? _ended;

    private bool CanInsert => _isHttp2 && !_isInFields && _frames.IsBetweenFrames;

    /// <summary>Sends an interim response before all later writes by Kestrel. Callable from any thread.</summary>
    /// <returns>
    /// Whether that is possible; not if one of the stream waits already. It is not sent after all if Kestrel resets the stream, or the
    /// connection ends, before its turn.
    /// </returns>
    public bool TrySend(InterimFrame frame)
    {
        lock (_lock)
        {
            if (_isClosed || !_isHttp2 || input.HasSmallTable || _waiting.Count == MaxWaiting
                || _waiting.Exists(other => other.Stream == frame.Stream) || IsReset(frame.Stream))
            {
                return false;
            }

            _waiting.Add(frame);
            Volatile.Write(ref _hasWaiting, true);
        }

        SendWaiting();
        return true;
    }

    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        if (!TryOwn())
        {
            lock (_lock)
            {
                if (!TryOwn())
                {
                    _held ??= new ArrayBufferWriter<byte>();
                    WriteWaiting(_held);
                    _isHeldLent = true;
                    return _held.GetMemory(sizeHint);
                }
            }
        }

        WriteHeld();
        WriteWaiting(inner);
        return _memory = inner.GetMemory(sizeHint);
    }

    public override Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

    public override void Advance(int bytes)
    {
        if (_isHeldLent)
        {
            lock (_lock)
            {
                int start = _held!.WrittenCount;
                _held.Advance(bytes);
                Follow(_held.WrittenSpan[start..]);
                _isHeldLent = false;
                if (!TryOwn())
                {
                    return;
                }

                WriteHeld();
            }
        }
        else
        {
            Follow(_memory.Span[..bytes]);
            _memory = _memory[bytes..];
            inner.Advance(bytes);
        }

        Leave();
    }

    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        if (!TryOwn())
        {
            lock (_lock)
            {
                if (!TryOwn())
                {
                    _turn = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                    return FlushInTurnAsync(_turn.Task, cancellationToken);
                }
            }
        }

        ValueTask<FlushResult> flush = FlushAllAsync(cancellationToken);
        if (!flush.IsCompletedSuccessfully)
        {
            return LeaveAfterAsync(flush);
        }

        Leave();
        return flush;
    }

    public override void CancelPendingFlush() => inner.CancelPendingFlush();

    public override void Complete(Exception? exception = null)
    {
        _ = CloseAsync();
        inner.Complete(exception);
    }

    public override async ValueTask CompleteAsync(Exception? exception = null)
    {
        await CloseAsync();
        await inner.CompleteAsync(exception);
    }

    /// <summary>Sends no more interim responses, and waits until the last one has been flushed.</summary>
    public Task CloseAsync()
    {
        lock (_lock)
        {
            _isClosed = true;
            _waiting.Clear();
            _hasWaiting = false;
            return _owner == Sender
                ? (_ended ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task
                : Task.CompletedTask;
        }
    }

    /// <summary>Makes Kestrel, which calls this, the owner.</summary>
    /// <returns>False if a sender is.</returns>
    private bool TryOwn() => _isKestrels || (_isKestrels = Interlocked.CompareExchange(ref _owner, Kestrel, Nobody) != Sender);

    /// <summary>Kestrel leaves the connection, if it is between two frames. It need not flush soon, so the thread pool does if it must be.</summary>
    private void Leave()
    {
        if (!CanInsert)
        {
            return;
        }

        bool isUnflushed = _isUnflushed;
        _memory = default;
        _isKestrels = false;
        Interlocked.Exchange(ref _owner, Nobody);
        if (isUnflushed || Volatile.Read(ref _hasWaiting))
        {
            ThreadPool.UnsafeQueueUserWorkItem(static output => output.SendWaiting(), this, preferLocal: false);
        }
    }

    /// <summary>Sends what waits, and flushes. If the connection has an owner, the owner does it.</summary>
    private void SendWaiting()
    {
        lock (_lock)
        {
            if (_isClosed || Interlocked.CompareExchange(ref _owner, Sender, Nobody) != Nobody)
            {
                return;
            }
        }

        _ = SendAsync();
    }

    private async Task SendAsync()
    {
        try
        {
            do
            {
                lock (_lock)
                {
                    if (_held is null)
                    {
                        WriteWaiting(inner);
                    }

                    _isUnflushed = false;
                }

                await inner.FlushAsync();
            }
            while (!TryEnd());
        }
        catch (Exception)
        {
            // The connection has ended; Kestrel's next flush reports it.
            _ = CloseAsync();
            lock (_lock)
            {
                End(Kestrel);
            }
        }
    }

    /// <summary>The sender leaves the connection.</summary>
    /// <returns>False if there is more to flush first.</returns>
    private bool TryEnd()
    {
        lock (_lock)
        {
            if (_turn is null && !_isHeldLent)
            {
                if (_held is not null)
                {
                    WriteHeld();
                    return false;
                }

                if (CanInsert)
                {
                    if (_hasWaiting)
                    {
                        return false;
                    }

                    End(Nobody);
                    return true;
                }
            }

            End(Kestrel);
            return true;
        }
    }

    private void End(int owner)
    {
        Volatile.Write(ref _owner, owner);
        _turn?.SetResult();
        _turn = null;
        _ended?.TrySetResult();
    }

    /// <summary>Writes the held bytes, by the owner of the connection.</summary>
    private void WriteHeld()
    {
        if (_held is { } held)
        {
            _held = null;
            _isHeldLent = false;
            inner.Write(held.WrittenSpan);
        }
    }

    /// <summary>Writes the interim responses that wait, if Kestrel is between two frames.</summary>
    private void WriteWaiting(IBufferWriter<byte> target)
    {
        if (!Volatile.Read(ref _hasWaiting) || !CanInsert)
        {
            return;
        }

        lock (_lock)
        {
            foreach (InterimFrame frame in _waiting)
            {
                if (!input.HasSmallTable && !IsReset(frame.Stream))
                {
                    target.Write(frame.Bytes);
                    _isUnflushed = true;
                }
            }

            _waiting.Clear();
            _hasWaiting = false;
        }
    }

    private ValueTask<FlushResult> FlushAllAsync(CancellationToken cancellationToken)
    {
        WriteHeld();
        WriteWaiting(inner);
        _isUnflushed = false;
        return inner.FlushAsync(cancellationToken);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<FlushResult> FlushInTurnAsync(Task turn, CancellationToken cancellationToken)
    {
        await turn;
        _isKestrels = true;
        return await LeaveAfterAsync(FlushAllAsync(cancellationToken));
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<FlushResult> LeaveAfterAsync(ValueTask<FlushResult> flush)
    {
        try
        {
            return await flush;
        }
        finally
        {
            Leave();
        }
    }

    private void Follow(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            if (_frames.IsInPayload)
            {
                _frames.TakePayload(ref bytes);
            }
            else if (_frames.TakeHead(ref bytes))
            {
                Observe();
            }
        }
    }

    private void Observe()
    {
        if (!_hasBegun)
        {
            // A server's first frame. Anything else is not HTTP/2, or not readable: then nothing may ever be inserted.
            _isHttp2 = _frames is { Type: FrameFollower.Settings, Flags: 0, Stream: 0 };
            _hasBegun = true;
        }

        switch (_frames.Type)
        {
            case FrameFollower.Headers or FrameFollower.PushPromise or FrameFollower.Continuation:
                _isInFields = (_frames.Flags & FrameFollower.EndHeaders) == 0;
                break;
            case FrameFollower.ResetStream:
                Remember(_frames.Stream);
                break;
        }
    }

    private void Remember(int reset)
    {
        lock (_lock)
        {
            _resets ??= new int[RememberedResets];
            ref int slot = ref _resets[_nextReset++ % RememberedResets];
            _nextReset %= RememberedResets;
            _newestForgottenReset = Math.Max(_newestForgottenReset, slot);
            slot = reset;
        }
    }

    /// <remarks>If more were reset than are remembered, every stream up to the newest forgotten one counts as reset.</remarks>
    private bool IsReset(int stream) => stream <= _newestForgottenReset || _resets?.Contains(stream) == true;
}
