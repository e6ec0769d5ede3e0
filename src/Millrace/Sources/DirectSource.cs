using System.Diagnostics.CodeAnalysis;
using Microsoft.Win32.SafeHandles;
using Millrace.Buffers;
using Millrace.Interop;

namespace Millrace.Sources;

/// <summary>
/// Reads past the page cache, several blocks at once, on a separate file description. Behind
/// <see cref="ReadStrategy.Direct"/>. Blocks are read whole and at aligned places whatever part of them is wanted.
/// </summary>
internal sealed unsafe class DirectSource : ReadSource, IThreadPoolWorkItem
{
    private readonly SafeFileHandle _direct;
    private readonly int _alignment;
    private readonly DirectEngine _engine;
    private readonly BlockQueue _queue;

    private DirectSource(OpenFile file, SafeFileHandle direct, int alignment, DirectEngine engine)
    {
        File = file;
        _direct = direct;
        _alignment = alignment;
        _engine = engine;
        _queue = new BlockQueue(file, new BlockAllocator(foreign: null, BlockPool.Direct), this)
        {
            Depth = DirectEngine.BlocksInFlight,
            MaxWorkers = DirectEngine.BlocksInFlight,
            OffsetAlignment = alignment,
            Handle = direct,
        };
    }

    public override OpenFile File { get; }

    public override ReadStrategy Strategy => ReadStrategy.Direct;

    public override string Reason => _engine.Reason;

    /// <summary>Whether it is in the queue of the ring, whose lock guards this.</summary>
    public bool WaitsForRing { get; set; }

    private ReadAhead Ahead => _engine.ClaimsItself ? ReadAhead.Never : ReadAhead.Always;

    /// <summary>Opens the file past the page cache if the system can.</summary>
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
        Block? block = _queue.TryTake(out QueueState state);
        if (block is null && state == QueueState.Stopped)
        {
            return _queue.EndOrThrow();
        }

        StartReading();
        return block is null ? FillResult.Pending : _queue.Deliver(ref window, block);
    }

    public override bool Arm(IReadyCallback callback)
    {
        if (!_queue.Arm(callback))
        {
            return false;
        }

        StartReading();
        return true;
    }

    public override void Disarm() => _queue.Disarm();

    public override void Seek(long offset) => _queue.Seek(offset);

    public override void Dispose() => _queue.Dispose();

    public override void Recycle(Block block) => _queue.Recycle(block);

    public void StartWorker() => _queue.StartWorker();

    /// <summary>Takes the next block of the file for the ring.</summary>
    public bool TryClaim([NotNullWhen(true)] out Block? block, out int descriptor, out int bytes)
    {
        block = _queue.TryClaim();
        descriptor = block is null ? -1 : (int)_direct.DangerousGetHandle();
        bytes = block is null ? 0 : Aligned(block.Wanted);
        return block is not null;
    }

    public void OnRead(Block block, int result)
    {
        block.Filled = Math.Clamp(result, 0, block.Wanted);

        // A thread that may wait for the file system looks into the file's end and errors.
        _queue.Finish(block, block.Filled == block.Wanted && block.EndOffset < File.KnownEnd);
    }

    /// <summary>Reads again from the first block of the queue, now that the ring has failed.</summary>
    public void Restart(int lostReads) => _queue.Restart(lostReads);

    /// <summary>Reads one block, waiting for it, and goes to the end of the pool's queue: others are in it too.</summary>
    void IThreadPoolWorkItem.Execute()
    {
        if (_queue.TakeWork(Ahead) is { } block)
        {
            Read(block);
            _queue.Finish(block);
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
    }

    private void StartReading()
    {
        if (_queue.NeedsReading)
        {
            _engine.Wake(this);
        }
    }

    /// <summary>
    /// Reads the rest of a block past the cache as far as possible, and leaves the remainder to an ordinary read of the
    /// file: its end, a file system that changed its mind, an error to be reported in full.
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

            // The bytes before were not asked for: they count as read, so that reported offsets are never before the reader's.
            block.Filled = Math.Max(block.Filled, block.Skipped);
            _ = File.Read(block, mayWait: true, out _);
        }
        catch (ObjectDisposedException exception)
        {
            // The caller closed its handle underneath the reader.
            block.Error = File.ReadFailed(block.EndOffset, exception);
        }
    }

    private int Aligned(int bytes) => (bytes + _alignment - 1) / _alignment * _alignment;
}
