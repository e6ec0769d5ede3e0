using System.Diagnostics.Metrics;
using Millrace.Kestrel;

namespace Millrace.Cli;

/// <summary>When a process that only serves collects garbage, beside the collector's own times.</summary>
/// <remarks>
/// The first generation, before it has grown to the size of the processor's cache: a server makes some hundred bytes of garbage with every
/// write that has to wait, and with 200 downloads its memory grew from 128 to 194 MB within 40 s, with three collections in all. And
/// everything after a busy time: an idle server allocates nothing, so the collector would keep the connections' memory of that time.
/// </remarks>
internal sealed class GarbagePolicy : IDisposable
{
    /// <summary>Bytes allocated after which it is worth a collection of the first generation.</summary>
    private const long WorthFirst = 4 * 1024 * 1024;

    /// <summary>Bytes of dropped blocks for which a whole collection is worth its pause: on a server that is busy, and on a quiet one.</summary>
    private const long WorthWhole = 8 * 1024 * 1024;
    private const long WorthWholeLast = 1024 * 1024;

    /// <summary>Bytes of a heap that is too large to be compacted for dropped blocks.</summary>
    private const long LargeHeap = 1024L * 1024 * 1024;

    /// <summary>Intervals without dropped blocks after which a server is quiet: longer than the pool's own.</summary>
    private const int Quiet = 3;

    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    private readonly MeterListener _listener = new();
    private readonly Timer _timer;
    private long _collectedAt;
    private long _dropped;
    private long _droppedBefore;
    private int _unchanged;

    /// <summary>Whether the last whole collection was on a busy server: objects that have died since may not have released a block.</summary>
    private bool _isPartial;

    public GarbagePolicy()
    {
        _listener.InstrumentPublished = static (instrument, listener) =>
        {
            if (instrument is { Meter.Name: MillraceSockets.DiagnosticsName, Name: "millrace.kestrel.memory.dropped" })
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<long>((_, bytes, _, _) => Interlocked.Add(ref _dropped, bytes));
        _listener.Start();
        _timer = new Timer(static state => ((GarbagePolicy)state!).Collect(), this, Interval, Interval);
    }

    public void Dispose()
    {
        _timer.Dispose();
        _listener.Dispose();
    }

    private void Collect()
    {
        long dropped = Interlocked.Read(ref _dropped);
        _unchanged = dropped == _droppedBefore ? _unchanged + 1 : 0;
        _droppedBefore = dropped;
        long allocated = GC.GetTotalAllocatedBytes();
        bool isQuiet = _unchanged >= Quiet;
        if (dropped >= (isQuiet ? WorthWholeLast : WorthWhole) || (isQuiet && _isPartial))
        {
            _isPartial = !isQuiet;
            _droppedBefore = Interlocked.Add(ref _dropped, -dropped);
            if (GC.GetTotalMemory(forceFullCollection: false) < LargeHeap)
            {
                _collectedAt = allocated;
                GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
            }
        }
        else if (allocated - _collectedAt >= WorthFirst)
        {
            _collectedAt = allocated;
            GC.Collect(0, GCCollectionMode.Forced, blocking: true);
        }
    }
}
