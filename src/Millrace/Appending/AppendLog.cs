using Millrace.Interop;

namespace Millrace.Appending;

/// <summary>
/// One open file that several writers append to. One thread works on it at a time, the one that needs it: a
/// writer for its own write, a pool thread for the device. Pieces that arrive meanwhile wait in a list, are appended together
/// by one call, and share one flush: group commit.
/// </summary>
/// <remarks>The gate guards the list and who is at work; it is never held during a system call.</remarks>
internal sealed class AppendLog(LogFile file, LogKey key) : IThreadPoolWorkItem
{
    private readonly Lock _gate = new();
    private MemoryVector[] _vectors = new MemoryVector[16];
    private AppendPiece? _first;
    private AppendPiece? _last;
    private bool _busy;
    private bool _nameFlushed;
    private AppendFailure? _lost;

    public LogKey Key { get; } = key;

    public LogFile File { get; } = file;

    /// <summary>Why the device failed. It lasts: see <see cref="FlushToDevice"/>.</summary>
    public AppendFailure? Lost => Volatile.Read(ref _lost);

    public long Writes { get; private set; }

    public long Flushes { get; private set; }

    /// <summary>Makes the caller the working thread if there is none. <see cref="Leave"/> or <see cref="LeaveToPool"/> ends it.</summary>
    public bool TryEnter()
    {
        lock (_gate)
        {
            if (_busy)
            {
                return false;
            }

            _busy = true;
            return true;
        }
    }

    public void Leave()
    {
        lock (_gate)
        {
            if (_first is null)
            {
                _busy = false;
                return;
            }
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    public void LeaveToPool(AppendPiece piece)
    {
        lock (_gate)
        {
            Add(piece);
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Takes a piece; its end is reported to the armed wait.</summary>
    public void Enqueue(AppendPiece piece)
    {
        if (AddAndEnter(piece))
        {
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
    }

    /// <summary>The same for a caller that blocks anyway: done on its thread unless another thread works on the file.</summary>
    public void EnqueueHere(AppendPiece piece)
    {
        if (AddAndEnter(piece) && RunGroup())
        {
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
    }

    /// <returns>Null, or why nothing was appended.</returns>
    public unsafe AppendFailure? Append(ReadOnlySpan<byte> first, ReadOnlySpan<byte> second, out long begin)
    {
        MemoryVector* vectors = stackalloc MemoryVector[2];
        int count = 0;
        fixed (byte* a = first)
        {
            fixed (byte* b = second)
            {
                if (!first.IsEmpty)
                {
                    vectors[count++] = new MemoryVector { Base = a, Length = (nuint)first.Length };
                }

                if (!second.IsEmpty)
                {
                    vectors[count++] = new MemoryVector { Base = b, Length = (nuint)second.Length };
                }

                Writes++;
                AppendFailure? failure = File.Append(vectors, count, out begin, out long written);
                return failure is null || written == 0 ? failure : Cut(failure, begin, begin + written);
            }
        }
    }

    void IThreadPoolWorkItem.Execute()
    {
        if (RunGroup())
        {
            // Not at once: the writers whose flush has just ended run first where they can, and their next pieces
            // come with this group instead of the one after. 64 writers so shared a flush by 57 instead of by 33.
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
    }

    /// <returns>Whether more pieces arrived meanwhile; otherwise no thread works on the file any more.</returns>
    private bool RunGroup()
    {
        AppendPiece? group;
        lock (_gate)
        {
            group = _first;
            _first = null;
            _last = null;
        }

        AppendAll(group);
        group = EndNonDurable(group);
        if (group is not null)
        {
            FlushAll(group);
        }

        bool more;
        lock (_gate)
        {
            more = _first is not null;
            _busy = more;
        }

        EndAll(group, lastMayRunHere: !more);
        return more;
    }

    private bool AddAndEnter(AppendPiece piece)
    {
        lock (_gate)
        {
            Add(piece);
            bool free = !_busy;
            _busy = true;
            return free;
        }
    }

    private void Add(AppendPiece piece)
    {
        if (_last is null)
        {
            _first = piece;
        }
        else
        {
            _last.Next = piece;
        }

        _last = piece;
    }

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

    private static AppendPiece? EndNonDurable(AppendPiece? group)
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
    /// Makes the appended bytes durable. A failure is permanent: the system forgets which pages it could not write, and would
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

            // A lone writer goes on here, which saves it a thread hop; nothing waits for this one.
            piece.End(mayRunHere: lastMayRunHere && group is null);
        }
    }
}
