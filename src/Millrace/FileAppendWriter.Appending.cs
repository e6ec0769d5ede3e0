using System.Diagnostics.CodeAnalysis;
using System.IO.Pipelines;
using Millrace.Appending;
using Millrace.Buffers;
using Millrace.Sources;

namespace Millrace;

/// <content>Appends flushed pieces to the file, at once or after those of other writers.</content>
public sealed partial class FileAppendWriter
{
    private void End(Exception? exception)
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

    /// <summary>Appends the gathered bytes and a source after them, here if no other thread works on the file.</summary>
    private ValueTask<FlushResult> Append(ReadOnlySpan<byte> source, bool durable, CancellationToken cancellationToken)
    {
        if (_piece.State == PieceState.Running)
        {
            // An older flush was canceled. It comes first.
            _buffer.Add(source);
            return AppendAfterAsync(durable, cancellationToken);
        }

        // Bytes of a failed piece are in the buffer again and are retried now.
        _ = Collect();
        if (durable && Log.Lost is { } lost)
        {
            _buffer.Add(source);
            return ValueTask.FromException<FlushResult>(LogErrors.Lost(Path, lost));
        }

        bool empty = _buffer.Count + source.Length == 0;
        if (empty && !(durable && _unsynced))
        {
            return default;
        }

        if (!Log.TryEnter())
        {
            _buffer.Add(source);
            return EnqueuePiece(durable, cancellationToken);
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
        ReadOnlySpan<byte> source, [NotNullWhen(false)] out FilePipeException? error)
    {
        ReadOnlySpan<byte> first = _buffer.Bytes;
        ReadOnlySpan<byte> second = source;
        using NativeBlock? block = PageStep.JoinIfSlow(ref first, ref second, _buffer.Offset);
        AppendFailure? failure = Log.Append(first, second, out long begin);
        if (failure is null)
        {
            int gathered = _buffer.Count;
            _written += gathered + source.Length;
            _buffer.Consume(gathered);
            _buffer.Place(begin + gathered + source.Length);
            LastFlushOffset = begin;
            _unsynced = _durability != Durability.None;
            error = null;
            return true;
        }

        Log.Leave();
        _buffer.Add(source);
        error = failure.ToException(Path);
        return false;
    }

    private ValueTask<FlushResult> EnqueuePiece(bool durable, CancellationToken cancellationToken)
    {
        EnterPending();
        BeginPiece(durable);
        ValueTask<FlushResult> wait = Wait(cancellationToken);
        Log.Enqueue(_piece);
        return wait;
    }

    private void BeginPiece(bool durable)
    {
        Block? block = _buffer.Take(out int start, out int end);
        _inFlight = end - start;
        _piece.Begin(block, start, end, durable);
    }

    private ValueTask<FlushResult> Wait(CancellationToken cancellationToken)
    {
        int ticket = _wait.Begin(cancellationToken);
        if (!_piece.Arm(_wait, ticket))
        {
            // It has ended since the last check.
            _wait.OnReady(ticket, mayRunHere: false);
        }

        if (_state.IsCancellationRequested)
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
            // Not reported: its bytes are in the buffer again and are retried now.
        }

        _state.ThrowIfCompleted(reads: false, Path);
        return await Append(default, durable, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Takes the result of a piece that is over into account.</summary>
    /// <returns>Why it failed, or null.</returns>
    private AppendFailure? Collect()
    {
        if (!_piece.TryCollect(out Block? block, out int start, out int end))
        {
            return null;
        }

        _inFlight = 0;
        AppendFailure? failure = _piece.Failure;
        long? behind = null;
        if (_piece.Appended)
        {
            if (end > start)
            {
                _written += end - start;
                LastFlushOffset = _piece.Offset;
                behind = _piece.Offset + (end - start);
                start = end;
            }

            _unsynced = _durability != Durability.None && (!_piece.Durable || failure is not null);
        }

        if (block is null)
        {
            return failure;
        }

        if (start == end && block.Capacity > BlockPool.BlockBytes)
        {
            // One long piece is no reason to keep so much for the next.
            block.Release();
        }
        else
        {
            _buffer.Restore(block, start, end);
        }

        if (behind is { } next)
        {
            // Unless others append meanwhile.
            _buffer.Place(next);
        }

        return failure;
    }

    /// <summary>Appends the rest, on this thread or after the working thread.</summary>
    private void AppendRest()
    {
        WaitForPiece();
        _ = Collect();
        if (_buffer.Count == 0)
        {
            return;
        }

        if (FlushesDurably && Log.Lost is { } lost)
        {
            throw LogErrors.Lost(Path, lost);
        }

        BeginPiece(FlushesDurably);
        Log.EnqueueHere(_piece);
        WaitForPiece();
        if (Collect() is { } failure)
        {
            throw failure.ToException(Path);
        }
    }

    private void WaitForPiece()
    {
        if (_piece.State == PieceState.Running)
        {
            using var ended = new BlockingWait();
            if (_piece.Arm(ended))
            {
                ended.Wait();
            }

            // A flush that waits for the same piece is not notified any more.
            _wait.Finish();
        }
    }
}
