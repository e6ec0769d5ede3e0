using Millrace.Buffers;

namespace Millrace.Sources;

/// <summary>
/// The blocks between a file and its reader, in file order, whichever thread reads them and whichever is read first. Owns
/// the blocks, the offset that is claimed next, the end of the file and the error, and starts the worker that reads ahead.
/// </summary>
/// <remarks>Thread-safe. Its lock is never held during a read or a callback.</remarks>
internal sealed partial class BlockQueue : IDisposable
{
    private readonly object _gate = new();
    private readonly OpenFile _file;
    private readonly BlockAllocator _allocator;
    private readonly IThreadPoolWorkItem _worker;
    private BlockRing _queue;
    private BlockRing _free;
    private long _claimOffset;
    private IReadyCallback? _callback;
    private FilePipeException? _error;
    private bool _ended;
    private bool _disposed;
    private int _reading;
    private int _workers;
    private bool _awaited;

    public BlockQueue(OpenFile file, in BlockAllocator allocator, IThreadPoolWorkItem worker)
    {
        _file = file;
        _allocator = allocator;
        _worker = worker;
        _claimOffset = file.Start;
    }

    /// <summary>Maximum number of blocks in the queue, and of reads in progress: a seek abandons some that still count.</summary>
    public required int Depth { get; init; }

    public int MaxWorkers { get; init; } = 1;

    /// <summary>Blocks begin at multiples of this in the file, in bytes.</summary>
    public int OffsetAlignment { get; init; } = 1;

    /// <summary>Bytes that memory is ahead of the file, for <see cref="Block.Align"/>.</summary>
    public int Ahead { get; init; }

    /// <summary>How many bytes of the file a block takes.</summary>
    public int BlockBytes { get; init; } = BlockPool.BodyBytes;

    /// <summary>Closed when the queue is disposed and the last read has ended.</summary>
    public IDisposable? Handle { get; init; }

    public bool HasWorker => Volatile.Read(ref _workers) > 0;

    private bool IsStopped => _ended || _error is not null;

    /// <summary>Takes the first block if it is read; the caller delivers it.</summary>
    public Block? TryTake(out QueueState state)
    {
        lock (_gate)
        {
            state = State;
            if (state != QueueState.Ready)
            {
                return null;
            }

            Block head = _queue.Dequeue();
            Leave(head);
            return head;
        }
    }

    /// <summary>Decides the reader thread's next step, and takes or claims the block for it.</summary>
    /// <param name="own">The block to read into in place; null for a free one.</param>
    /// <param name="helps">Whether the thread reads while another one does; otherwise it waits for that one.</param>
    /// <param name="reads">Whether it reads when no other thread does.</param>
    /// <param name="ahead">Whether a worker is to read further blocks.</param>
    /// <param name="block">The block, if the step has one.</param>
    public ReadStep Next(Block? own, bool helps, bool reads, bool ahead, out Block? block)
    {
        lock (_gate)
        {
            block = null;
            switch (State)
            {
                case QueueState.Ready:
                    block = _queue.Dequeue();
                    Leave(block);
                    _delivering = true;
                    if (ahead)
                    {
                        // Woken for half of the queue, not for every block: waking a thread costs as much as reading one.
                        AddWorkerIfAtMost(Depth / 2);
                    }

                    return ReadStep.Deliver;
                case QueueState.Stopped:
                    return ReadStep.End;
                case QueueState.Empty when reads:
                    block = Claim(own);
                    _readingInPlace = true;
                    return ReadStep.ReadInPlace;
                case QueueState.Reading when helps && CanClaim:
                    block = ClaimAndEnqueue();
                    return ReadStep.ReadLater;
                case QueueState.Reading when helps:
                    return ReadStep.Poll;
                default:
                    return ReadStep.Wait;
            }
        }
    }

    private QueueState State =>
        _queue.Count > 0 && _queue.Peek(0).State == BlockState.Done ? QueueState.Ready
        : IsStopped ? QueueState.Stopped
        : _queue.Count == 0 ? QueueState.Empty
        : _queue.Peek(0).State == BlockState.Reading ? QueueState.Reading
        : QueueState.Waiting;

    /// <summary>Returns the end of the file, or throws what stopped the reading; the next read tries again then.</summary>
    public FillResult EndOrThrow()
    {
        lock (_gate)
        {
            if (_error is { } error)
            {
                _error = null;
                throw error;
            }

            return FillResult.EndOfFile;
        }
    }

    public void WaitForHead()
    {
        lock (_gate)
        {
            while (State is QueueState.Reading or QueueState.Waiting)
            {
                _awaited = true;
                Monitor.Wait(_gate);
            }
        }
    }

    /// <summary>Keeps a callback until the first block is read. False if there is nothing to wait for.</summary>
    public bool Arm(IReadyCallback callback)
    {
        lock (_gate)
        {
            if (State is QueueState.Ready or QueueState.Stopped)
            {
                return false;
            }

            _callback = callback;
            return true;
        }
    }

    public void Disarm()
    {
        lock (_gate)
        {
            _callback = null;
        }
    }

    /// <summary>Drops everything and continues elsewhere.</summary>
    public void Seek(long offset)
    {
        lock (_gate)
        {
            Drop();
            _claimOffset = offset;
            _ended = false;
            _error = null;
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _disposed = true;
            _callback = null;
            Drop();
            while (_free.Count > 0)
            {
                _free.TakeLast().Release();
            }

            WakeReader();
            CloseIfUnused();
        }
    }

    public void StartWorker()
    {
        lock (_gate)
        {
            AddWorker();
        }
    }

    public void Finish(Block block, bool complete = true)
    {
        IReadyCallback? callback = null;
        lock (_gate)
        {
            _reading--;
            if (block.Orphaned || _disposed)
            {
                RecycleLocked(block);
                CloseIfUnused();
            }
            else if (complete)
            {
                block.State = BlockState.Done;
                WakeReader();
                if (ReferenceEquals(_queue.Peek(0), block))
                {
                    callback = TakeCallback();
                }
            }
            else
            {
                block.State = BlockState.Waiting;
                AddWorker();
            }
        }

        callback?.OnReady();
    }

    /// <summary>Reads the queue again from its first block: those who were reading it will not come back.</summary>
    public void Restart(int lostReads)
    {
        lock (_gate)
        {
            _reading -= lostReads;
            if (!_disposed && _queue.Count > 0)
            {
                Block head = _queue.Peek(0);
                long offset = head.FileOffset + head.Skipped;
                Drop();
                _claimOffset = offset;
            }

            AddWorker();
            CloseIfUnused();
        }
    }

    public void Recycle(Block block)
    {
        lock (_gate)
        {
            RecycleLocked(block);
        }
    }

    public FillResult Deliver(ref Window window, Block block)
    {
        bool last = block.Last;
        if (block.Filled <= block.Skipped)
        {
            lock (_gate)
            {
                _delivering = false;
                RecycleLocked(block);
            }

            return EndOrThrow();
        }

        Append(ref window, block);
        return last ? FillResult.FilledLast : FillResult.Filled;
    }

    /// <summary>Appends a block. If memory runs out, the block becomes the head of the queue again.</summary>
    public void Append(ref Window window, Block block)
    {
        Block? free = null;
        Block? alsoFree = null;
        bool appended = false;
        try
        {
            free = window.Append(block, _allocator, out alsoFree);
            appended = true;
        }
        finally
        {
            lock (_gate)
            {
                _delivering = false;
                if (!appended)
                {
                    block.State = BlockState.Done;
                    _queue.EnqueueFirst(block);
                }

                if (free is not null)
                {
                    RecycleLocked(free);
                }

                if (alsoFree is not null)
                {
                    RecycleLocked(alsoFree);
                }
            }
        }
    }

    private void AddWorker()
    {
        if (_workers < MaxWorkers && !_disposed)
        {
            _workers++;
            ThreadPool.UnsafeQueueUserWorkItem(_worker, preferLocal: false);
        }
    }

    /// <summary>Starts a worker if it has something to claim and the queue is at most this long.</summary>
    private void AddWorkerIfAtMost(int queued)
    {
        if (_queue.Count <= queued && CanClaim)
        {
            AddWorker();
        }
    }

    private IReadyCallback? Fail(Exception exception)
    {
        _error = new FilePipeException(
            FilePipeError.Failed,
            $"Reading '{_file.Path}' stopped at offset {_claimOffset}: {exception.Message}",
            _file.Path,
            _claimOffset,
            exception);
        WakeReader();
        return TakeCallback();
    }

    /// <summary>
    /// Calls the runtime only for a waiting reader: the call gives the lock a sync block, which costs a fortieth of the time of a small file.
    /// </summary>
    private void WakeReader()
    {
        if (_awaited)
        {
            _awaited = false;
            Monitor.PulseAll(_gate);
        }
    }

    private IReadyCallback? TakeCallback()
    {
        IReadyCallback? callback = _callback;
        _callback = null;
        return callback;
    }

    private void RecycleLocked(Block block)
    {
        block.State = BlockState.Idle;
        if (_disposed || block.MinHeadroom == 0 || _free.Count == BlockRing.Capacity)
        {
            block.Release();
        }
        else
        {
            _free.Enqueue(block);
        }
    }

    private void Drop()
    {
        while (_queue.Count > 0)
        {
            Block block = _queue.Dequeue();
            if (block.State == BlockState.Reading)
            {
                block.Orphaned = true;
            }
            else
            {
                RecycleLocked(block);
            }
        }
    }

    private void CloseIfUnused()
    {
        if (_disposed && _reading == 0)
        {
            Handle?.Dispose();
        }
    }
}

/// <summary>The state that the reader finds at the head of a <see cref="BlockQueue"/>.</summary>
internal enum QueueState
{
    Ready,

    /// <summary>Nothing was claimed.</summary>
    Empty,
    Reading,

    /// <summary>The first block waits for a worker.</summary>
    Waiting,
    Stopped,
}

/// <summary>The reader thread's next step: <see cref="BlockQueue.Next"/>.</summary>
internal enum ReadStep
{
    /// <summary>Delivers the block.</summary>
    Deliver,

    /// <summary>Reports the end of the file, or the error.</summary>
    End,

    /// <summary>Reads the block, the first that is missing, and calls <see cref="BlockQueue.FinishInPlace"/>.</summary>
    ReadInPlace,

    /// <summary>Reads the block, one after the first, and calls <see cref="BlockQueue.Finish"/>.</summary>
    ReadLater,

    /// <summary>Looks again soon: another thread copies the first block from the page cache.</summary>
    Poll,

    /// <summary>Waits for a worker to read the first block.</summary>
    Wait,
}

/// <summary>When a worker claims more blocks than those that wait for it.</summary>
internal enum ReadAhead
{
    Never,
    WhenAwaited,
    Always,
}
