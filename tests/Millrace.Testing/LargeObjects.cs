using System.Collections.Concurrent;
using System.Diagnostics.Tracing;

namespace Millrace.Testing;

/// <summary>
/// The types of large objects that the process allocates, by the runtime's own events: AllocationTick comes with the kind
/// "large" for each 100 KB of them.
/// </summary>
public sealed class LargeObjects : EventListener
{
    private const string Runtime = "Microsoft-Windows-DotNETRuntime";
    private const EventKeywords Collector = (EventKeywords)0x1;
    private const uint Large = 1;

    private readonly ConcurrentQueue<string> _types = new();

    /// <summary>The objects so far, in the order of its allocation.</summary>
    public IReadOnlyList<string> Types => [.. _types];

    /// <summary>Allocates a large array, and waits until it was seen: all that was allocated before was seen then.</summary>
    public async Task MarkAsync<T>()
        where T : unmanaged
    {
        using var bound = new CancellationTokenSource(TimeSpan.FromMinutes(5));
        string name = typeof(T[]).FullName!;
        while (!_types.Contains(name))
        {
            // Again and again, since the first may come before the events do.
            GC.KeepAlive(new T[1_000_000]);
            await Task.Delay(20, bound.Token);
        }
    }

    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        if (eventSource.Name == Runtime)
        {
            EnableEvents(eventSource, EventLevel.Verbose, Collector);
        }
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        if (eventData.EventName?.Contains("AllocationTick", StringComparison.Ordinal) is true
            && Value(eventData, "AllocationKind") is Large)
        {
            _types.Enqueue((string)Value(eventData, "TypeName")!);
        }
    }

    private static object? Value(EventWrittenEventArgs eventData, string name) =>
        eventData.Payload![eventData.PayloadNames!.IndexOf(name)];
}
