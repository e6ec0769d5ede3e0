using Millrace.Buffers;
using Millrace.Interop;

namespace Millrace.Sources;

/// <summary>
/// Entering pages: on the reader's own thread as long as the page cache has them, otherwise on the thread pool, which
/// then stays ahead of the reader until the cache answers again.
/// </summary>
internal sealed unsafe partial class MappedSource
{
    /// <summary>Bytes that are entered ahead of the reader at most.</summary>
    /// <remarks>Enough to keep a disk busy while the reader works on one window. See docs/mapped.md.</remarks>
    public const int AheadBytes = 4 * WindowBytes;

    /// <summary>After so many windows in a row that the cache had, the reader's own thread enters them again.</summary>
    private const int HitsToCalm = 4;

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

    /// <summary>The item on the thread pool.</summary>
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
                    // Whoever waits for what cannot be done here looks again and does it.
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
            int error = Enter(region, from, to);
            region.Leave();
            lock (_gate)
            {
                _enteringNow = false;
                _hits = hit ? _hits + 1 : 0;
                _cold &= _hits < HitsToCalm;
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

    /// <summary>Enters the pages of a range.</summary>
    /// <returns>0 or the error number.</returns>
    private static int Enter(MappedBlock region, long from, long to)
    {
        long start = from - (from % MemoryMap.PageBytes);
        return MemoryMap.Populate(region.At(start), (nint)(to - start));
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

    /// <summary>Enters the pages that follow the window, on the reader's thread.</summary>
    private Entry EnterHere(MappedBlock region, long from, long to, bool mayWait)
    {
        if (!mayWait && !Holds(region, from, to))
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

        int error = Enter(region, from, to);
        lock (_gate)
        {
            _enteringFailed |= error != 0;
            _enteredTo = Math.Max(_enteredTo, to);
        }

        return error == 0 ? Entry.Done : Entry.Failed;
    }
}
