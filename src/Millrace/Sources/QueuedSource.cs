using Millrace.Buffers;

namespace Millrace.Sources;

/// <summary>
/// Blocks of the file in a queue that is in the order of the file, whoever reads them and whichever is read first.
/// What is done with <see cref="Claim"/>ed blocks is the affair of the classes below this one.
/// </summary>
/// <remarks>Everything protected here is called with <see cref="Gate"/> held, but for <see cref="Deliver"/> and <see cref="Recycle"/>.</remarks>
internal abstract class QueuedSource : ReadSource
{
    private BlockQueue _queue;
    private BlockQueue _free;
    private long _claimOffset;
    private IReadyCallback? _callback;
    private FilePipeException? _error;
    private bool _ended;

    protected QueuedSource(OpenFile file, in BlockAllocator allocator, ReadStrategy strategy, string reason)
    {
        File = file;
        Allocator = allocator;
        Strategy = strategy;
        Reason = reason;
        _claimOffset = file.Start;
    }

    public sealed override OpenFile File { get; }

    public sealed override ReadStrategy Strategy { get; }

    public sealed override string Reason { get; }

    protected sealed override BlockAllocator Allocator { get; }


    protected object Gate { get; } = new();

    /// <summary>The blocks that follow the reader's window, in the order of the file.</summary>
    protected ref BlockQueue Queue => ref _queue;

    protected bool Disposed { get; private set; }

    /// <summary>Whether somebody waits to be called.</summary>
    protected bool Awaited => _callback is not null;

    /// <summary>Whether a block in front of the queue is read that is not in it: the reader's own, read in place.</summary>
    protected bool ReadingInPlace { get; set; }

    /// <summary>Whether the file is known to have nothing after the queue, or an error is to be told.</summary>
    protected bool Stopped => _ended || _error is not null;

    /// <summary>Most blocks in the queue.</summary>
    protected abstract int Depth { get; }

    /// <summary>Blocks begin at multiples of this in the file, in bytes; 1 where it does not matter.</summary>
    protected virtual int OffsetAlignment => 1;

    /// <summary>
    /// Whether there is a block to read. Up to the known size of the file several may be read at once; beyond it, and
    /// where the size is not known, one read at a time tells where the next one begins.
    /// </summary>
    protected bool CanClaim =>
        !Disposed && !Stopped && _queue.Count < Depth
        && (_claimOffset < File.KnownEnd || (_queue.Count == 0 && !ReadingInPlace));

    public sealed override bool Arm(IReadyCallback callback)
    {
        lock (Gate)
        {
            if (Stopped || (_queue.Count > 0 && _queue.Peek(0).State == BlockState.Done))
            {
                return false;
            }

            _callback = callback;
            StartReading();
            return true;
        }
    }

    public sealed override void Disarm()
    {
        lock (Gate)
        {
            _callback = null;
        }
    }

    public sealed override void Seek(long offset)
    {
        lock (Gate)
        {
            DropQueue();
            _claimOffset = offset;
            _ended = false;
            _error = null;
        }
    }

    public override void Dispose()
    {
        lock (Gate)
        {
            Disposed = true;
            _callback = null;
            DropQueue();
            while (_free.Count > 0)
            {
                _free.TakeLast().Release();
            }

            Monitor.PulseAll(Gate);
        }
    }

    /// <summary>Takes a block that another source is done with.</summary>
    public void TakeBack(Block block) => Recycle(block);

    /// <summary>Sees to it that the blocks the reader needs are being read.</summary>
    protected abstract void StartReading();

    protected sealed override void Recycle(Block block)
    {
        lock (Gate)
        {
            RecycleLocked(block);
        }
    }

    /// <summary>Takes the next place in the file, with a block to read it into. See <see cref="CanClaim"/>.</summary>
    /// <param name="block">The block to use; null for a free one.</param>
    protected Block Claim(Block? block)
    {
        block ??= TakeFree();
        long offset = _claimOffset - (_claimOffset % OffsetAlignment);
        int skipped = (int)(_claimOffset - offset);

        // After an odd beginning, back to whole pages: the kernel copies those faster.
        int bytes = block.BodyCapacity - (int)(offset % BlockPool.Alignment);
        long end = _claimOffset < File.KnownEnd ? File.KnownEnd : File.Limit;
        bytes = (int)Math.Min(bytes, end - offset);
        block.Prepare(offset, bytes, skipped);
        _claimOffset = offset + bytes;
        return block;
    }

    protected void Enqueue(Block block) => _queue.Enqueue(block);

    /// <summary>
    /// Gives back the end of the last claim, whose reading stopped short at <paramref name="offset"/>, to be read by a
    /// thread that may wait.
    /// </summary>
    protected void Reclaim(long offset, int bytes)
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
            // No block from the caller's pool: what was read further ahead is given up and read again in its turn,
            // where the pool's failure is told if it lasts.
            DropQueue();
            _claimOffset = offset;
            return;
        }

        rest.Prepare(offset, bytes, skipped: 0);
        rest.State = BlockState.Waiting;
        _queue.EnqueueFirst(rest);
    }

    /// <summary>Drops the queue, to be read again: those who were reading it will not come back.</summary>
    protected void Rewind()
    {
        if (_queue.Count > 0)
        {
            Block head = _queue.Peek(0);
            long offset = head.FileOffset + head.Skipped;
            DropQueue();
            _claimOffset = offset;
        }
    }

    /// <summary>Marks a claimed block as read. Beyond the known size it also says where the next one begins.</summary>
    /// <returns>Who is to be called, without the lock, because the first block in the queue is ready.</returns>
    protected IReadyCallback? Finish(Block block)
    {
        if (block.Orphaned || Disposed)
        {
            RecycleLocked(block);
            return null;
        }

        block.State = BlockState.Done;
        Monitor.PulseAll(Gate);
        if (!ReferenceEquals(_queue.Peek(0), block))
        {
            return null;
        }

        IReadyCallback? callback = _callback;
        _callback = null;
        return callback;
    }

    /// <summary>
    /// Takes note of what a block said about the file as it leaves for the window: its end, an error, where to go on.
    /// </summary>
    protected void Leave(Block block)
    {
        _ended = block.Last;
        _error = block.Error;
        bool shortOfWanted = block.Filled < block.Wanted;
        if (Stopped || (shortOfWanted && _queue.Count == 0))
        {
            DropQueue();
            _claimOffset = block.EndOffset;
        }
    }

    /// <summary>Takes the first block if it is read.</summary>
    protected Block? TakeHead()
    {
        if (_queue.Count == 0 || _queue.Peek(0).State != BlockState.Done)
        {
            return null;
        }

        Block head = _queue.Dequeue();
        Leave(head);
        return head;
    }

    protected FillResult EndOrThrow()
    {
        if (_error is { } error)
        {
            // Told once; the next read tries again.
            _error = null;
            throw error;
        }

        return FillResult.EndOfFile;
    }

    /// <summary>Puts a block that was taken from the queue behind the window.</summary>
    protected FillResult Deliver(ref Window window, Block block)
    {
        bool last = block.Last;
        if (block.Filled <= block.Skipped)
        {
            Recycle(block);
            lock (Gate)
            {
                return EndOrThrow();
            }
        }

        AppendOrKeep(ref window, block);
        return last ? FillResult.FilledLast : FillResult.Filled;
    }

    /// <summary>Appends a block. Where there is no memory for that, the block is the head of the queue again.</summary>
    protected void AppendOrKeep(ref Window window, Block block)
    {
        try
        {
            Append(ref window, block);
        }
        catch
        {
            lock (Gate)
            {
                block.State = BlockState.Done;
                _queue.EnqueueFirst(block);
            }

            throw;
        }
    }

    /// <summary>Tells the reader what kept the item on the pool from reading, such as a foreign pool without memory.</summary>
    /// <returns>Who is to be called, without the lock.</returns>
    protected IReadyCallback? Fail(Exception exception)
    {
        _error = new FilePipeException(
            FilePipeError.Failed,
            $"Reading '{File.Path}' stopped at offset {_claimOffset}: {exception.Message}",
            File.Path,
            _claimOffset,
            exception);
        Monitor.PulseAll(Gate);
        IReadyCallback? callback = _callback;
        _callback = null;
        return callback;
    }

    protected Block TakeFree() => _free.Count > 0 ? _free.TakeLast() : Allocator.Rent();

    protected void RecycleLocked(Block block)
    {
        block.State = BlockState.Idle;
        if (Disposed || block.Headroom == 0 || _free.Count == BlockQueue.Capacity)
        {
            block.Release();
        }
        else
        {
            _free.Enqueue(block);
        }
    }

    private void DropQueue()
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
}
