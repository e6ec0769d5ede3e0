using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;

namespace Millrace.Sequences;

/// <summary>
/// One iteration over a <see cref="PipeReader"/>: the bytes read and not yet taken, reading more, and giving back the rest.
/// An enumerator's pending move is awaited through it, too. One caller at a time.
/// </summary>
internal sealed class Feed
{
    // The same as FilePipe's own reads of a stream: large enough that a read's fixed cost does not show.
    private const int StreamBufferBytes = 64 * 1024;

    private readonly PipeReader _reader;
    private readonly Stream? _stream;
    private readonly CancellationToken _cancellationToken;
    private readonly bool _continueOnCapturedContext;

    // Where a stream that can seek was when the iteration began; -1 for any other source.
    private readonly long _origin = -1;
    private ConfiguredValueTaskAwaitable<bool>.ConfiguredValueTaskAwaiter _move;
    private ReadOnlySequence<byte> _rest;
    private bool _held;
    private bool _completed;
    private bool _ended;
    private MemoryHandle _pin;

    public Feed(in SequenceSource source)
    {
        _stream = source.Stream;
        if (_stream is { CanSeek: true })
        {
            _origin = _stream.Position;
        }

        _reader = source.Reader ?? PipeReader.Create(
            source.Stream!, new StreamPipeReaderOptions(bufferSize: StreamBufferBytes, leaveOpen: true));
        _cancellationToken = source.CancellationToken;
        _continueOnCapturedContext = source.ContinueOnCapturedContext;
    }

    /// <remarks>The iteration was never ended. An array that is pinned would stay for good.</remarks>
    ~Feed() => _pin.Dispose();

    /// <summary>The bytes read and not yet taken; valid until the next read.</summary>
    public ReadOnlySequence<byte> Rest => _rest;

    /// <summary>How many bytes were taken; for error messages.</summary>
    public long Taken { get; private set; }

    /// <summary>The file that is read; null where its name is unknown.</summary>
    public string? Path => (_reader as FilePipeReader)?.Path is { Length: > 0 } path ? path : (_stream as FileStream)?.Name;

    public bool IsMoveCompleted => _move.IsCompleted;

    /// <summary>The first part of <see cref="Rest"/> that is not empty; empty when there is none.</summary>
    public ReadOnlyMemory<byte> FirstSegment()
    {
        if (!_rest.First.IsEmpty)
        {
            return _rest.First;
        }

        foreach (ReadOnlyMemory<byte> segment in _rest)
        {
            if (!segment.IsEmpty)
            {
                return segment;
            }
        }

        return default;
    }

    /// <summary>Marks the next bytes as taken: the iteration never comes back to them.</summary>
    public void Take(long bytes)
    {
        _rest = _rest.Slice(bytes);
        Taken += bytes;
    }

    /// <summary>
    /// Reads until <see cref="Rest"/> has more bytes than before; those that were not taken stay in front.
    /// </summary>
    /// <returns>False when there is nothing more.</returns>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<bool> ReadMoreAsync()
    {
        ObjectDisposedException.ThrowIf(_ended, typeof(Feed));
        long had = _rest.Length;
        while (!_completed)
        {
            // Before the read and not only inside it: a reader that always has bytes may never look at the token.
            _cancellationToken.ThrowIfCancellationRequested();
            GiveBack(_rest.End);
            ReadResult result = await _reader.ReadAsync(_cancellationToken).ConfigureAwait(false);
            _rest = result.Buffer;
            _held = true;
            if (result.IsCanceled)
            {
                throw new OperationCanceledException(
                    $"The read was cancelled by {nameof(PipeReader.CancelPendingRead)}.");
            }

            _completed = result.IsCompleted;
            if (_rest.Length > had)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Pins the memory that is read through a pointer, until <see cref="Unpin"/>.</summary>
    public unsafe byte* Pin(ReadOnlyMemory<byte> memory)
    {
        _pin = memory.Pin();
        return (byte*)_pin.Pointer;
    }

    public void Unpin()
    {
        _pin.Dispose();
        _pin = default;
    }

    [SuppressMessage("Usage", "CA1816", Justification = "An iteration ends, it is not disposed.")]
    public void End()
    {
        if (_ended)
        {
            return;
        }

        _ended = true;
        GC.SuppressFinalize(this);
        GiveBackRest();

        // Not counted from where the stream is now: a read that failed may have moved it.
        if (_stream is not null)
        {
            _reader.Complete();
            if (_origin >= 0 && _stream.CanSeek)
            {
                _stream.Position = _origin + Taken;
            }
        }
    }

    /// <summary>Lets an enumerator's caller await a move that did not complete synchronously.</summary>
    public SegmentSequence.NextAwaitable Await(ValueTask<bool> move)
    {
        if (move.IsCompletedSuccessfully)
        {
            if (move.GetAwaiter().GetResult())
            {
                return default;
            }

            move = new ValueTask<bool>(false);
        }

        _move = move.ConfigureAwait(_continueOnCapturedContext).GetAwaiter();
        return new SegmentSequence.NextAwaitable(this);
    }

    public bool GetMoveResult() => _move.GetResult();

    public void OnMoveCompleted(Action continuation) => _move.OnCompleted(continuation);

    public void UnsafeOnMoveCompleted(Action continuation) => _move.UnsafeOnCompleted(continuation);

    private void GiveBackRest()
    {
        try
        {
            GiveBack(_rest.Start);
        }
        catch (InvalidOperationException)
        {
            // A reader may refuse to treat bytes as unexamined that this iteration or an earlier caller examined,
            // and does not report how far. The framework's own readers do not refuse.
            _reader.AdvanceTo(_rest.Start, _rest.End);
        }

        // After a read that failed there was nothing to give back, and a file pipe would keep the bytes it considers examined.
        (_reader as FilePipeReader)?.ForgetExamined();
        _rest = default;
    }

    private void GiveBack(SequencePosition examined)
    {
        if (_held)
        {
            _held = false;
            _reader.AdvanceTo(_rest.Start, examined);
            _rest = default;
        }
    }
}
