using Millrace.Buffers;

namespace Millrace.Appending;

/// <summary>What became of a piece, and what is left at the end.</summary>
internal sealed partial class AppendFileWriter
{
    /// <summary>Takes the result of a piece that is over into account.</summary>
    /// <returns>Why it failed, or null.</returns>
    private AppendFailure? Collect()
    {
        if (!_piece.TryCollect(out Block? block, out int start, out int end))
        {
            return null;
        }

        InFlight = 0;
        AppendFailure? failure = _piece.Failure;
        if (_piece.Appended)
        {
            if (end > start)
            {
                Written += end - start;
                LastFlushOffset = _piece.Offset;
                start = end;
            }

            _unsynced = _durability != Durability.None && (!_piece.Durable || failure is not null);
        }

        if (block is null)
        {
            return failure;
        }

        if (start == end && block.Capacity > BlockPool.HeadroomBytes + BlockPool.BodyBytes)
        {
            // One long piece is no reason to keep so much for the next.
            block.Release();
        }
        else
        {
            RestoreBlock(block, start, end);
        }

        return failure;
    }

    /// <summary>Appends what is left, on this thread or waiting for who is at work.</summary>
    private void AppendRest()
    {
        WaitForPiece();
        _ = Collect();
        if (Buffered == 0)
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
            using var ended = new BlockingPieceWaiter();
            if (_piece.Arm(ended, 0))
            {
                ended.Wait();
            }

            // A flush that waits for the same piece is not told any more.
            _wait.Finish();
        }
    }
}
