using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Millrace.Buffers;
using Millrace.Diagnostics;
using Millrace.Sources;

namespace Millrace;

/// <summary>
/// A file as a <see cref="PipeReader"/>. Every <see cref="ReadResult.Buffer"/> is one segment.
/// </summary>
/// <remarks>
/// <para>
/// One caller at a time, as with every PipeReader; only <see cref="CancelPendingRead"/> may be called from another
/// thread. Buffers belong to the reader and are valid until the next AdvanceTo, <see cref="Seek"/> or completion.
/// </para>
/// <para>
/// Complete or dispose it. The garbage collector returns the memory of a reader when neither it nor a buffer of
/// it is reachable; a span alone does not keep it.
/// </para>
/// <para>
/// <see cref="ReadAsync"/> completes synchronously when the bytes are in memory or in the page cache, allocates nothing,
/// and never makes the calling thread wait for a disk.
/// </para>
/// </remarks>
[DebuggerDisplay("{Path,nq}: position {Position}, {Strategy}")]
public sealed partial class FilePipeReader : PipeReader, IAsyncDisposable, IDisposable
{
    private readonly ReadSource _source;
    private readonly int _maxBuffered;
    private Window _window;
    private int _chunk;

    // Lengths from the window's start: bytes that the caller was given, and how many of them it has examined.
    private int _served;
    private int _examined;
    private bool _ended;
    private PipeState _state;
    private AsyncWait? _wait;
    private ReadTally _tally;

    internal FilePipeReader(OpenFile file, in FileReadOptions options)
        : this(ReadSource.Create(file, options), options)
    {
    }

    /// <summary>A reader of a source that was chosen already.</summary>
    internal FilePipeReader(ReadSource source, in FileReadOptions options)
    {
        OpenFile file = source.File;
        _source = source;
        _chunk = options.BufferSize == 0 ? int.MaxValue : options.BufferSize;
        _maxBuffered = Math.Max(options.MaxBufferedBytes, BlockPool.BodyBytes);
        _window.EndOffset = file.Start;
        MillraceEventSource.Log.Opened(_source);
    }

    /// <summary>What sources call; null as long as no read had to wait. For tests of late calls.</summary>
    internal IReadyCallback? Waiter => _wait;

    /// <summary>The file, as it was given; empty when it was given as a handle.</summary>
    public string Path => _source.File.Path;

    /// <summary>The strategy in use, which may differ from the requested one; never <see cref="ReadStrategy.Auto"/>.</summary>
    public ReadStrategy Strategy => _source.Strategy;

    /// <summary>Why <see cref="Strategy"/> was chosen, in plain words.</summary>
    public string StrategyReason => _source.Reason;

    /// <inheritdoc/>
    /// <exception cref="FilePipeException">
    /// Reading failed (<see cref="FilePipeError.ReadFailed"/>), the file was truncated or changed, or the caller examined
    /// more than the limit without consuming any. Bytes read before are not lost.
    /// </exception>
    /// <exception cref="InvalidOperationException">The reader is completed, or another read is pending.</exception>
    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        if (_state.IsIdle && _examined < _window.Length && !cancellationToken.IsCancellationRequested)
        {
            return new ValueTask<ReadResult>(Serve(1));
        }

        return ReadSlowAsync(1, cancellationToken);
    }

    /// <summary>Reads and waits for the disk on the calling thread, without a thread-pool hop.</summary>
    /// <returns>As <see cref="ReadAsync"/>.</returns>
    /// <exception cref="FilePipeException">As <see cref="ReadAsync"/>.</exception>
    /// <exception cref="InvalidOperationException">The reader is completed, or another read is pending.</exception>
    public ReadResult Read()
    {
        if (_state.IsIdle && _examined < _window.Length)
        {
            return Serve(1);
        }

        ThrowIfUnusable();
        if (!CanSeek || _source is FollowSource)
        {
            // These waits have no time limit, so CancelPendingRead has to be able to end them.
            ValueTask<ReadResult> read = ReadSlowAsync(1, CancellationToken.None);
            return read.IsCompleted ? read.GetAwaiter().GetResult() : read.AsTask().GetAwaiter().GetResult();
        }

        bool done = TryRead(1, wait: true, out ReadResult result);
        Debug.Assert(done, "a waiting read always has an answer");
        return result;
    }

    /// <summary>Takes the bytes in memory that are not yet examined. Never reads from the file.</summary>
    /// <param name="result">What <see cref="ReadAsync"/> would have answered.</param>
    /// <returns>False when a read would have to get more bytes first.</returns>
    /// <exception cref="InvalidOperationException">The reader is completed, or another read is pending.</exception>
    public override bool TryRead(out ReadResult result)
    {
        ThrowIfUnusable();
        if (TakeCancellation())
        {
            result = Current(canceled: true);
            return true;
        }

        if (_examined < _window.Length || _ended)
        {
            result = Serve(1);
            return true;
        }

        result = default;
        return false;
    }

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">
    /// The position is not of the last result's buffer, or the reader is completed.
    /// </exception>
    public override void AdvanceTo(SequencePosition consumed)
    {
        // Once per chunk: the general form below costs twice as much.
        int from = consumed.GetInteger() - _window.Start;
        if (_window.Block is { } block
            && ReferenceEquals(consumed.GetObject(), block.Segment)
            && (uint)from <= (uint)_served
            && _state.IsUsable)
        {
            _window.Start += from;
            _served -= from;
            _examined = 0;
            return;
        }

        AdvanceTo(consumed, consumed);
    }

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">
    /// A position is not of the last result's buffer, lies after the other, or the reader is completed.
    /// </exception>
    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        object? segment = consumed.GetObject();
        if (segment is null && examined.GetObject() is null)
        {
            // The positions of an empty default sequence: nothing was handed out, nothing moves.
            ThrowIfUnusable();
            return;
        }

        int start = _window.Start;
        int from = consumed.GetInteger() - start;
        int to = examined.GetInteger() - start;
        if (_window.Block is not { } block
            || !ReferenceEquals(segment, block.Segment)
            || !ReferenceEquals(segment, examined.GetObject())
            || from < 0 || to < from || to > _served
            || !_state.IsUsable)
        {
            ThrowCannotAdvance(from, to);
        }

        _window.Start = start + from;
        _served -= from;
        _examined = to - from;
    }

    /// <inheritdoc/>
    /// <remarks>
    /// Ends the pending read with <see cref="ReadResult.IsCanceled"/>, or the next one. The reader stays usable; bytes
    /// that are on their way arrive with a later read. Safe from any thread.
    /// </remarks>
    public override void CancelPendingRead()
    {
        _state.Cancel();
        _wait?.End();
    }

    /// <summary>Ends the reading and closes the file. Calling it again does nothing.</summary>
    /// <remarks>
    /// A read in progress on another thread ends first; the caller does not wait for it. On Windows the file is in use until
    /// then: to delete it right after stopping early, open it with <see cref="FileShare.Delete"/>.
    /// </remarks>
    /// <param name="exception">Ignored: a file has no other end to notify.</param>
    public override void Complete(Exception? exception = null)
    {
        if (!_state.TryComplete(out bool pending))
        {
            return;
        }

        if (pending)
        {
            // The read that is pending has the window and gives everything back as it ends.
            _wait?.End();
        }
        else
        {
            Release();
        }
    }

    /// <summary>The same as <see cref="Complete"/>.</summary>
    public void Dispose() => Complete();

    /// <summary>The same as <see cref="Complete"/>, which never waits.</summary>
    public ValueTask DisposeAsync()
    {
        Complete();
        return ValueTask.CompletedTask;
    }

    private void Release()
    {
        _source.Dispose();
        _source.ReleaseWindow(ref _window);
        _served = 0;
        _examined = 0;
        _source.File.Dispose();
        _tally.Flush();
        MillraceEventSource.Log.Closed();
    }

    /// <summary>
    /// The loop of every read: return the bytes in memory, otherwise ask the source.
    /// </summary>
    /// <returns>False when the source needs time and <paramref name="wait"/> is false.</returns>
    private bool TryRead(int minimum, bool wait, out ReadResult result)
    {
        if (TakeCancellation())
        {
            result = Current(canceled: true);
            return true;
        }

        while (true)
        {
            int length = _window.Length;
            if (_ended || (length > _examined && length >= minimum))
            {
                result = Serve(minimum);
                return true;
            }

            if (length >= _maxBuffered)
            {
                ThrowBufferLimit();
            }

            FillResult filled = wait ? _source.Fill(ref _window) : _source.TryFill(ref _window);
            switch (filled)
            {
                case FillResult.Pending:
                    result = default;
                    return false;
                case FillResult.FilledLast or FillResult.EndOfFile:
                    _ended = true;
                    break;
            }

            _tally.Add(_window.Length - length);
        }
    }

    /// <summary>Hands out the bytes in memory, at most as many as the caller's limit.</summary>
    private ReadResult Serve(int minimum)
    {
        int length = _window.Length;
        if (_examined >= _served || _served < minimum)
        {
            int end = length - _examined > _chunk ? _examined + _chunk : length;
            _served = end < minimum ? Math.Min(length, minimum) : end;
        }

        return Current(canceled: false);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ReadResult Current(bool canceled)
    {
        bool completed = _ended && _served == _window.Length;
        if (_window.Block is not { } block)
        {
            return new ReadResult(default, canceled, completed);
        }

        BlockSegment segment = block.Segment;
        var buffer = new ReadOnlySequence<byte>(segment, _window.Start, segment, _window.Start + _served);
        return new ReadResult(buffer, canceled, completed);
    }

    /// <summary>Waits until there is an answer. While it waits no other thread touches the window.</summary>
    /// <remarks>
    /// A loop, because the source may call late, for a read that was canceled meanwhile; blocking here instead would
    /// make the read deaf to its token and to <see cref="CancelPendingRead"/>.
    /// </remarks>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<ReadResult> WaitAsync(CancellationToken cancellationToken)
    {
        _ = _state.TryEnter();
        try
        {
            _tally.Asynchronous++;
            ReadResult result;
            do
            {
                await SuspendAsync(cancellationToken).ConfigureAwait(false);
                ThrowIfCompleted();
            }
            while (!TryRead(1, wait: false, out result));

            ThrowIfCompleted();
            return result;
        }
        finally
        {
            _source.Disarm();

            // Completed while this read used the window: it is for this read to give it back.
            if (_state.Leave())
            {
                Release();
            }
        }
    }

    /// <inheritdoc/>
    protected override ValueTask<ReadResult> ReadAtLeastAsyncCore(
        int minimumSize, CancellationToken cancellationToken) => ReadSlowAsync(minimumSize, cancellationToken);

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<ReadResult> WaitForAtLeastAsync(int minimumSize, CancellationToken cancellationToken)
    {
        int examined = _examined;
        int served = _served;
        while (true)
        {
            // Everything there is counts as examined, so that the wait is for more.
            _examined = Math.Max(_examined, _window.Length);
            ReadResult result;
            try
            {
                result = await ReadSlowAsync(1, cancellationToken).ConfigureAwait(false);
            }
            finally
            {
                _examined = examined;
            }

            if (result.IsCanceled)
            {
                return result;
            }

            // The chunk just waited for was not handed out: the caller's wish holds for the result as a whole, also at the end.
            _served = served;
            if (TryRead(minimumSize, wait: false, out result))
            {
                return result;
            }
        }
    }

    private ValueTask<ReadResult> ReadSlowAsync(int minimum, CancellationToken cancellationToken)
    {
        ThrowIfUnusable();
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<ReadResult>(cancellationToken);
        }

        try
        {
            if (TryRead(minimum, wait: false, out ReadResult result))
            {
                return new ValueTask<ReadResult>(result);
            }
        }
        catch (FilePipeException exception)
        {
            return ValueTask.FromException<ReadResult>(exception);
        }

        return minimum <= 1 ? WaitAsync(cancellationToken) : WaitForAtLeastAsync(minimum, cancellationToken);
    }

    /// <summary>Begins to wait for the source, a token, a cancel or the completion.</summary>
    private ValueTask SuspendAsync(CancellationToken cancellationToken)
    {
        AsyncWait wait = _wait ??= new AsyncWait();
        wait.Begin(cancellationToken);
        if (!_source.Arm(wait) || _state.EndsWaits)
        {
            // There is something already, or it was canceled or completed between the look at the flags and the wait.
            wait.End();
        }

        return wait.Task();
    }

    private bool TakeCancellation() => _state.TakeCancellation();

    private void ThrowIfCompleted() => _state.ThrowIfCompleted(reads: true, Path);

    private void ThrowIfUnusable() => _state.ThrowIfUnusable(reads: true, Path);

    private void ThrowCannotAdvance(int consumed, int examined)
    {
        ThrowIfUnusable();
        throw new InvalidOperationException(
            examined < consumed && consumed >= 0
                ? "The examined position lies before the consumed one."
                : $"A position passed to AdvanceTo is not in the buffer that the last read of '{Path}' returned.");
    }

    private void ThrowBufferLimit() =>
        throw new FilePipeException(
            FilePipeError.BufferLimit,
            $"{_window.Length} bytes of '{Path}' starting at offset {Position} were examined and none consumed, which reaches "
            + $"the limit of {_maxBuffered} bytes. Consume some, or raise {nameof(FileReadOptions)}."
            + $"{nameof(FileReadOptions.MaxBufferedBytes)}.",
            Path,
            Position);
}
