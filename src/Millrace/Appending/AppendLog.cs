using Millrace.Interop;

namespace Millrace.Appending;

/// <summary>
/// One open file that several writers append to. One thread at a time is at work on it, and it is whoever needs it: a
/// writer for its own write, a pool thread for the device. What comes meanwhile waits in a list, is appended together
/// by one call, and shares one flush: group commit.
/// </summary>
/// <remarks>The gate guards the list and who is at work; it is never held during a system call.</remarks>
internal sealed partial class AppendLog(LogFile file, LogKey key) : IThreadPoolWorkItem
{
    private readonly Lock _gate = new();
    private MemoryVector[] _vectors = new MemoryVector[16];
    private AppendPiece? _first;
    private AppendPiece? _last;
    private bool _busy;
    private bool _nameFlushed;
    private AppendFailure? _lost;

    /// <summary>Under which the registry has it.</summary>
    public LogKey Key { get; } = key;

    public LogFile File { get; } = file;

    /// <summary>Why the device failed. It lasts: see <see cref="FlushToDevice"/>.</summary>
    public AppendFailure? Lost => Volatile.Read(ref _lost);

    /// <summary>How often the system was called to append.</summary>
    public long Writes { get; private set; }

    /// <summary>How often the device was waited for.</summary>
    public long Flushes { get; private set; }

    /// <summary>Makes the caller the one at work, if nobody is. <see cref="Leave"/> or <see cref="LeaveToPool"/> ends it.</summary>
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

    /// <summary>The caller is done; what has come meanwhile is the pool's.</summary>
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

    /// <summary>The caller is done, but for a piece that the pool is to go on with.</summary>
    public void LeaveToPool(AppendPiece piece)
    {
        lock (_gate)
        {
            Add(piece);
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Takes a piece; its end is told to who is armed.</summary>
    public void Enqueue(AppendPiece piece)
    {
        if (AddAndEnter(piece))
        {
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
    }

    /// <summary>The same for a caller that waits for it anyway: done on its thread, unless somebody is at work.</summary>
    public void EnqueueHere(AppendPiece piece)
    {
        if (AddAndEnter(piece) && RunGroup())
        {
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
    }

    /// <summary>Appends two parts as one piece on the calling thread; only between <see cref="TryEnter"/> and its end.</summary>
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
            // Not at once: the writers whose flush has just ended run first where they can, and what they append next
            // comes with this group instead of the one after. 64 writers so shared a flush by 57 instead of by 33.
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
    }

    /// <summary>Does what has come so far.</summary>
    /// <returns>Whether more has come meanwhile; else nobody is at work any more.</returns>
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
        group = EndUndurable(group);
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
}
