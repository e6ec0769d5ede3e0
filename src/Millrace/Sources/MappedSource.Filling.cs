using Millrace.Buffers;
using Millrace.Interop;

namespace Millrace.Sources;

/// <content>Growing the reader's window: on the reader's thread, as decided with the lock held.</content>
internal sealed unsafe partial class MappedSource
{
    private enum Next
    {
        Nothing,
        Wait,
        End,
        Map,
        Take,
        Read,
    }

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

    /// <summary>Decides, with the lock held, how the window grows, and protects the added range.</summary>
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

    /// <summary>Grows the window by the claimed range.</summary>
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
    /// <returns>False when the system refuses, or the window has outgrown a block.</returns>
    private bool TryMapNext(ref Window window)
    {
        // Aligned as the largest folios are, so that one entry of the page table maps one of them.
        long start = HugePageStart(window.StartOffset);
        long atLeast = window.EndOffset + WindowBytes - start;
        int bytes = (int)Math.Min(_end - start, Math.Clamp(2 * atLeast, _regionBytes, MaxRegionBytes));
        if (start + bytes <= window.EndOffset || MappedBlock.TryMap(File.Handle, start, bytes, this) is not { } region)
        {
            return false;
        }

        // The unconsumed bytes are handed out from the new mapping, so their pages come first. They are in the cache.
        if (window.Length > 0 && Enter(region, window.StartOffset, window.EndOffset, cached: false) != 0)
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
            // The entered pages are good and are delivered; the error comes with the next read.
            _error = exception;
            return false;
        }
    }

    private readonly record struct Claim(
        Next Next, MappedBlock? Region = null, long To = 0, bool Entered = false, long DropFrom = 0, long DropTo = 0);

    /// <summary>Bytes that are entered ahead of the reader at most.</summary>
    /// <remarks>Enough to keep a disk busy while the reader works on one window. See docs/mapped.md.</remarks>
    public const int AheadBytes = 4 * WindowBytes;

    /// <summary>After so many windows in a row that the cache had, the reader's own thread enters them again.</summary>
    private const int HitsUntilWarm = 4;

    private bool _cold;
    private bool _enteringNow;
    private bool _enteringFailed;
    private bool _workerActive;
    private int _hits;

    private enum Entry
    {
        Done,
        WouldWait,
        Failed,
    }

    void IThreadPoolWorkItem.Execute()
    {
        while (true)
        {
            MappedBlock? region;
            long from;
            long to = 0;
            int epoch;
            IReadyCallback? callback = null;
            lock (_gate)
            {
                region = _region;
                from = _enteredTo;
                epoch = _epoch;
                if (region is null || !MayEnterAhead(region))
                {
                    // A waiter for work that cannot be done here checks again and does it.
                    _workerActive = false;
                    callback = _callback;
                    _callback = null;
                    region = null;
                }
                else
                {
                    _enteringNow = true;
                    to = Math.Min(HugePageStart(from) + WindowBytes, region.FileOffset + region.Capacity);
                    region.Enter();
                }
            }

            if (region is null)
            {
                callback?.OnReady();
                return;
            }

            bool hit = Holds(region, from, to);
            int error = Enter(region, from, to, hit);
            region.Leave();
            lock (_gate)
            {
                _enteringNow = false;
                _hits = hit ? _hits + 1 : 0;
                _cold &= _hits < HitsUntilWarm;
                if (epoch == _epoch && ReferenceEquals(region, _region))
                {
                    _enteringFailed |= error != 0;
                    _enteredTo = Math.Max(_enteredTo, to);
                }

                if (_enteringFailed || _enteredTo > _liveTo)
                {
                    callback = _callback;
                    _callback = null;
                }

                Monitor.PulseAll(_gate);
            }

            callback?.OnReady();
        }
    }

    private int Enter(MappedBlock region, long from, long to, bool cached)
    {
        long start = from - (from % MemoryMap.PageBytes);
        byte* address = region.At(start);
        nint bytes = (nint)(to - start);

        // The lease keeps the file as long as it is, so a page between those touched that was not entered costs a fault,
        // no more, if it is in the cache and was read without error. Populating finds out about any other.
        return cached && _mayTouch && MemoryMap.TryTouch(address, bytes) && PageCache.FindsAll(address, bytes)
            ? 0
            : MemoryMap.Populate(address, bytes);
    }

    private bool Holds(MappedBlock region, long from, long to)
    {
        long start = from - (from % MemoryMap.PageBytes);
        return PageCache.Holds(File.Handle, region.At(start), start, (int)(to - start));
    }

    private bool MayEnterAhead(MappedBlock region) =>
        !_disposed && !_enteringFailed && _reading is null && _protection == Protection.Leased
        && _enteredTo >= region.FileOffset && _enteredTo < region.FileOffset + region.Capacity
        && _enteredTo - _liveTo < AheadBytes
        && (_cold || _callback is not null);

    private void StartEntering()
    {
        if (!_workerActive)
        {
            _workerActive = true;
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
    }

    private Entry EnterHere(MappedBlock region, long from, long to, bool mayWait)
    {
        bool cached = (_mayTouch || !mayWait) && Holds(region, from, to);
        if (!mayWait && !cached)
        {
            lock (_gate)
            {
                _liveTo = from;
                _cold = true;
                _hits = 0;
                if (!_disposed)
                {
                    StartEntering();
                }
            }

            return Entry.WouldWait;
        }

        int error = Enter(region, from, to, cached);
        lock (_gate)
        {
            _enteringFailed |= error != 0;
            _enteredTo = Math.Max(_enteredTo, to);
        }

        return error == 0 ? Entry.Done : Entry.Failed;
    }
}
