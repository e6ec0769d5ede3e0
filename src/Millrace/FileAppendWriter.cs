using System.Diagnostics;
using System.IO.Pipelines;
using Millrace.Appending;
using Millrace.Buffers;

namespace Millrace;

/// <summary>A <see cref="PipeWriter"/> that appends to a file, from <see cref="FilePipe.Append"/>.</summary>
/// <remarks>
/// <para>
/// One caller at a time, as with every PipeWriter; only <see cref="CancelPendingFlush"/> may be called from another
/// thread. Memory from <see cref="GetMemory"/> belongs to the writer and is valid until the next call of any member. Several
/// writers of one file may be used at once.
/// </para>
/// <para>
/// A writer gathers bytes in its own memory, and each flush appends them as one unbroken piece.
/// </para>
/// </remarks>
[DebuggerDisplay("{Path,nq}: {AcceptedBytes} bytes accepted")]
public sealed partial class FileAppendWriter : PipeWriter, IAsyncDisposable, IDisposable
{
    private readonly AppendPiece _piece;
    private readonly AppendWait _wait;
    private readonly Durability _durability;
    private WriteBuffer _buffer;
    private PipeState _state;
    private long _written;

    // Bytes of the piece that the log has.
    private long _inFlight;

    // Whether the device may lack something that this writer has appended, or the name.
    private bool _unsynced;

    internal FileAppendWriter(AppendLog log, string path, TornTail? tornTail, in FileAppendOptions options)
    {
        Log = log;
        Path = path;
        TornTail = tornTail;
        _buffer = new WriteBuffer(new BlockAllocator(options.Pool), log.File.Length);
        _piece = new AppendPiece(path);
        _wait = new AppendWait(this);
        _durability = options.Durability;
        _unsynced = _durability != Durability.None;
    }

    /// <remarks>It was never completed: unflushed bytes are lost, but the log closes with its last writer.</remarks>
    ~FileAppendWriter()
    {
        // Null if the constructor failed.
        if (_piece is not null && !_state.IsCompleted && !_piece.TryOrphan(Log))
        {
            AppendRegistry.Release(Log);
        }
    }

    /// <summary>The file, as it was given.</summary>
    public string Path { get; }

    /// <summary>The incomplete record that was found at the end of the file when it was opened; null if there was none.</summary>
    public TornTail? TornTail { get; }

    /// <summary>Bytes that this writer has accepted, flushed or not.</summary>
    public long AcceptedBytes => _written + UnflushedBytes;

    /// <summary>
    /// Offset in the file, in bytes, where the bytes of the last flush begin that appended any; -1 before the first one. Each
    /// flush appends one unbroken piece: with its length this finds it again.
    /// </summary>
    public long LastFlushOffset { get; private set; } = -1;

    /// <inheritdoc/>
    public override bool CanGetUnflushedBytes => true;

    /// <inheritdoc/>
    public override long UnflushedBytes => _buffer.Count + _inFlight;

    /// <summary>What this writer shares with the others of its file.</summary>
    internal AppendLog Log { get; }

    private bool FlushesDurably => _durability == Durability.EveryFlush;

    /// <inheritdoc/>
    /// <remarks>The writer gathers everything until the next flush, without a limit.</remarks>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="sizeHint"/> is negative.</exception>
    /// <exception cref="InvalidOperationException">The writer is completed, or a flush is pending.</exception>
    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        Reserve(sizeHint);
        return _buffer.FreeMemory;
    }

    /// <inheritdoc cref="GetMemory"/>
    public override Span<byte> GetSpan(int sizeHint = 0)
    {
        Reserve(sizeHint);
        return _buffer.FreeSpan;
    }

    /// <inheritdoc/>
    /// <exception cref="ArgumentOutOfRangeException">Negative, or more than was handed out.</exception>
    /// <exception cref="InvalidOperationException">The writer is completed, or a flush is pending.</exception>
    public override void Advance(int bytes)
    {
        if (!_state.IsUsable)
        {
            ThrowIfUnusable();
        }

        _buffer.Advance(bytes);
    }

    /// <summary>
    /// Makes everything durable that any writer of this process has appended to the file, regardless of <see cref="Durability"/>.
    /// </summary>
    /// <param name="cancellationToken">Ends the wait alone: the piece is still appended, once, and the next flush waits for it.</param>
    /// <returns>As <see cref="PipeWriter.FlushAsync"/>.</returns>
    /// <exception cref="FilePipeException">The bytes could not be appended or flushed.</exception>
    /// <exception cref="InvalidOperationException">The writer is completed, or a flush is pending.</exception>
    public ValueTask<FlushResult> FlushToDeviceAsync(CancellationToken cancellationToken = default)
    {
        ThrowIfUnusable();
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<FlushResult>(cancellationToken);
        }

        // Also what writers without durability have appended.
        _unsynced = true;
        return Append(default, durable: true, cancellationToken);
    }

    /// <inheritdoc/>
    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default) =>
        WriteAsync(default, cancellationToken);

    /// <inheritdoc/>
    /// <remarks>
    /// The gathered bytes and <paramref name="source"/> are appended as one piece. When the wait is canceled, or the flush
    /// fails, the writer has accepted the bytes all the same.
    /// </remarks>
    public override ValueTask<FlushResult> WriteAsync(
        ReadOnlyMemory<byte> source, CancellationToken cancellationToken = default)
    {
        ThrowIfUnusable();
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<FlushResult>(cancellationToken);
        }

        if (_state.TakeCancellation())
        {
            _buffer.Add(source.Span);
            return new ValueTask<FlushResult>(new FlushResult(isCanceled: true, isCompleted: false));
        }

        return Append(source.Span, FlushesDurably, cancellationToken);
    }

    /// <inheritdoc/>
    /// <remarks>
    /// Ends the pending flush with <see cref="FlushResult.IsCanceled"/>, or the next one. Its piece is still appended, once, and
    /// the next flush waits for it. Safe from any thread.
    /// </remarks>
    public override void CancelPendingFlush()
    {
        _state.Cancel();
        _wait.Cancel();
    }

    /// <summary>
    /// Closes the writer, and the file with its last writer. Without an exception it first flushes the bytes that are left, on
    /// the calling thread. Calling it again does nothing.
    /// </summary>
    /// <param name="exception">Why; null if nothing went wrong.</param>
    /// <exception cref="FilePipeException">Appending the last bytes failed.</exception>
    public override void Complete(Exception? exception = null)
    {
        if (!_state.TryComplete(out _))
        {
            return;
        }

        try
        {
            End(exception);
        }
        finally
        {
            _buffer.Release();
        }
    }

    /// <inheritdoc/>
    public override async ValueTask CompleteAsync(Exception? exception = null)
    {
        if (exception is null && !_state.IsCompleted && _piece.State != PieceState.Running && UnflushedBytes > 0)
        {
            try
            {
                _ = _state.TakeCancellation();
                await Append(default, FlushesDurably, CancellationToken.None).ConfigureAwait(false);
            }
            catch (FilePipeException failure)
            {
                Complete(failure);
                throw;
            }
        }

        Complete(exception);
    }

    /// <summary>The same as <see cref="Complete"/>.</summary>
    public void Dispose()
    {
        GC.SuppressFinalize(this);
        Complete();
    }

    /// <summary>The same as <see cref="CompleteAsync"/>.</summary>
    public ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        return CompleteAsync();
    }

    /// <summary>For the wait: its end lets the writer be used again.</summary>
    internal void EndPending() => _ = _state.Leave();

    /// <summary>For the wait: the flush's result.</summary>
    internal FlushResult Waited(WaitEnd end)
    {
        if (end == WaitEnd.Canceled)
        {
            _ = _state.TakeCancellation();
            return new FlushResult(isCanceled: true, isCompleted: false);
        }

        // Complete collects the piece of a writer that is completed meanwhile.
        if (!_state.IsCompleted && Collect() is { } failure)
        {
            throw failure.ToException(Path);
        }

        return default;
    }

    private void Reserve(int sizeHint)
    {
        if (!_buffer.Fits(sizeHint) || !_state.IsUsable)
        {
            ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
            ThrowIfUnusable();
            _buffer.Reserve(Math.Max(sizeHint, 1));
        }
    }

    private void EnterPending()
    {
        ThrowIfUnusable();
        _ = _state.TryEnter();
    }

    private void ThrowIfUnusable() => _state.ThrowIfUnusable(reads: false, Path);
}
