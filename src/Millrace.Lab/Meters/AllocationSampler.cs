using System.Collections.ObjectModel;
using System.Diagnostics.Tracing;

namespace Millrace.Lab.Meters;

/// <summary>
/// Hears of the allocations that the runtime samples, of all threads but the one that hears of them: hearing allocates, too.
/// Used by one thread.
/// </summary>
/// <remarks>
/// Events come on a thread of the runtime's, in the order of their time stamps and some 10 ms late. Another event that could
/// be caused at will and marks the end would be lighter than a large array, but those that the collector writes, as for
/// handles, end with the first collection.
/// </remarks>
internal sealed class AllocationSampler : EventListener
{
    private const string RuntimeEvents = "Microsoft-Windows-DotNETRuntime";
    private const EventKeywords AllocationSampling = (EventKeywords)0x80000000000;

    // AllocationSampled, version 0: kind, runtime, type, its name, address, size, offset of the winning byte.
    private const int AllocationSampled = 303;
    private const int TypePayload = 2;
    private const int SizePayload = 5;

    // 3 MiB: the chance that an array of that size is not sampled is 5 in 10^14.
    private const int MarkElements = 3 * 1024 * 1024 / sizeof(long);

    // Two hundred times the delay of an event.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(2);
    private static readonly nint MarkType = typeof(Mark[]).TypeHandle.Value;

    private readonly List<SampledObject> _samples = [];
    private readonly ManualResetEventSlim _marked = new();
    private DateTime _markTime;
    private long _probed;
    private long? _ownThread;

    private AllocationSampler(EventSource runtime)
    {
        EnableEvents(ThreadProbe.Log, EventLevel.LogAlways);
        EnableEvents(runtime, EventLevel.Informational, AllocationSampling);
    }

    /// <summary>Begins to listen; null when this process has no such events.</summary>
    public static AllocationSampler? TryStart() =>
        RuntimeSource() is { } runtime ? new AllocationSampler(runtime) : null;

    /// <summary>Whether the runtime samples allocations now, for this or for another listener.</summary>
    public static bool IsSampling => RuntimeSource()?.IsEnabled(EventLevel.Informational, AllocationSampling) ?? false;

    /// <summary>Waits until all events up to now have come; to be called once. Null when they did not come within a bounded time.</summary>
    public IReadOnlyList<SampledObject>? Finish()
    {
        DateTime before = DateTime.UtcNow;
        GC.KeepAlive(GC.AllocateUninitializedArray<Mark>(MarkElements));
        DateTime after = DateTime.UtcNow;
        if (!_marked.Wait(Patience))
        {
            return null;
        }

        // Time stamps come from another clock, set by this one when listening began: off by a few microseconds, or by as
        // long as the thread that set it had lost the processor.
        TimeSpan late = _markTime > after ? _markTime - after : _markTime < before ? _markTime - before : TimeSpan.Zero;
        return [.. _samples.Select(sample => sample with { Time = sample.Time - late })];
    }

    /// <summary>Ends the sampling before it returns, but for a process that cannot end it within a bounded time.</summary>
    public override void Dispose()
    {
        base.Dispose();

        // The session is closed by its own thread, some milliseconds later, without notice.
        SpinWait.SpinUntil(() => !IsSampling, Patience);
        GC.SuppressFinalize(this);
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        if (eventData.EventSource == ThreadProbe.Log)
        {
            _probed = eventData.OSThreadId;
        }
        else if (eventData.EventId == AllocationSampled && !_marked.IsSet)
        {
            Add(eventData);
        }
    }

    private void Add(EventWrittenEventArgs eventData)
    {
        if (_ownThread is null)
        {
            ThreadProbe.Log.Ask();
            _ownThread = _probed;
        }

        ReadOnlyCollection<object?> payload = eventData.Payload!;
        if ((nint)payload[TypePayload]! == MarkType)
        {
            _markTime = eventData.TimeStamp;
            _marked.Set();
        }
        else if (eventData.OSThreadId != _ownThread)
        {
            _samples.Add(new SampledObject(eventData.TimeStamp, (ulong)payload[SizePayload]!));
        }
    }

    private static EventSource? RuntimeSource() =>
        EventSource.GetSources().FirstOrDefault(source => source.Name == RuntimeEvents);

    // A separate type, so that no other array is mistaken for it.
#pragma warning disable CS0649, S1144
    private struct Mark
    {
        public long Unused;
    }
#pragma warning restore CS0649, S1144
}

/// <summary>An allocation that the runtime reported.</summary>
internal readonly record struct SampledObject(DateTime Time, double Bytes);

/// <summary>
/// Tells a listener the system's number of the thread that it runs on. Runtime events carry the number of the thread that
/// caused them; a listener learns its own number, on every system, only from an event that its thread causes.
/// </summary>
[EventSource(Name = "Millrace-Lab-Thread")]
internal sealed class ThreadProbe : EventSource
{
    public static readonly ThreadProbe Log = new();

    private ThreadProbe()
    {
    }

    [Event(1)]
    public void Ask() => WriteEvent(1);
}
