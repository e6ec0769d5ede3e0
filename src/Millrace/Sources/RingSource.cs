using Millrace.Buffers;

namespace Millrace.Sources;

/// <summary>
/// Blocks of the file in order, read by whoever gets there first: the reader itself as long as the page cache answers
/// without waiting, otherwise one item on the thread pool, which then reads ahead. Behind
/// <see cref="ReadStrategy.Buffered"/> and <see cref="ReadStrategy.ReadAhead"/>, which differ in when that item runs.
/// </summary>
/// <remarks>
/// One thread at a time reads from the file (<see cref="_reading"/>), so that blocks come in order. A thread pool without
/// a free thread delays nothing that is in the cache: the reader takes its turn itself.
/// </remarks>
internal sealed class RingSource : ReadSource, IThreadPoolWorkItem
{
    /// <summary>Blocks read ahead at most.</summary>
    /// <remarks>
    /// Enough that the item on the pool is woken once for several blocks, few enough that they stay in the second-level
    /// cache until the caller comes to them. See docs/measuring.md.
    /// </remarks>
    public const int Depth = 4;

    /// <summary>
    /// After so many blocks in a row that the cache answered, <see cref="ReadStrategy.Buffered"/> goes back to reading on
    /// the calling thread.
    /// </summary>
    private const int HitsToCalm = 8;

    private readonly OpenFile _file;
    private readonly object _gate = new();
    private readonly bool _inline;
    private readonly bool _alwaysAhead;

    private BlockQueue _full;
    private BlockQueue _free;
    private long _nextOffset;
    private int _epoch;
    private int _hits;
    private bool _reading;
    private bool _ahead;
    private bool _ended;
    private bool _disposed;
    private WorkerState _worker;
    private FilePipeException? _error;
    private IReadyCallback? _callback;

    public RingSource(OpenFile file, in BlockAllocator allocator, ReadStrategy strategy, string reason)
    {
        _file = file;
        Allocator = allocator;
        Strategy = strategy;
        Reason = reason;
        _nextOffset = file.Start;
        _inline = file is { Native: true, CanSeek: true };
        _alwaysAhead = strategy == ReadStrategy.ReadAhead || !_inline;
        _ahead = _alwaysAhead;
    }

    private enum WorkerState
    {
        Idle,
        Queued,
        Running,
    }

    public override ReadStrategy Strategy { get; }

    public override string Reason { get; }

    protected override BlockAllocator Allocator { get; }

    public override FillResult TryFill(ref Window window)
    {
        lock (_gate)
        {
            if (TakeFull() is { } full)
            {
                return Take(ref window, full);
            }

            if (_error is not null || _ended)
            {
                return EndOrThrow();
            }

            // A worker that runs is faster left alone; one that the pool has not started yet is not waited for.
            if (!_inline || _reading || _worker == WorkerState.Running)
            {
                StartWorker();
                return FillResult.Pending;
            }

            _reading = true;
        }

        return ReadInline(ref window, wait: false);
    }

    public override FillResult Fill(ref Window window)
    {
        lock (_gate)
        {
            while (true)
            {
                if (TakeFull() is { } full)
                {
                    return Take(ref window, full);
                }

                if (_error is not null || _ended)
                {
                    return EndOrThrow();
                }

                if (!_reading)
                {
                    _reading = true;
                    break;
                }

                Monitor.Wait(_gate);
            }
        }

        return ReadInline(ref window, wait: true);
    }

    public override bool Arm(IReadyCallback callback)
    {
        lock (_gate)
        {
            if (_full.Count > 0 || _error is not null || _ended)
            {
                return false;
            }

            _callback = callback;
            StartWorker();
            return true;
        }
    }

    public override void Disarm()
    {
        lock (_gate)
        {
            _callback = null;
        }
    }

    public override void Seek(long offset)
    {
        lock (_gate)
        {
            _epoch++;
            _nextOffset = offset;
            _ended = false;
            _error = null;
            _hits = 0;
            while (_full.Count > 0)
            {
                RecycleLocked(_full.Dequeue());
            }
        }
    }

    public override void Dispose()
    {
        lock (_gate)
        {
            _disposed = true;
            _callback = null;
            while (_full.Count > 0)
            {
                _full.Dequeue().Release();
            }

            while (_free.Count > 0)
            {
                _free.TakeLast().Release();
            }

            Monitor.PulseAll(_gate);
        }
    }

    /// <summary>The item on the thread pool: reads ahead until the queue is full, the file ends, or nobody needs it.</summary>
    void IThreadPoolWorkItem.Execute()
    {
        while (true)
        {
            Block? block;
            long offset;
            int epoch;
            lock (_gate)
            {
                _worker = WorkerState.Running;
                if (!_alwaysAhead && _hits >= HitsToCalm)
                {
                    _ahead = false;
                }

                bool needed = _callback is not null || _ahead;
                if (_disposed || _ended || _error is not null || _reading || _full.Count >= Depth || !needed)
                {
                    _worker = WorkerState.Idle;
                    return;
                }

                _reading = true;
                block = TakeFree();
                offset = _nextOffset;
                epoch = _epoch;
            }

            block ??= Allocator.Rent();
            ReadOutcome outcome = ReadNext(block, offset, wait: true);
            IReadyCallback? callback = null;
            lock (_gate)
            {
                _reading = false;
                if (epoch != _epoch || _disposed)
                {
                    RecycleLocked(block);
                }
                else
                {
                    Publish(outcome);
                    if (outcome.Bytes > 0)
                    {
                        _full.Enqueue(block);
                    }
                    else
                    {
                        RecycleLocked(block);
                    }

                    callback = _callback;
                    _callback = null;
                }

                Monitor.PulseAll(_gate);
            }

            callback?.OnReady();
        }
    }

    protected override void Recycle(Block block)
    {
        lock (_gate)
        {
            RecycleLocked(block);
        }
    }

    private Block? TakeFull()
    {
        if (_full.Count == 0)
        {
            return null;
        }

        Block full = _full.Dequeue();

        // Woken when half of the queue is free, not for every block: waking a thread costs as much as reading one.
        if (_ahead && _full.Count <= Depth / 2)
        {
            StartWorker();
        }

        return full;
    }

    private Block? TakeFree() => _free.Count > 0 ? _free.TakeLast() : null;

    private FillResult Take(ref Window window, Block full)
    {
        bool last = _ended && _full.Count == 0;
        Append(ref window, full);
        return last ? FillResult.FilledLast : FillResult.Filled;
    }

    private FillResult EndOrThrow()
    {
        if (_error is { } error)
        {
            _error = null;
            throw error;
        }

        return FillResult.EndOfFile;
    }

    /// <summary>Reads the next block on the reader's own thread, which holds the turn (<see cref="_reading"/>).</summary>
    private FillResult ReadInline(ref Window window, bool wait)
    {
        bool intoWindow = window.Block is { Headroom: > 0 } own && window.Length <= own.Headroom;
        Block block;
        if (intoWindow)
        {
            window.MoveToHeadroom();
            block = window.Block!;
        }
        else
        {
            lock (_gate)
            {
                block = TakeFree()!;
            }

            block ??= Allocator.Rent();
        }

        ReadOutcome outcome = ReadNext(block, _nextOffset, wait);
        bool last;
        lock (_gate)
        {
            _reading = false;
            if (outcome.Bytes < 0)
            {
                _ahead = true;
                _hits = 0;
            }
            else
            {
                Publish(outcome);
            }

            if (_ahead)
            {
                StartWorker();
            }

            last = _ended;
        }

        if (outcome.Bytes <= 0)
        {
            if (!intoWindow)
            {
                Recycle(block);
            }

            lock (_gate)
            {
                return outcome.Bytes < 0 ? FillResult.Pending : EndOrThrow();
            }
        }

        if (intoWindow)
        {
            window.Extend(outcome.Bytes);
        }
        else
        {
            Append(ref window, block);
        }

        return last ? FillResult.FilledLast : FillResult.Filled;
    }

    /// <summary>Reads one block. Nobody else reads meanwhile; nothing of the ring is touched.</summary>
    private ReadOutcome ReadNext(Block block, long offset, bool wait)
    {
        try
        {
            bool regular = _file.Kind == Interop.FileKind.Regular;
            if (offset >= _file.Limit
                || (regular && offset >= _file.SizeAtOpen && _file.SizeAtOpen > 0 && _file.IsEnd(offset, sawEnd: false)))
            {
                _ = _file.IsEnd(offset, sawEnd: true);
                return new ReadOutcome(0, Hit: true, Last: true, null);
            }

            // After an odd beginning, back to whole pages: the kernel copies those faster.
            int bytes = (int)Math.Min(block.BodyCapacity - (offset % BlockPool.Alignment), _file.Limit - offset);
            bool hit = true;
            int read = wait && _alwaysAhead ? -1 : _file.ReadCached(block, offset, bytes);
            if (read < 0)
            {
                if (!wait)
                {
                    return new ReadOutcome(-1, Hit: false, Last: false, null);
                }

                hit = false;
                read = _file.ReadWaiting(block, offset, bytes);
            }

            if (read == 0)
            {
                _ = _file.IsEnd(offset, sawEnd: true);
                return new ReadOutcome(0, hit, Last: true, null);
            }

            block.Filled = read;
            long end = offset + read;
            return EndAfter(read, end, hit);
        }
        catch (FilePipeException exception)
        {
            return new ReadOutcome(0, Hit: false, Last: false, exception);
        }
    }

    /// <summary>Looks whether the bytes just read are the last, so that they arrive together with the end.</summary>
    private ReadOutcome EndAfter(int read, long end, bool hit)
    {
        bool atEnd = end >= _file.Limit || (_file.SizeAtOpen > 0 && end >= _file.SizeAtOpen);
        if (!atEnd)
        {
            return new ReadOutcome(read, hit, Last: false, null);
        }

        try
        {
            return new ReadOutcome(read, hit, _file.IsEnd(end, sawEnd: end >= _file.Limit), null);
        }
        catch (FilePipeException exception)
        {
            // What was read is good and is delivered; the error comes with the next read.
            return new ReadOutcome(read, hit, Last: false, exception);
        }
    }

    private void Publish(in ReadOutcome outcome)
    {
        _nextOffset += outcome.Bytes;
        _error = outcome.Error;
        _ended |= outcome.Last;
        _hits = outcome.Hit ? _hits + 1 : 0;
    }

    private void StartWorker()
    {
        if (_worker == WorkerState.Idle && !_disposed)
        {
            _worker = WorkerState.Queued;
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
    }

    private void RecycleLocked(Block block)
    {
        if (_disposed || block.Headroom == 0 || _free.Count == BlockQueue.Capacity)
        {
            block.Release();
        }
        else
        {
            _free.Enqueue(block);
        }
    }

    /// <param name="Bytes">Bytes read, 0 at the end or with an error, -1 when it would have to wait.</param>
    /// <param name="Hit">Whether the page cache had them.</param>
    /// <param name="Last">Whether nothing follows.</param>
    /// <param name="Error">What went wrong after those bytes.</param>
    private readonly record struct ReadOutcome(int Bytes, bool Hit, bool Last, FilePipeException? Error);
}
