using Millrace.Interop;

namespace Millrace.Appending;

/// <summary>What is done for the pieces of one group, by who is at work.</summary>
internal sealed partial class AppendLog
{
    private unsafe void AppendAll(AppendPiece? group)
    {
        int count = 0;
        for (AppendPiece? piece = group; piece is not null; piece = piece.Next)
        {
            if (piece.Durable && _lost is not null)
            {
                piece.Failure = _lost;
            }
            else if (!piece.Appended)
            {
                if (count == _vectors.Length)
                {
                    Array.Resize(ref _vectors, 2 * count);
                }

                _vectors[count++] = new MemoryVector { Base = piece.Bytes, Length = (nuint)piece.Length };
            }
        }

        if (count > 0)
        {
            fixed (MemoryVector* vectors = _vectors)
            {
                Writes++;
                AppendFailure? failure = File.Append(vectors, count, out long begin, out long written);
                Settle(group, failure, begin, begin + written);
            }
        }
    }

    /// <summary>Tells each piece what became of it, and cuts off the half of one.</summary>
    private void Settle(AppendPiece? group, AppendFailure? failure, long begin, long end)
    {
        long offset = begin;
        bool cut = false;
        for (AppendPiece? piece = group; piece is not null; piece = piece.Next)
        {
            if (piece.Appended || piece.Failure is not null)
            {
                continue;
            }

            if (!cut && offset + piece.Length <= end)
            {
                piece.Appended = true;
                piece.Offset = offset;
                offset += piece.Length;
                continue;
            }

            if (!cut && end > offset)
            {
                failure = Cut(failure!, offset, end);
            }

            cut = true;
            piece.Failure = failure;
        }
    }

    /// <summary>Takes half a piece away again: readers of the log would stumble over it.</summary>
    private AppendFailure Cut(AppendFailure failure, long length, long end) =>
        File.TryCut(length, end) ? failure with { Offset = length } : failure with { TornAt = length };

    /// <summary>Ends the pieces that do not wait for the device.</summary>
    /// <returns>The others.</returns>
    private static AppendPiece? EndUndurable(AppendPiece? group)
    {
        AppendPiece? first = null;
        AppendPiece? last = null;
        while (group is { } piece)
        {
            // Its writer may use it again as soon as it is over.
            group = piece.Next;
            piece.Next = null;
            if (!piece.Durable || piece.Failure is not null)
            {
                piece.End(mayRunHere: false);
            }
            else if (last is null)
            {
                first = piece;
                last = piece;
            }
            else
            {
                last.Next = piece;
                last = piece;
            }
        }

        return first;
    }

    private void FlushAll(AppendPiece group)
    {
        if (FlushToDevice() is { } failure)
        {
            for (AppendPiece? piece = group; piece is not null; piece = piece.Next)
            {
                piece.Failure = failure;
            }
        }
    }

    /// <summary>
    /// Makes what was appended durable. A failure lasts: the system forgets which pages it could not write, and would
    /// call the next flush a success. https://lwn.net/Articles/752063/
    /// </summary>
    private AppendFailure? FlushToDevice()
    {
        Flushes++;
        AppendFailure? failure = File.Flush();
        if (failure is null && !_nameFlushed)
        {
            failure = File.FlushName();
            _nameFlushed = true;
        }

        if (failure is not null)
        {
            Volatile.Write(ref _lost, failure);
        }

        return failure;
    }

    private static void EndAll(AppendPiece? group, bool lastMayRunHere)
    {
        while (group is { } piece)
        {
            group = piece.Next;
            piece.Next = null;

            // A lone writer goes on here, which saves it a change of threads; nobody waits for this one.
            piece.End(mayRunHere: lastMayRunHere && group is null);
        }
    }
}
