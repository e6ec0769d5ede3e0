using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace Millrace.Transfer.Server;

/// <summary>The instruments. Thread-safe; one per application.</summary>
internal sealed class TransferMeter : IDisposable
{
    // Bounds in seconds: from a small file on the machine itself to one of many GiB over a slow line.
    private static readonly InstrumentAdvice<double> Durations = new()
    {
        HistogramBucketBoundaries = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300, 1800, 7200],
    };

    private readonly Meter _meter;
    private readonly bool _isOwn;
    private readonly UpDownCounter<long> _active;
    private readonly Histogram<double> _duration;
    private readonly Counter<long> _io;
    private readonly UpDownCounter<long> _appending;
    private readonly Counter<long> _uploads;
    private readonly Counter<long> _scrubIo;
    private readonly Counter<long> _scrubFiles;
    private readonly Counter<long> _delayed;
    private readonly UpDownCounter<long> _waiting;
    private readonly UpDownCounter<long> _eventsPending;
    private readonly Counter<long> _events;

    public TransferMeter(IMeterFactory? factory = null)
    {
        // A factory's meters are its own to dispose of.
        _isOwn = factory is null;
        _meter = factory?.Create(TransferDiagnostics.Name) ?? new Meter(TransferDiagnostics.Name);
        _active = _meter.CreateUpDownCounter<long>(
            "millrace.transfer.active", "{transfer}", "Transfers that run now.");
        _duration = _meter.CreateHistogram(
            "millrace.transfer.duration", "s", "How long transfers took.", tags: null, Durations);
        _io = _meter.CreateCounter<long>(
            "millrace.transfer.io", "By", "Bytes of files that were moved.");
        _appending = _meter.CreateUpDownCounter<long>(
            "millrace.upload.active", "{upload}", "Resumable uploads that are being appended to now.");
        _uploads = _meter.CreateCounter<long>(
            "millrace.upload.events", "{upload}", "Resumable uploads that were started, resumed, completed, aborted or expired.");
        _scrubIo = _meter.CreateCounter<long>(
            "millrace.scrub.io", "By", "Bytes of files that were read to check them.");
        _scrubFiles = _meter.CreateCounter<long>(
            "millrace.scrub.files", "{file}", "Files that were checked: intact, computed, damaged, replaced or skipped.");
        _delayed = _meter.CreateCounter<long>(
            "millrace.rate.delayed", "By", "Bytes that had to wait because of a limit of the rate.");
        _waiting = _meter.CreateUpDownCounter<long>(
            "millrace.rate.waiting", "{request}", "Requests that wait now because of a limit of the rate.");
        _eventsPending = _meter.CreateUpDownCounter<long>(
            "millrace.event.pending", "{event}", "Events of files that wait to be delivered.");
        _events = _meter.CreateCounter<long>(
            "millrace.event.deliveries", "{event}", "Events of files that were delivered or dropped, and deliveries that failed.");
    }

    /// <summary>Whether anything listens for the duration of transfers.</summary>
    public bool IsRecording => _duration.Enabled;

    public void Dispose()
    {
        if (_isOwn)
        {
            _meter.Dispose();
        }
    }

    public void Begun(string direction) => _active.Add(1, Direction(direction));

    public void Ended(string direction, long bytes, TimeSpan duration, in TagList tags)
    {
        _active.Add(-1, Direction(direction));
        _io.Add(bytes, Direction(direction));
        _duration.Record(duration.TotalSeconds, tags);
    }

    public void Appending(int change) => _appending.Add(change);

    public void Delayed(string direction, long bytes) => _delayed.Add(bytes, Direction(direction));

    public void Waiting(string direction, int change) => _waiting.Add(change, Direction(direction));

    public void Upload(string what, long count = 1)
    {
        if (count > 0)
        {
            _uploads.Add(count, new KeyValuePair<string, object?>("millrace.upload.event", what));
        }
    }

    public void ScrubRead(long bytes) => _scrubIo.Add(bytes);

    public void Scrubbed(string result) => _scrubFiles.Add(1, new KeyValuePair<string, object?>("millrace.scrub.result", result));

    public void EventsPending(int change) => _eventsPending.Add(change);

    public void Event(string outcome) => _events.Add(1, new KeyValuePair<string, object?>("millrace.event.outcome", outcome));

    private static KeyValuePair<string, object?> Direction(string direction) => new("network.io.direction", direction);
}
