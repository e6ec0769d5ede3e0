using Millrace.Buffers;
using Millrace.Interop;

namespace Millrace.Sources;

/// <summary>
/// The file mapped into memory, one part of up to <see cref="RegionBytes"/> at a time, of which the reader's window is
/// a stretch: extending it enters more pages, and unconsumed bytes and new ones are one segment without a copy.
/// </summary>
/// <remarks>
/// <para>
/// A page of a mapping that the file no longer reaches raises SIGBUS, which ends the process. Therefore nothing is
/// touched but the range that a read lease protects: while it is held, the file cannot be written or truncated. When a process
/// wants to, the other half of this class takes the file out of the memory, after which this half reads.
/// </para>
/// <para>
/// Everything shared is guarded by one lock, which is never held over a copy or a wait for a device.
/// </para>
/// </remarks>
internal sealed unsafe partial class MappedSource : ReadSource, IThreadPoolWorkItem, ILeaseHolder
{
    /// <summary>Bytes by which the window grows at most.</summary>
    /// <remarks>
    /// As much as one entry of the page table can map, and as a writer waits to be copied. Between 1 and 16 MiB nothing
    /// is gained or lost. See docs/mapped.md.
    /// </remarks>
    public const int WindowBytes = MemoryMap.HugePageBytes;

    /// <summary>Bytes of the file that are mapped at once at least; the pages in it are entered window by window.</summary>
    /// <remarks>Addresses cost nothing, and an index into a block is an int.</remarks>
    public const int RegionBytes = 1024 * 1024 * 1024;

    /// <summary>Bytes by which the window grows first, and first after a seek; then it doubles.</summary>
    /// <remarks>As much as one block of the other strategies. A seek may be for a single record.</remarks>
    private const int FirstBytes = BlockPool.BodyBytes;

    private const int MaxRegionBytes = int.MaxValue - MemoryMap.HugePageBytes + 1;

    private readonly object _gate = new();
    private readonly FileReadOptions _options;
    private readonly int _regionBytes;
    private readonly int _windowBytes;
    private readonly long _end;
    private readonly bool _mayTouch;

    private MappedBlock? _region;
    private Protection _protection;
    private bool _leaseHeld;
    private bool _disposed;

    // The reader may touch [_liveFrom, _liveTo) in the file. Extended before the pages are entered.
    private long _liveFrom;
    private long _liveTo;

    // Entered up to here; pages before _dropped were taken out again.
    private long _enteredTo;
    private long _dropped;
    private int _growBytes;

    // Counts the places that the reader went to, so that work begun for an earlier one is recognized.
    private int _epoch;

    private FilePipeException? _error;
    private IReadyCallback? _callback;
    private CachedSource? _reading;
    private string _reason = "asked for";

    private MappedSource(OpenFile file, in FileReadOptions options, int regionBytes)
    {
        _regionBytes = regionBytes;
        File = file;
        _options = options;
        Allocator = BlockSizes.For(file, options).Allocator(options.Pool);
        _end = Math.Min(file.SizeAtOpen, file.Limit);
        _windowBytes = Math.Clamp(
            options.MaxBufferedBytes / MemoryMap.PageBytes * MemoryMap.PageBytes, BlockPool.BodyBytes, WindowBytes);
        _mayTouch = MemoryMap.CanTouch && NamedFile.IsOwned(file.Handle);
        SetPlace(file.Start);
    }

    /// <remarks>
    /// The reader was never completed, and no buffer of it is held. The guardian knows this source weakly; another file
    /// closes itself, but not one with a lease.
    /// </remarks>
    ~MappedSource() => EndMapping(_region);

    private enum Protection
    {
        /// <summary>The lease is held and is not being broken.</summary>
        Leased,

        /// <summary>A writer waits while the guardian takes the file out of the memory.</summary>
        Breaking,

        /// <summary>No page of the file is mapped; the reader's bytes are a copy.</summary>
        Copied,

        /// <summary>The copy could not be made: the writer waits until the reader is done with its bytes.</summary>
        Disputed,
    }

    public override OpenFile File { get; }

    public override ReadStrategy Strategy => _reading?.Strategy ?? ReadStrategy.Mapped;

    public override string Reason => _reason;

    private BlockAllocator Allocator { get; }

    /// <summary>A source for a file that can be mapped safely; null and the <paramref name="reason"/> for another.</summary>
    public static MappedSource? TryCreate(
        OpenFile file, in FileReadOptions options, out string reason, int regionBytes = RegionBytes)
    {
        if (FindObstacle(file) is { } obstacle)
        {
            reason = "mapping was asked for, but " + obstacle;
            return null;
        }

        var source = new MappedSource(file, options, regionBytes);
        if (source.TakeLease() is { } refusal)
        {
            source.Dispose();
            reason = "mapping was asked for, but " + refusal;
            return null;
        }

        reason = source.Reason;
        return source;
    }

    public override FillResult TryFill(ref Window window) =>
        _reading?.TryFill(ref window) ?? FillCore(ref window, mayWait: false);

    public override FillResult Fill(ref Window window) =>
        _reading?.Fill(ref window) ?? FillCore(ref window, mayWait: true);

    public override bool Arm(IReadyCallback callback)
    {
        lock (_gate)
        {
            if (_reading is { } reading)
            {
                return reading.Arm(callback);
            }

            if (_protection == Protection.Leased && !_enteringFailed && _enteredTo <= _liveTo)
            {
                StartEntering();
            }
            else if (_protection != Protection.Breaking)
            {
                return false;
            }

            _callback = callback;
            return !_disposed;
        }
    }

    public override void Disarm()
    {
        lock (_gate)
        {
            _callback = null;
            _reading?.Disarm();
        }
    }

    public override void Seek(long offset)
    {
        MappedBlock? region;
        bool keep;
        lock (_gate)
        {
            if (_reading is { } reading)
            {
                reading.Seek(offset);
                return;
            }

            _error = null;
            SetPlace(offset);
            region = _region;
            keep = region is not null && offset >= region.FileOffset && offset < region.FileOffset + region.Capacity;
            if (!keep)
            {
                _region = null;
            }
        }

        if (keep)
        {
            region!.RenewSegment();
            MemoryMap.Drop(region.Pointer, region.Capacity);
        }
        else
        {
            region?.Release();
        }
    }

    public override void Dispose()
    {
        MappedBlock? region;
        lock (_gate)
        {
            if (_disposed)
            {
                return;
            }

            _disposed = true;
            _callback = null;
            region = _region;
            _region = null;
            _reading?.Dispose();
            Monitor.PulseAll(_gate);
        }

        EndMapping(region);
        GC.SuppressFinalize(this);
    }

    /// <summary>In this order: a waiting writer continues when no page is mapped any more.</summary>
    private void EndMapping(MappedBlock? region)
    {
        region?.Release();
        lock (_gate)
        {
            GiveUpLease();
        }
    }

    public override void Recycle(Block block)
    {
        // A region stays mapped for the next window.
        if (block is MappedBlock)
        {
            return;
        }

        if (_reading is { } reading)
        {
            reading.Recycle(block);
        }
        else
        {
            block.Release();
        }
    }

    private static string? FindObstacle(OpenFile file) =>
        !file.Native ? "this process or system is limited to portable reading"
        : !NativeFeatures.Mapping ? "it is switched off for this process"
        : file.Kind != FileKind.Regular || file.SizeAtOpen == 0 ? "it is not a regular file with a size"
        : Math.Min(file.SizeAtOpen, file.Limit) <= file.Start ? "there is nothing to read"
        : !MemoryMap.CanPopulate ? "the kernel cannot enter pages without raising signals (MADV_POPULATE_READ, Linux 5.14)"
        : !FileSystemKind.IsLocal(file.Handle) ? "its file system can change it without this system knowing"
        : null;

    private void SetPlace(long offset)
    {
        _epoch++;
        _growBytes = FirstBytes;
        _liveFrom = offset;
        _liveTo = offset;
        _enteredTo = offset;
        _dropped = HugePageStart(offset);
    }
}
