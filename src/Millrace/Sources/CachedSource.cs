using System.Diagnostics;
using Millrace.Buffers;

namespace Millrace.Sources;

/// <summary>
/// Reads through the page cache, on the first available thread: the reader's as long as the cache answers
/// without waiting, and one worker on the thread pool. Behind <see cref="ReadStrategy.Buffered"/>, where the worker runs
/// only after a miss and reads ahead until the cache answers again, and <see cref="ReadStrategy.ReadAhead"/>, where it
/// always runs.
/// </summary>
/// <remarks>
/// Copying out of the page cache is bound by memory, so two threads that each copy every other block finish sooner than
/// one that copies while the other waits: a reader that would have to wait for the worker reads the block after that
/// instead. A pool without a free thread delays nothing that is in the cache.
/// </remarks>
internal sealed class CachedSource : ReadSource, IThreadPoolWorkItem
{
    /// <remarks>
    /// Enough that the worker is woken once for several blocks, few enough that they stay in the second-level cache until
    /// the caller comes to them. See docs/measuring.md.
    /// </remarks>
    private const int MaxAhead = 4;

    /// <summary>After so many bytes in a row that the cache answered, the reader's own thread reads again.</summary>
    /// <remarks>
    /// More than the kernel reads ahead of a disk, so that a file which comes from the disk is copied by the pool
    /// all the way and the reader's thread is free.
    /// </remarks>
    private const int HitBytesUntilWarm = 8 * 1024 * 1024;

    /// <summary>How long the reader polls for a block that is being copied from the cache before it goes to sleep.</summary>
    /// <remarks>For each 256 KiB of a block: a block or two; sleeping and being woken takes as long, and allocates in the caller.</remarks>
    private static readonly TimeSpan MaxSpin = TimeSpan.FromMicroseconds(80);

    /// <summary>A file of fewer bytes may still lie in the processor's last cache.</summary>
    private const int CachedBytes = 32 * 1024 * 1024;

    private const int SpinsBetweenPolls = 10;

    private readonly BlockQueue _queue;
    private readonly bool _inPlace;
    private readonly bool _alwaysAhead;
    private readonly BlockSizes _sizes;
    private readonly string _reason;

    // Hints that both threads write: one that is late costs a wake-up and nothing else.
    private volatile bool _cold;
    private int _hitBytes;

    public CachedSource(OpenFile file, in FileReadOptions options, ReadStrategy strategy, string reason)
    {
        File = file;
        Strategy = strategy;
        _reason = reason;
        _sizes = BlockSizes.For(file, options);
        _inPlace = file is { Native: true, CanSeek: true };
        _alwaysAhead = strategy == ReadStrategy.ReadAhead || !_inPlace;
        _queue = new BlockQueue(file, _sizes.Allocator(options.Pool), this)
        {
            Depth = MaxAhead,
            Handle = file.Unused,
            BlockBytes = _sizes.Bytes,
            Ahead = strategy == ReadStrategy.Buffered && file.KnownEnd - file.Start >= CachedBytes ? PageStep.KeepsInCache : 0,
        };
    }

    public override OpenFile File { get; }

    public override ReadStrategy Strategy { get; }

    public override string Reason => _reason + _sizes.Describe();

    private bool Ahead => _alwaysAhead || _cold;

    public override FillResult TryFill(ref Window window) => FillCore(ref window, mayWait: false);

    public override FillResult Fill(ref Window window) => FillCore(ref window, mayWait: true);

    public override bool Arm(IReadyCallback callback)
    {
        if (!_queue.Arm(callback))
        {
            return false;
        }

        _queue.StartWorker();
        return true;
    }

    public override void Disarm() => _queue.Disarm();

    public override void Seek(long offset) => _queue.Seek(offset);

    public override void Dispose() => _queue.Dispose();

    public override void Recycle(Block block) => _queue.Recycle(block);

    /// <summary>The worker: reads until the queue is full, the file ends, or no more is needed.</summary>
    void IThreadPoolWorkItem.Execute()
    {
        while (_queue.TakeWork(Ahead ? ReadAhead.Always : ReadAhead.WhenAwaited) is { } block)
        {
            _ = File.Read(block, mayWait: true, out bool hit);
            _hitBytes = hit ? Math.Min(_hitBytes + block.Filled, HitBytesUntilWarm) : 0;
            _cold = _hitBytes < HitBytesUntilWarm && (_cold || !hit);
            _queue.Finish(block);
        }
    }

    private FillResult FillCore(ref Window window, bool mayWait)
    {
        long waitingSince = 0;
        while (true)
        {
            bool helps = _inPlace && !_cold;
            bool reads = mayWait || helps || (_inPlace && !_queue.HasWorker);
            switch (_queue.Next(UsableBlock(window), helps, reads, Ahead, out Block? block))
            {
                case ReadStep.Deliver:
                    return _queue.Deliver(ref window, block!);
                case ReadStep.End:
                    return _queue.EndOrThrow();
                case ReadStep.ReadInPlace:
                    FillResult result = ReadInPlace(ref window, block!, mayWait);
                    if (result != FillResult.Pending || !mayWait)
                    {
                        return result;
                    }

                    break;
                case ReadStep.ReadLater:
                    ReadLater(block!);
                    break;
                case ReadStep.Poll when IsWithin(MaxSpin * _sizes.UsualBlocks, ref waitingSince):
                    Thread.SpinWait(SpinsBetweenPolls);
                    break;
                default:
                    _queue.StartWorker();
                    if (!mayWait)
                    {
                        return FillResult.Pending;
                    }

                    _queue.WaitForHead();
                    break;
            }
        }
    }

    /// <summary>The window's own block if it can be read into: the one whose memory is in the processor's cache.</summary>
    private static Block? UsableBlock(in Window window) =>
        window.Block is { MinHeadroom: > 0 } own && window.Length <= own.MinHeadroom ? own : null;

    private FillResult ReadInPlace(ref Window window, Block block, bool mayWait)
    {
        bool own = ReferenceEquals(block, window.Block);
        if (own)
        {
            window.MoveToHeadroom();
        }

        bool complete = File.Read(block, mayWait, out _);
        int added = block.Filled;
        bool last = complete && block.Last;
        if (!complete)
        {
            OnMiss();
        }

        _queue.FinishInPlace(block, complete, Ahead);
        if (own)
        {
            block.State = BlockState.Idle;
            window.Extend(added);
        }
        else if (added > 0)
        {
            _queue.Append(ref window, block);
        }
        else
        {
            _queue.Recycle(block);
        }

        return added == 0 ? (complete ? _queue.EndOrThrow() : FillResult.Pending)
            : last ? FillResult.FilledLast
            : FillResult.Filled;
    }

    /// <summary>Reads a later block on the reader's thread while the worker reads the first.</summary>
    private void ReadLater(Block block)
    {
        bool complete = File.Read(block, mayWait: false, out _);
        if (!complete)
        {
            OnMiss();
        }

        _queue.Finish(block, complete);
    }

    private void OnMiss()
    {
        _cold = true;
        _hitBytes = 0;
    }

    private static bool IsWithin(TimeSpan limit, ref long since)
    {
        long now = Stopwatch.GetTimestamp();
        since = since == 0 ? now : since;
        return Stopwatch.GetElapsedTime(since, now) < limit;
    }
}
