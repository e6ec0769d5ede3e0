using System.Collections.Concurrent;
using System.Diagnostics.Tracing;

namespace Millrace.Tests.Infrastructure;

/// <summary>Listens to the event source "Millrace", as dotnet-trace and dotnet-counters do.</summary>
internal sealed class MillraceEvents : EventListener
{
    private readonly ConcurrentQueue<EventWrittenEventArgs> _events = new();
    private readonly ConcurrentDictionary<string, double> _counters = new(StringComparer.Ordinal);
    private readonly SemaphoreSlim _published = new(0);

    /// <summary>The FileOpened events of one path, as (strategy, reason, length).</summary>
    public IEnumerable<(string Strategy, string Reason, long Length)> Opened(string path) =>
        from written in _events
        where string.Equals(written.EventName, "FileOpened", StringComparison.Ordinal)
        where string.Equals((string?)written.Payload![0], path, StringComparison.Ordinal)
        select ((string)written.Payload![1]!, (string)written.Payload[2]!, (long)written.Payload[3]!);

    /// <summary>Waits until a counter is published with such a value.</summary>
    public async Task<double> CounterAsync(string name, Predicate<double> wanted)
    {
        using var patience = new CancellationTokenSource(Bounded.Patience);
        while (true)
        {
            if (_counters.TryGetValue(name, out double value) && wanted(value))
            {
                return value;
            }

            await _published.WaitAsync(patience.Token);
        }
    }

    public override void Dispose()
    {
        base.Dispose();
        _published.Dispose();
    }

    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        if (string.Equals(eventSource.Name, "Millrace", StringComparison.Ordinal))
        {
            EnableEvents(
                eventSource,
                EventLevel.Informational,
                EventKeywords.All,
                new Dictionary<string, string?>(StringComparer.Ordinal) { ["EventCounterIntervalSec"] = "0.1" });
        }
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        // The base class's constructor enables sources before this one's fields are set.
        if (_published is null)
        {
            return;
        }

        if (!string.Equals(eventData.EventName, "EventCounters", StringComparison.Ordinal))
        {
            _events.Enqueue(eventData);
            return;
        }

        var payload = (IDictionary<string, object>)eventData.Payload![0]!;
        _counters[(string)payload["Name"]] =
            Convert.ToDouble(payload.TryGetValue("Mean", out object? mean) ? mean : payload["Increment"]);
        _published.Release();
    }
}
