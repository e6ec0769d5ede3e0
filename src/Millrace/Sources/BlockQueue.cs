using Millrace.Buffers;
using Millrace.Tuning;

namespace Millrace.Sources;

/// <summary>
/// The blocks between a file and its reader, in the order of the file, whoever reads them and whichever is read first. Owns
/// the blocks, the offset that is claimed next, the end of the file and the error, and starts the worker that reads ahead.
/// </summary>
/// <remarks>Thread-safe. Its lock is never held during a read or a callback.</remarks>
internal sealed class BlockQueue : IDisposable
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

    // Whether the block before the queue is read into the reader's own memory.
    private bool _readingInPlace;
    private SizeSeries _series;
    private int _reading;
    private int _workers;

    public BlockQueue(OpenFile file, in BlockAllocator allocator, IThreadPoolWorkItem worker)
    {
        _file = file;
        _allocator = allocator;
        _worker = worker;
        _claimOffset = file.Start;
    }

    /// <summary>Maximum number of blocks in the queue, and of reads in progress: a seek leaves some behind that still count.</summary>
    public required int Depth { get; init; }

    public int MaxWorkers { get; init; } = 1;

    /// <summary>Blocks begin at multiples of this in the file, in bytes.</summary>
    public int OffsetAlignment { get; init; } = 1;

    /// <summary>How many bytes of the file a block takes.</summary>
    public BlockSizes Sizes { get; init; } = new(BlockPool.BodyBytes);

    /// <summary>Closed when the queue is disposed and the last read has ended.</summary>
    public IDisposable? Handle { get; init; }

    public bool HasWorker => Volatile.Read(ref _workers) > 0;

    /// <summary>Whether there is room for several blocks, or nobody reads any: waking a reader for each costs too much.</summary>
    public bool NeedsReading
    {
        get
        {
            lock (_gate)
            {
                return CanClaim && (_reading == 0 || _queue.Count <= Depth / 2);
            }
        }
    }

    private bool IsStopped => _ended || _error is not null;

    /// <summary>
    /// Up to the known size of the file several blocks may be read at once. Beyond it, and where the size is not known, one
    /// read at a time tells where the next one begins.
    /// </summary>
    private bool CanClaim =>
        !_disposed && !IsStopped && _queue.Count < Depth && _reading < Depth
        && (_claimOffset < _file.KnownEnd || (_queue.Count == 0 && !_readingInPlace));

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

            Monitor.PulseAll(_gate);
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

    /// <summary>Starts a worker if it has something to claim and the queue is at most this long.</summary>
    public void StartWorkerIfAtMost(int queued)
    {
        lock (_gate)
        {
            if (_queue.Count <= queued && CanClaim)
            {
                AddWorker();
            }
        }
    }

    /// <summary>
    /// Takes a block for a worker to read: one that has to wait for the device, or else the next of the file.
    /// </summary>
    /// <returns>Null when there is nothing to do: the worker ends, and <see cref="StartWorker"/> starts it again.</returns>
    public Block? TakeWork(ReadAhead ahead)
    {
        IReadyCallback? callback = null;
        Block? block = null;
        lock (_gate)
        {
            try
            {
                block = FindWaiting();
                if (block is null && MayClaim(ahead))
                {
                    block = ClaimAndEnqueue();
                }
                else if (block is not null)
                {
                    block.State = BlockState.Reading;
                    _reading++;
                }
            }
            catch (Exception exception)
            {
                // Thrown by a foreign pool. On a pool thread it would end the process.
                callback = Fail(exception);
            }

            if (block is null)
            {
                _workers--;
            }
            else if (_workers < MaxWorkers && (FindWaiting() is not null || MayClaim(ahead)))
            {
                AddWorker();
            }
        }

        callback?.OnReady();
        return block;
    }

    /// <summary>Claims the next block of the file, in the queue. Null when it is full or the file ends.</summary>
    public Block? TryClaim(bool onlyWhileReading = false)
    {
        lock (_gate)
        {
            return CanClaim && (!onlyWhileReading || State == QueueState.Reading) ? ClaimAndEnqueue() : null;
        }
    }

    /// <returns>Null if the queue is not empty: a worker was faster.</returns>
    public Block? TryClaimInPlace(Block? own)
    {
        lock (_gate)
        {
            if (State != QueueState.Empty)
            {
                return null;
            }

            Block block = Claim(own);
            _readingInPlace = true;
            return block;
        }
    }

    /// <summary>Ends a claim of <see cref="TryClaimInPlace"/>; what is missing is left to a thread that may wait.</summary>
    public void FinishInPlace(Block block, bool complete)
    {
        lock (_gate)
        {
            _readingInPlace = false;
            Measure(block, complete);
            if (complete)
            {
                Leave(block);
            }
            else
            {
                Reclaim(block.EndOffset, block.Wanted - block.Filled);
            }
        }
    }

    public void Finish(Block block, bool complete = true)
    {
        IReadyCallback? callback = null;
        lock (_gate)
        {
            _reading--;
            Measure(block, complete);
            if (block.Orphaned || _disposed)
            {
                RecycleLocked(block);
                CloseIfUnused();
            }
            else if (complete)
            {
                block.State = BlockState.Done;
                Monitor.PulseAll(_gate);
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
            Recycle(block);
            return EndOrThrow();
        }

        Append(ref window, block);
        return last ? FillResult.FilledLast : FillResult.Filled;
    }

    /// <summary>Appends a block. If memory runs out, the block becomes the head of the queue again.</summary>
    public void Append(ref Window window, Block block)
    {
        try
        {
            Block? free = window.Append(block, _allocator, out Block? alsoFree);
            if (free is not null)
            {
                Recycle(free);
            }

            if (alsoFree is not null)
            {
                Recycle(alsoFree);
            }
        }
        catch
        {
            lock (_gate)
            {
                block.State = BlockState.Done;
                _queue.EnqueueFirst(block);
            }

            throw;
        }
    }

    private bool MayClaim(ReadAhead ahead) =>
        ahead != ReadAhead.Never && (ahead == ReadAhead.Always || _callback is not null) && CanClaim;

    private void AddWorker()
    {
        if (_workers < MaxWorkers && !_disposed)
        {
            _workers++;
            ThreadPool.UnsafeQueueUserWorkItem(_worker, preferLocal: false);
        }
    }

    private Block? FindWaiting()
    {
        for (int i = 0; i < _queue.Count; i++)
        {
            if (_queue.Peek(i).State == BlockState.Waiting)
            {
                return _queue.Peek(i);
            }
        }

        return null;
    }

    private Block ClaimAndEnqueue()
    {
        Block block = Claim(null);
        _queue.Enqueue(block);
        _reading++;
        return block;
    }

    private Block Claim(Block? block)
    {
        block ??= TakeFree();
        long offset = _claimOffset - (_claimOffset % OffsetAlignment);
        int skipped = (int)(_claimOffset - offset);
        if (OffsetAlignment == 1)
        {
            // Not for a device, which asks for its own alignment of both.
            block.Align(offset);
        }

        // After an odd beginning, back to whole pages: the kernel copies those faster.
        int wanted = Sizes.Tuner is { } tuner ? _series.Next(tuner, Sizes.Limit, out int trial) : Sizes.Limit + (trial = 0);
        int bytes = Math.Min(wanted - (int)(offset % BlockPool.Alignment), block.BodyCapacity);
        bytes -= (int)((offset + bytes) % BlockPool.Alignment);
        long end = _claimOffset < _file.KnownEnd ? _file.KnownEnd : _file.Limit;
        bytes = (int)Math.Min(bytes, end - offset);
        block.Prepare(offset, bytes, skipped);
        if (trial > 0 && bytes == wanted)
        {
            block.Trial = trial;
        }
        else if (trial > 0)
        {
            _series.Abandon();
        }

        _claimOffset = offset + bytes;
        return block;
    }

    /// <summary>Takes over what the read of a block cost.</summary>
    private void Measure(Block block, bool complete)
    {
        if (block.Trial > 0)
        {
            if (complete && block.TrialTicks > 0)
            {
                _series.Record(Sizes.Tuner!, block.Trial, block.Filled, block.TrialTicks);
            }
            else
            {
                _series.Abandon();
            }

            block.Trial = 0;
        }
    }

    /// <summary>Gives back the end of the last claim, whose read stopped early at an offset.</summary>
    private void Reclaim(long offset, int bytes)
    {
        if (_queue.Count == 0)
        {
            _claimOffset = offset;
            return;
        }

        Block rest;
        try
        {
            rest = TakeFree();
        }
        catch (Exception)
        {
            // No block from the caller's pool: drop what was read further ahead. It is read again in its turn, where the
            // pool's failure is reported if it lasts.
            Drop();
            _claimOffset = offset;
            return;
        }

        if (OffsetAlignment == 1)
        {
            rest.Align(offset);
        }

        rest.Prepare(offset, bytes, skipped: 0);
        rest.State = BlockState.Waiting;
        _queue.EnqueueFirst(rest);
    }

    /// <summary>Takes over what a block says about the file as it leaves for the window: its end, an error, where to go on.</summary>
    private void Leave(Block block)
    {
        _ended = block.Last;
        _error = block.Error;
        if (IsStopped || (block.Filled < block.Wanted && _queue.Count == 0))
        {
            Drop();
            _claimOffset = block.EndOffset;
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
        Monitor.PulseAll(_gate);
        return TakeCallback();
    }

    private IReadyCallback? TakeCallback()
    {
        IReadyCallback? callback = _callback;
        _callback = null;
        return callback;
    }

    private Block TakeFree() => _free.Count > 0 ? _free.TakeLast() : _allocator.Rent();

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

/// <summary>What the reader finds at the head of a <see cref="BlockQueue"/>.</summary>
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

/// <summary>When a worker claims more blocks than those that wait for it.</summary>
internal enum ReadAhead
{
    Never,
    WhenAwaited,
    Always,
}
