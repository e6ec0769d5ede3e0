using System.Diagnostics;
using Millrace.Buffers;

namespace Millrace.Sources;

/// <summary>
/// Reads through the page cache, by whoever gets there first: the reader's own thread as long as the cache answers
/// without waiting, and one item on the thread pool. Behind <see cref="ReadStrategy.Buffered"/>, where that item runs
/// only after a miss and reads ahead until the cache answers again, and <see cref="ReadStrategy.ReadAhead"/>, where it
/// runs always.
/// </summary>
/// <remarks>
/// Copying out of the page cache is bound by memory, so two threads that each copy every other block finish sooner than
/// one that copies while the other waits: a reader that would have to wait for the item on the pool reads the block
/// after that instead. A pool without a free thread delays nothing that is in the cache.
/// </remarks>
internal sealed class CachedSource : QueuedSource, IThreadPoolWorkItem
{
    /// <summary>Blocks read ahead at most.</summary>
    /// <remarks>
    /// Enough that the item on the pool is woken once for several blocks, few enough that they stay in the second-level
    /// cache until the caller comes to them. See docs/measuring.md.
    /// </remarks>
    public const int MaxAhead = 4;

    /// <summary>After so many blocks in a row that the cache answered, the reader's own thread reads again.</summary>
    /// <remarks>
    /// 8 MiB: more than the kernel reads ahead of a disk, so that a file which comes from the disk is copied by the pool
    /// all the way and the reader's thread is free.
    /// </remarks>
    private const int HitsToCalm = 32;

    /// <summary>How long the item on the pool looks for room in a full queue before it ends.</summary>
    /// <remarks>About what it costs to wake a thread again, which is what it saves.</remarks>
    private static readonly TimeSpan WorkerSpinAtMost = TimeSpan.FromMicroseconds(20);

    /// <summary>How long the reader looks for a block that is being copied from the cache before it goes to sleep.</summary>
    /// <remarks>A block or two; sleeping and being woken takes as long, and allocates in the caller.</remarks>
    private static readonly TimeSpan ReaderSpinAtMost = TimeSpan.FromMicroseconds(80);

    private const int SpinsBetweenLooks = 10;

    private readonly bool _inPlace;
    private readonly bool _alwaysAhead;
    private bool _workerActive;
    private bool _cold;
    private int _hits;

    public CachedSource(OpenFile file, in BlockAllocator allocator, ReadStrategy strategy, string reason)
        : base(file, allocator, strategy, reason)
    {
        _inPlace = file is { Native: true, CanSeek: true };
        _alwaysAhead = strategy == ReadStrategy.ReadAhead || !_inPlace;
    }

    protected override int Depth => MaxAhead;

    private bool Ahead => _alwaysAhead || _cold;

    public override FillResult TryFill(ref Window window) => FillCore(ref window, mayWait: false);

    public override FillResult Fill(ref Window window) => FillCore(ref window, mayWait: true);

    /// <summary>The item on the thread pool: reads until the queue is full, the file ends, or nobody needs more.</summary>
    void IThreadPoolWorkItem.Execute()
    {
        while (true)
        {
            Block? block = null;
            IReadyCallback? callback = null;
            lock (Gate)
            {
                try
                {
                    block = TakeWork();
                }
                catch (Exception exception)
                {
                    // Thrown by a foreign pool. Here it would end the process.
                    callback = Fail(exception);
                }

                _workerActive = block is not null;
            }

            if (block is null)
            {
                callback?.OnReady();
                return;
            }

            _ = File.Read(block, mayWait: true, out bool hit);
            lock (Gate)
            {
                _hits = hit ? _hits + 1 : 0;
                _cold = _hits < HitsToCalm && (_cold || !hit);
                callback = Finish(block);
            }

            callback?.OnReady();
        }
    }

    protected override void StartReading()
    {
        if (!_workerActive && !Disposed)
        {
            _workerActive = true;
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
    }

    private FillResult FillCore(ref Window window, bool mayWait)
    {
        long waitingSince = 0;
        while (true)
        {
            Block? block;
            bool ready = false;
            bool inPlace = false;
            lock (Gate)
            {
                block = TakeHead();
                if (block is not null)
                {
                    ready = true;

                    // Woken for half of the queue, not for every block: waking a thread costs as much as reading one.
                    if (Ahead && !_workerActive && Queue.Count <= MaxAhead / 2 && CanClaim)
                    {
                        StartReading();
                    }
                }
                else if (Stopped)
                {
                    return EndOrThrow();
                }
                else if (Queue.Count == 0 && (mayWait || (_inPlace && !(_cold && _workerActive))))
                {
                    block = Claim(UsableBlock(window));
                    ReadingInPlace = true;
                    inPlace = true;
                }
                else if (Queue.Count > 0 && Queue.Peek(0).State == BlockState.Reading && _inPlace && !_cold && CanClaim)
                {
                    block = Claim(null);
                    Enqueue(block);
                }
                else if (!SoonRead(ref waitingSince))
                {
                    StartReading();
                    if (!mayWait)
                    {
                        return FillResult.Pending;
                    }

                    Monitor.Wait(Gate);
                    continue;
                }
            }

            if (block is null)
            {
                Thread.SpinWait(SpinsBetweenLooks);
                continue;
            }

            if (ready)
            {
                return Deliver(ref window, block);
            }

            if (inPlace)
            {
                FillResult result = ReadInPlace(ref window, block, mayWait);
                if (result != FillResult.Pending || !mayWait)
                {
                    return result;
                }
            }
            else
            {
                Help(block);
            }
        }
    }

    /// <summary>The window's own block if it can be read into: the one whose memory is in the processor's cache.</summary>
    private static Block? UsableBlock(in Window window) =>
        window.Block is { Headroom: > 0 } own && window.Length <= own.Headroom ? own : null;

    /// <summary>Reads the block that follows the window, on the reader's thread.</summary>
    private FillResult ReadInPlace(ref Window window, Block block, bool mayWait)
    {
        bool own = ReferenceEquals(block, window.Block);
        if (own)
        {
            window.MoveToHeadroom();
        }

        bool complete = File.Read(block, mayWait, out _);
        int added = block.Filled;
        lock (Gate)
        {
            ReadingInPlace = false;
            if (complete)
            {
                Leave(block);
            }
            else
            {
                _cold = true;
                _hits = 0;
                Reclaim(block.EndOffset, block.Wanted - added);
            }

            if (Ahead && CanClaim)
            {
                StartReading();
            }

            if (added == 0)
            {
                if (own)
                {
                    block.State = BlockState.Idle;
                }
                else
                {
                    RecycleLocked(block);
                }

                return complete ? EndOrThrow() : FillResult.Pending;
            }
        }

        bool last = complete && block.Last;
        if (own)
        {
            block.State = BlockState.Idle;
            window.Extend(added);
        }
        else
        {
            AppendOrKeep(ref window, block);
        }

        return last ? FillResult.FilledLast : FillResult.Filled;
    }

    /// <summary>Reads a later block while the item on the pool is at the next one.</summary>
    private void Help(Block block)
    {
        bool complete = File.Read(block, mayWait: false, out _);
        lock (Gate)
        {
            if (complete || block.Orphaned)
            {
                // Nobody is called: it is this thread that would wait.
                _ = Finish(block);
            }
            else
            {
                _cold = true;
                _hits = 0;
                block.State = BlockState.Waiting;
                StartReading();
            }
        }
    }

    /// <summary>
    /// Whether the reader will probably take a block from the full queue before another thread could be woken.
    /// </summary>
    private bool SoonNeeded(ref long idleSince)
    {
        if (_cold || Queue.Count < MaxAhead || Stopped || Disposed)
        {
            return false;
        }

        return IsShort(ref idleSince, WorkerSpinAtMost);
    }

    /// <summary>
    /// Whether the item on the pool will probably be done with the next block before this thread could be suspended and
    /// woken: it copies from the cache, and there is nothing to help with.
    /// </summary>
    private bool SoonRead(ref long waitingSince) =>
        !_cold && _inPlace && Queue.Count > 0 && Queue.Peek(0).State == BlockState.Reading && IsShort(ref waitingSince, ReaderSpinAtMost);

    /// <summary>Whether less than a time has passed since this was first asked.</summary>
    private static bool IsShort(ref long since, TimeSpan atMost)
    {
        long now = Stopwatch.GetTimestamp();
        since = since == 0 ? now : since;
        return Stopwatch.GetElapsedTime(since, now) < atMost;
    }

    /// <summary>What the item on the pool should read next, null when nothing.</summary>
    private Block? TakeWork()
    {
        for (int i = 0; i < Queue.Count; i++)
        {
            Block block = Queue.Peek(i);
            if (block.State == BlockState.Waiting)
            {
                block.State = BlockState.Reading;
                return block;
            }
        }

        if (!CanClaim || !(Ahead || Awaited))
        {
            return null;
        }

        Block claimed = Claim(null);
        Enqueue(claimed);
        return claimed;
    }
}
