using System.Diagnostics.CodeAnalysis;
using Microsoft.Win32.SafeHandles;
using Millrace.Buffers;
using Millrace.Interop;

namespace Millrace.Sources;

/// <summary>
/// Reads past the page cache, several blocks at once, on a file description of its own. Behind
/// <see cref="ReadStrategy.Direct"/>. Blocks are read whole and at aligned places whatever part of them is wanted.
/// </summary>
internal sealed unsafe class DirectSource : QueuedSource, IThreadPoolWorkItem
{
    private readonly SafeFileHandle _direct;
    private readonly int _alignment;
    private readonly DirectEngine _engine;
    private int _reading;
    private int _workers;

    public DirectSource(OpenFile file, SafeFileHandle direct, int alignment, DirectEngine engine)
        : base(file, new BlockAllocator(foreign: null, BlockPool.Direct), ReadStrategy.Direct, engine.Reason)
    {
        _direct = direct;
        _alignment = alignment;
        _engine = engine;
    }

    /// <summary>Whether it is in the queue of the ring, whose lock guards this.</summary>
    public bool WaitsForRing { get; set; }

    protected override int Depth => DirectEngine.BlocksInFlight;

    protected override int OffsetAlignment => _alignment;

    /// <summary>Reads that a reader forgot by seeking count, or they would pile up.</summary>
    private bool MayRead => CanClaim && _reading < DirectEngine.BlocksInFlight;

    /// <summary>Opens the file past the page cache if that can be had.</summary>
    /// <param name="file">The file, from which nothing is taken over: its handle stays as it is.</param>
    /// <param name="source">The source, which owns a handle of its own.</param>
    /// <returns>Null, or why it cannot be had, in words for a person.</returns>
    public static string? TryOpen(OpenFile file, out DirectSource? source) => TryOpen(file, null, out source);

    /// <param name="file">The file.</param>
    /// <param name="engine">Who reads; null for the process's own.</param>
    /// <param name="source">The source.</param>
    /// <returns>Null, or why it cannot be had.</returns>
    public static string? TryOpen(OpenFile file, DirectEngine? engine, out DirectSource? source)
    {
        source = null;
        if (!file.Native)
        {
            return OperatingSystem.IsLinux()
                ? "Direct needs calls of Linux that are switched off"
                : "Direct is made for 64-bit Linux";
        }

        if (file.Kind != FileKind.Regular)
        {
            return "Direct is for regular files";
        }

        string? refusal = DirectOpen.TryReopen(file.Handle, write: false, out SafeFileHandle? direct, out int alignment);
        if (refusal is null)
        {
            source = new DirectSource(file, direct!, alignment, engine ?? DirectEngine.Shared);
        }

        return refusal;
    }

    public override FillResult TryFill(ref Window window)
    {
        Block? block;
        lock (Gate)
        {
            block = TakeHead();
            if (block is null)
            {
                if (Stopped)
                {
                    return EndOrThrow();
                }

                StartReading();
                return FillResult.Pending;
            }

            if (Queue.Count <= DirectEngine.BlocksInFlight / 2)
            {
                StartReading();
            }
        }

        return Deliver(ref window, block);
    }

    public override void Dispose()
    {
        lock (Gate)
        {
            base.Dispose();
            CloseIfUnused();
        }
    }

    /// <summary>Takes the next place in the file for the ring.</summary>
    /// <param name="block">Where to read to, at <see cref="Block.FileOffset"/>.</param>
    /// <param name="descriptor">What to read from; stays open until the block comes back.</param>
    /// <param name="bytes">How many bytes to read.</param>
    public bool TryClaim([NotNullWhen(true)] out Block? block, out int descriptor, out int bytes)
    {
        lock (Gate)
        {
            if (!MayRead)
            {
                block = null;
                descriptor = -1;
                bytes = 0;
                return false;
            }

            block = Claim(null);
            Enqueue(block);
            _reading++;
            descriptor = (int)_direct.DangerousGetHandle();
            bytes = Aligned(block.Wanted);
            return true;
        }
    }

    /// <summary>Takes back a block from the ring.</summary>
    /// <param name="block">The block.</param>
    /// <param name="result">Bytes read, or the negated error number.</param>
    public void OnRead(Block block, int result)
    {
        block.Filled = Math.Clamp(result, 0, block.Wanted);

        // The file's end and errors are looked into by a thread that may wait for the file system.
        bool settled = block.Filled == block.Wanted && block.EndOffset < File.KnownEnd;
        IReadyCallback? callback = null;
        lock (Gate)
        {
            _reading--;
            if (settled || block.Orphaned || Disposed)
            {
                callback = Finish(block);
                CloseIfUnused();
            }
            else
            {
                block.State = BlockState.Waiting;
                AddWorker();
            }
        }

        callback?.OnReady();
    }

    /// <summary>Has the thread pool read a block, and more as long as there are any. Called with the lock held.</summary>
    public void AddWorker()
    {
        if (_workers < DirectEngine.BlocksInFlight)
        {
            _workers++;
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
    }

    /// <summary>Reads one block, waiting for it, and goes to the end of the pool's queue: others are in it too.</summary>
    void IThreadPoolWorkItem.Execute()
    {
        Block? block;
        lock (Gate)
        {
            block = TakeWork();
            if (block is null)
            {
                _workers--;
                return;
            }

            _reading++;
            if (HasWork)
            {
                AddWorker();
            }
        }

        Read(block);
        IReadyCallback? callback;
        bool more;
        lock (Gate)
        {
            _reading--;
            callback = Finish(block);
            CloseIfUnused();
            more = HasWork;
            if (!more)
            {
                _workers--;
            }
        }

        callback?.OnReady();
        if (more)
        {
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
    }

    /// <summary>Begins again at the first block of the queue, now that the ring does no more.</summary>
    /// <param name="lost">How many blocks will not come back.</param>
    public void Restart(int lost)
    {
        lock (Gate)
        {
            _reading -= lost;
            if (!Disposed)
            {
                Rewind();
                AddWorker();
            }

            CloseIfUnused();
        }
    }

    /// <summary>
    /// Asks for blocks where nobody does: what is in flight asks for the next when it comes back.
    /// </summary>
    protected override void StartReading()
    {
        if (MayRead && (_reading == 0 || Queue.Count <= DirectEngine.BlocksInFlight / 2))
        {
            _engine.Wake(this);
        }
    }

    private bool HasWork => Waiting() is not null || (!_engine.ClaimsItself && MayRead);

    private Block? TakeWork()
    {
        Block? block = Waiting();
        if (block is not null)
        {
            block.State = BlockState.Reading;
        }
        else if (!_engine.ClaimsItself && MayRead)
        {
            block = Claim(null);
            Enqueue(block);
        }

        return block;
    }

    private Block? Waiting()
    {
        for (int i = 0; i < Queue.Count; i++)
        {
            if (Queue.Peek(i).State == BlockState.Waiting)
            {
                return Queue.Peek(i);
            }
        }

        return null;
    }

    /// <summary>
    /// Reads the rest of a block past the cache as far as that goes, and leaves what does not to an ordinary read of the
    /// file: its end, a file system that changed its mind, an error to be told in full.
    /// </summary>
    private void Read(Block block)
    {
        try
        {
            while (block.Filled < block.Wanted)
            {
                // From the last aligned place again, after a short read.
                int from = block.Filled - (block.Filled % _alignment);
                int read = PositionalRead.ReadWaiting(
                    _direct, block.Body + from, Aligned(block.Wanted - from), block.FileOffset + from);
                if (from + read <= block.Filled)
                {
                    break;
                }

                block.Filled = Math.Min(from + read, block.Wanted);
            }

            // Nobody asked for the bytes before: as good as read, so that offsets told are never before the reader's.
            block.Filled = Math.Max(block.Filled, block.Skipped);
            _ = File.Read(block, mayWait: true, out _);
        }
        catch (ObjectDisposedException exception)
        {
            // The caller closed a handle of its own underneath the reader.
            block.Error = File.ReadFailed(block.EndOffset, exception);
        }
    }

    private int Aligned(int bytes) => (bytes + _alignment - 1) / _alignment * _alignment;

    private void CloseIfUnused()
    {
        if (Disposed && _reading == 0)
        {
            _direct.Dispose();
        }
    }
}
