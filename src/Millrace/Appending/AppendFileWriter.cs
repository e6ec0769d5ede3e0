using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Millrace.Buffers;

namespace Millrace.Appending;

/// <summary>
/// One of the writers of a log. Gathers in memory of its own, and hands what it has over as one piece when it is flushed.
/// </summary>
internal sealed partial class AppendFileWriter : FilePipeWriter
{
    private readonly AppendPiece _piece;
    private readonly AppendWait _wait;
    private readonly Durability _durability;

    // Whether the device may lack something that this writer has appended, or the name.
    private bool _unsynced;

    public AppendFileWriter(AppendLog log, string path, TornTail? tornTail, in FileAppendOptions options)
        : base(path, new BlockAllocator(options.Pool))
    {
        Log = log;
        _piece = new AppendPiece(path);
        _wait = new AppendWait(this);
        _durability = options.Durability;
        _unsynced = _durability != Durability.None;
        TornTail = tornTail;
        Strategy = WriteStrategy.Buffered;
        StrategyReason = log.File.Native ? "one call appends what several flushes hand over" : "by the framework's means";
    }

    /// <summary>What this writer shares with the others of its file.</summary>
    internal AppendLog Log { get; }

    public override string TargetPath => throw new NotSupportedException();

    public override Microsoft.Win32.SafeHandles.SafeFileHandle Handle => throw new NotSupportedException();

    public override ValueTask WriteThroughAsync(
        System.Buffers.ReadOnlySequence<byte> source, CancellationToken cancellationToken = default) => throw new NotSupportedException();

    private bool FlushesDurably => _durability == Durability.EveryFlush;

    /// <inheritdoc/>
    public override ValueTask<FlushResult> FlushToDeviceAsync(CancellationToken cancellationToken = default)
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
    /// What was gathered and <paramref name="source"/> are appended as one piece. When the wait is canceled, or the flush
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

        if (TakeCancellation())
        {
            Gather(source.Span);
            return new ValueTask<FlushResult>(new FlushResult(isCanceled: true, isCompleted: false));
        }

        return Append(source.Span, FlushesDurably, cancellationToken);
    }

    /// <inheritdoc/>
    public override ValueTask<CommitResult> CommitAsync(CancellationToken cancellationToken = default)
    {
        ThrowIfUnusable();
        return cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<CommitResult>(cancellationToken)
            : CommitCoreAsync(cancellationToken);
    }

    /// <inheritdoc/>
    public override CommitResult Commit() => CommitAsync().AsTask().GetAwaiter().GetResult();

    /// <inheritdoc/>
    public override async ValueTask CompleteAsync(Exception? exception = null)
    {
        if (exception is null && !IsCompleted && _piece.State != PieceState.Running && UnflushedBytes > 0)
        {
            try
            {
                _ = TakeCancellation();
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

    /// <summary>For the wait: its end lets the writer be used again.</summary>
    internal void EndPending() => LeavePending();

    /// <summary>For the wait: what the flush gives.</summary>
    internal FlushResult Waited(WaitEnd end)
    {
        if (end == WaitEnd.Canceled)
        {
            _ = TakeCancellation();
            return new FlushResult(isCanceled: true, isCompleted: false);
        }

        // A writer that is completed meanwhile collects by itself.
        if (!IsCompleted && Collect() is { } failure)
        {
            throw failure.ToException(Path);
        }

        return default;
    }

    /// <remarks>Never: what one flush hands over is one piece, however long.</remarks>
    private protected override bool IsFull(int buffered) => false;

    private protected override void Drain()
    {
        // Nothing is ever full.
    }

    private protected override void EndWait()
    {
        // A completion lets the flush end by itself: what it does cannot be called back.
        if (CancellationAsked)
        {
            _wait.Cancel();
        }
    }

    private protected override void End(Exception? exception)
    {
        try
        {
            if (exception is null)
            {
                AppendRest();
            }
        }
        finally
        {
            if (!_piece.TryOrphan(Log))
            {
                _ = Collect();
                AppendRegistry.Release(Log);
            }
        }
    }

    /// <summary>Appends what was gathered and a source after it, here if nobody else is at work on the file.</summary>
    private ValueTask<FlushResult> Append(ReadOnlySpan<byte> source, bool durable, CancellationToken cancellationToken)
    {
        if (_piece.State == PieceState.Running)
        {
            // An older flush was canceled. It comes first.
            Gather(source);
            return AppendAfterAsync(durable, cancellationToken);
        }

        // What it failed at is in the buffer again, and tried again now.
        _ = Collect();
        if (durable && Log.Lost is { } lost)
        {
            Gather(source);
            return ValueTask.FromException<FlushResult>(LogErrors.Lost(Path, lost));
        }

        bool empty = Buffered + source.Length == 0;
        if (empty && !(durable && _unsynced))
        {
            return default;
        }

        if (!Log.TryEnter())
        {
            Gather(source);
            return HandOver(durable, cancellationToken);
        }

        if (!empty && !TryAppendHere(source, out FilePipeException? error))
        {
            return ValueTask.FromException<FlushResult>(error);
        }

        if (!durable)
        {
            Log.Leave();
            return default;
        }

        EnterPending();
        _piece.Begin(null, 0, 0, durable: true);
        ValueTask<FlushResult> wait = Wait(cancellationToken);
        Log.LeaveToPool(_piece);
        return wait;
    }

    private bool TryAppendHere(
        ReadOnlySpan<byte> source, [System.Diagnostics.CodeAnalysis.NotNullWhen(false)] out FilePipeException? error)
    {
        AppendFailure? failure = Log.Append(Unflushed, source, out long begin);
        if (failure is null)
        {
            Consume(Buffered);
            Written += source.Length;
            LastFlushOffset = begin;
            _unsynced = _durability != Durability.None;
            error = null;
            return true;
        }

        Log.Leave();
        Gather(source);
        error = failure.ToException(Path);
        return false;
    }

    private ValueTask<FlushResult> HandOver(bool durable, CancellationToken cancellationToken)
    {
        EnterPending();
        BeginPiece(durable);
        ValueTask<FlushResult> wait = Wait(cancellationToken);
        Log.Enqueue(_piece);
        return wait;
    }

    private void BeginPiece(bool durable)
    {
        Block? block = TakeBlock(out int start, out int end);
        InFlight = end - start;
        _piece.Begin(block, start, end, durable);
    }

    private ValueTask<FlushResult> Wait(CancellationToken cancellationToken)
    {
        int ticket = _wait.Begin(cancellationToken);
        if (!_piece.Arm(_wait, ticket))
        {
            // It has ended since somebody looked.
            _wait.OnEnded(ticket, mayRunHere: false);
        }

        if (CancellationAsked)
        {
            _wait.Cancel();
        }

        return _wait.Task();
    }

    private async ValueTask<FlushResult> AppendAfterAsync(bool durable, CancellationToken cancellationToken)
    {
        EnterPending();
        try
        {
            FlushResult result = await Wait(cancellationToken).ConfigureAwait(false);
            if (result.IsCanceled)
            {
                return result;
            }
        }
        catch (FilePipeException)
        {
            // Nobody was told of it, and need not be: its bytes are in the buffer again and are tried again now.
        }

        ThrowIfCompleted();
        return await Append(default, durable, cancellationToken).ConfigureAwait(false);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<CommitResult> CommitCoreAsync(CancellationToken cancellationToken)
    {
        FlushResult result = await Append(default, _durability != Durability.None, cancellationToken).ConfigureAwait(false);
        if (result.IsCanceled)
        {
            throw new OperationCanceledException($"Committing '{Path}' was canceled; what it was to append may be there already.");
        }

        var commit = new CommitResult(Written, default);
        Complete();
        return commit;
    }
}
