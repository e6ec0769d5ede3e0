using Millrace.Buffers;
using Millrace.Interop;
using Millrace.Leases;

namespace Millrace.Sources;

/// <summary>
/// The file mapped into memory, one part of up to <see cref="RegionBytes"/> at a time, of which the reader's window is
/// a stretch: extending it enters more pages, and unconsumed bytes and new ones are one segment without a copy.
/// </summary>
/// <remarks>
/// <para>
/// A page of a mapping that the file no longer reaches raises SIGBUS, which ends the process. Therefore nothing is
/// touched but what a read lease protects: while it is held, nobody can write to the file or shorten it. When somebody
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
    /// What one entry of the page table can map, and what a writer waits for to be copied. Between 1 and 16 MiB nothing
    /// is gained or lost. See docs/mapped.md.
    /// </remarks>
    public const int WindowBytes = MemoryMap.HugePageBytes;

    /// <summary>Bytes of the file that are mapped at once at least; the pages in it are entered window by window.</summary>
    /// <remarks>Addresses cost nothing, and an index into a block is an int.</remarks>
    public const int RegionBytes = 1024 * 1024 * 1024;

    /// <summary>Bytes by which the window grows first, and first after a seek; then it doubles.</summary>
    /// <remarks>As much as one block of the other strategies. Who seeks may want no more than one record.</remarks>
    private const int FirstBytes = BlockPool.BodyBytes;

    private const int MaxRegionBytes = int.MaxValue - MemoryMap.HugePageBytes + 1;

    private readonly object _gate = new();
    private readonly int _regionBytes;
    private readonly int _windowBytes;
    private readonly long _end;

    private MappedBlock? _region;
    private Protection _protection;
    private bool _leaseHeld;
    private bool _disposed;

    // What the reader may touch: [_liveFrom, _liveTo) in the file. Extended before the pages are entered.
    private long _liveFrom;
    private long _liveTo;

    // Entered up to here; pages before _dropped were taken out again.
    private long _enteredTo;
    private long _dropped;
    private int _growBytes;

    // Counts the places that the reader went to, so that what was begun for an earlier one is told apart.
    private int _epoch;

    private FilePipeException? _error;
    private IReadyCallback? _callback;
    private CachedSource? _reading;
    private string _reason = "asked for";

    private MappedSource(OpenFile file, in FileReadOptions options, int regionBytes)
    {
        _regionBytes = regionBytes;
        File = file;
        Allocator = new BlockAllocator(options.Pool);
        _end = Math.Min(file.SizeAtOpen, file.Limit);
        _windowBytes = Math.Clamp(
            options.MaxBufferedBytes / MemoryMap.PageBytes * MemoryMap.PageBytes, BlockPool.BodyBytes, WindowBytes);
        SetPlace(file.Start);
    }

    /// <summary>How a request for more bytes goes on.</summary>
    private enum Next
    {
        /// <summary>Nobody will use them.</summary>
        Nothing,

        /// <summary>Another thread is at work on what is needed.</summary>
        Wait,

        /// <summary>There are none.</summary>
        End,

        /// <summary>They lie outside what is mapped.</summary>
        Map,

        /// <summary>They are mapped.</summary>
        Take,

        /// <summary>They cannot be had by mapping.</summary>
        Read,
    }

    private enum Protection
    {
        /// <summary>The lease is held and nobody disputes it.</summary>
        Leased,

        /// <summary>A writer waits while the guardian takes the file out of the memory.</summary>
        Breaking,

        /// <summary>No page of the file is mapped; what the reader was given is a copy.</summary>
        Copied,

        /// <summary>The copy could not be made: the writer waits until the reader is done with what it was given.</summary>
        Disputed,
    }

    public override OpenFile File { get; }

    public override ReadStrategy Strategy => _reading?.Strategy ?? ReadStrategy.Mapped;

    public override string Reason => _reason;

    protected override BlockAllocator Allocator { get; }

    /// <summary>A source for a file that can be mapped safely; null and the <paramref name="reason"/> for another.</summary>
    public static MappedSource? TryCreate(
        OpenFile file, in FileReadOptions options, out string reason, int regionBytes = RegionBytes)
    {
        if (WhyNot(file) is { } obstacle)
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

        // In this order: whoever waits to write comes in when no page is mapped any more.
        region?.Release();
        lock (_gate)
        {
            GiveUpLease();
        }
    }

    protected override void Recycle(Block block)
    {
        // A region stays mapped for the next window.
        if (block is MappedBlock)
        {
            return;
        }

        if (_reading is { } reading)
        {
            reading.TakeBack(block);
        }
        else
        {
            block.Release();
        }
    }

    private static string? WhyNot(OpenFile file) =>
        !file.Native ? "portable reading is asked for or all that this system has"
        : !NativeFeatures.Mapping ? "it is switched off for this process"
        : file.Kind != FileKind.Regular || file.SizeAtOpen == 0 ? "this is no file with a size"
        : Math.Min(file.SizeAtOpen, file.Limit) <= file.Start ? "there is nothing to read"
        : !MemoryMap.CanPopulate ? "the kernel cannot enter pages without raising signals (MADV_POPULATE_READ, Linux 5.14)"
        : !FileSystemKind.IsLocal(file.Handle) ? "its file system can change it without this system knowing"
        : null;

    private FillResult FillCore(ref Window window, bool mayWait)
    {
        long from = window.EndOffset;
        while (true)
        {
            Claim claim;
            lock (_gate)
            {
                if (_error is { } error)
                {
                    _error = null;
                    throw error;
                }

                claim = ClaimNext(window);
                if (claim.Next == Next.Wait && mayWait)
                {
                    Monitor.Wait(_gate);
                    continue;
                }
            }

            switch (claim.Next)
            {
                case Next.Wait:
                    return FillResult.Pending;
                case Next.Nothing:
                    return FillResult.EndOfFile;
                case Next.End:
                    // Whether it ends there because it was always that long, or else an exception.
                    _ = File.IsEnd(from, sawEnd: true);
                    return FillResult.EndOfFile;
                case Next.Map when TryMapNext(ref window):
                    continue;
                case Next.Take when TryTake(ref window, claim, mayWait) is { } result:
                    return result;
                default:
                    StartReading(ref window);
                    return mayWait ? _reading!.Fill(ref window) : _reading!.TryFill(ref window);
            }
        }
    }

    /// <summary>Decides, with the lock held, how the window grows, and puts what it grows by under protection.</summary>
    private Claim ClaimNext(in Window window)
    {
        long from = window.EndOffset;
        if (_disposed)
        {
            return new Claim(Next.Nothing);
        }

        if (_protection == Protection.Breaking)
        {
            return new Claim(Next.Wait);
        }

        if (_protection != Protection.Leased || _enteringFailed)
        {
            return new Claim(Next.Read);
        }

        if (from >= _end)
        {
            return new Claim(Next.End);
        }

        if (_region is not { } region || from >= region.FileOffset + region.Capacity)
        {
            return new Claim(Next.Map);
        }

        bool entered = _enteredTo > from;
        if (!entered && _enteringNow)
        {
            return new Claim(Next.Wait);
        }

        long to = Math.Min(GrownTo(from), region.FileOffset + region.Capacity);
        if (entered)
        {
            to = Math.Min(to, _enteredTo);
            if (_cold && _enteredTo - to <= AheadBytes / 2)
            {
                StartEntering();
            }
        }

        _growBytes = Math.Min(2 * _growBytes, _windowBytes);
        _liveFrom = window.StartOffset;
        _liveTo = to;
        long dropFrom = _dropped;
        _dropped = Math.Max(_dropped, HugePageStart(_liveFrom));
        region.Enter();
        return new Claim(Next.Take, region, to, entered, dropFrom, _dropped);
    }

    /// <summary>Grows the window by what was claimed.</summary>
    /// <returns>Null when the pages cannot be entered.</returns>
    private FillResult? TryTake(ref Window window, in Claim claim, bool mayWait)
    {
        MappedBlock region = claim.Region!;
        try
        {
            if (claim.DropTo > claim.DropFrom)
            {
                MemoryMap.Drop(region.At(claim.DropFrom), (nint)(claim.DropTo - claim.DropFrom));
            }

            if (!claim.Entered)
            {
                switch (EnterHere(region, window.EndOffset, claim.To, mayWait))
                {
                    case Entry.WouldWait:
                        return FillResult.Pending;
                    case Entry.Failed:
                        return null;
                }
            }
        }
        finally
        {
            region.Leave();
        }

        Rebase(ref window, region);
        window.Extend((int)(claim.To - window.EndOffset));
        return claim.To >= _end && EndsAt(claim.To) ? FillResult.FilledLast : FillResult.Filled;
    }

    /// <summary>Maps the part of the file that holds the window and what follows it.</summary>
    /// <returns>False when the system refuses, or the window has outgrown what a block can hold.</returns>
    private bool TryMapNext(ref Window window)
    {
        // Aligned as the largest folios are, so that one entry of the page table maps one of them.
        long start = HugePageStart(window.StartOffset);
        long atLeast = window.EndOffset + WindowBytes - start;
        int bytes = (int)Math.Min(_end - start, Math.Clamp(2 * atLeast, _regionBytes, MaxRegionBytes));
        if (start + bytes <= window.EndOffset || MappedBlock.TryMap(File.Handle, start, bytes) is not { } region)
        {
            return false;
        }

        // The unconsumed bytes are handed out from the new mapping, so their pages come first. They are in the cache.
        if (window.Length > 0 && Enter(region, window.StartOffset, window.EndOffset) != 0)
        {
            region.Release();
            return false;
        }

        MappedBlock? outgrown = region;
        lock (_gate)
        {
            if (_protection == Protection.Leased && !_disposed)
            {
                outgrown = _region;
                _region = region;
                _dropped = start;
                _enteredTo = window.EndOffset;
                Rebase(ref window, region);
            }
        }

        outgrown?.Release();
        return true;
    }

    /// <summary>Where the window ends after growing: at the end of a huge page, if it may be that large.</summary>
    private long GrownTo(long from)
    {
        bool whole = _growBytes >= MemoryMap.HugePageBytes;
        long unit = whole ? MemoryMap.HugePageBytes : MemoryMap.PageBytes;
        long to = from + (whole ? _growBytes / 2 : _growBytes) + unit - 1;
        return to - (to % unit);
    }

    private static long HugePageStart(long offset) => offset - (offset % MemoryMap.HugePageBytes);

    /// <summary>Finds the window's bytes in a mapping of the file.</summary>
    private static void Rebase(ref Window window, MappedBlock region)
    {
        if (ReferenceEquals(window.Block, region))
        {
            return;
        }

        int length = window.Length;
        region.RenewSegment();
        window.Block = region;
        window.End = (int)(window.EndOffset - region.FileOffset);
        window.Start = window.End - length;
    }

    /// <summary>Whether nothing follows, so that the last bytes arrive together with the end.</summary>
    private bool EndsAt(long offset)
    {
        try
        {
            return File.IsEnd(offset, sawEnd: offset >= File.Limit);
        }
        catch (FilePipeException exception)
        {
            // What was entered is good and is delivered; the error comes with the next read.
            _error = exception;
            return false;
        }
    }

    private void SetPlace(long offset)
    {
        _epoch++;
        _growBytes = FirstBytes;
        _liveFrom = offset;
        _liveTo = offset;
        _enteredTo = offset;
        _dropped = HugePageStart(offset);
    }

    /// <param name="Next">What to do.</param>
    /// <param name="Region">What the window grows in; entered, to be left.</param>
    /// <param name="To">Where in the file the window ends then.</param>
    /// <param name="Entered">Whether the pages up to there were entered already.</param>
    /// <param name="DropFrom">First byte of the file that is mapped and not needed any more.</param>
    /// <param name="DropTo">Where those bytes end.</param>
    private readonly record struct Claim(
        Next Next, MappedBlock? Region = null, long To = 0, bool Entered = false, long DropFrom = 0, long DropTo = 0);
}
