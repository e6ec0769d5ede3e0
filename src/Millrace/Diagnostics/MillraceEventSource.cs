using System.Diagnostics.Metrics;
using System.Diagnostics.Tracing;
using Millrace.Sources;

namespace Millrace.Diagnostics;

/// <summary>
/// The event source and the meter "Millrace": an event for every file opened, with the strategy and why it was chosen, and the same counters
/// for dotnet-counters and for OpenTelemetry. See docs/events.md.
/// </summary>
[EventSource(Name = "Millrace")]
internal sealed class MillraceEventSource : EventSource
{
    public static readonly MillraceEventSource Log = new();

    private PollingCounter? _bytesCounter;
    private IncrementingPollingCounter? _byteRateCounter;
    private PollingCounter? _synchronousCounter;
    private PollingCounter? _asynchronousCounter;
    private PollingCounter? _openCounter;
    private long _bytes;
    private long _synchronous;
    private long _asynchronous;
    private long _open;

    private MillraceEventSource()
    {
        // Read only when they are collected.
        var meter = new Meter("Millrace");
        meter.CreateObservableCounter("millrace.file.io", BytesRead, "By", "Bytes that readers read from their files.");
        meter.CreateObservableCounter(
            "millrace.file.reads",
            () => (Measurement<long>[])
            [
                new(SynchronousReads(), new KeyValuePair<string, object?>("millrace.read.mode", "synchronous")),
                new(AsynchronousReads(), new KeyValuePair<string, object?>("millrace.read.mode", "asynchronous")),
            ],
            "{read}",
            "Reads from files: answered at once, or after waiting.");
        meter.CreateObservableUpDownCounter("millrace.file.open", () => Interlocked.Read(ref _open), "{file}", "Readers that are not completed.");
    }

    /// <summary>Bytes that readers got from their files since the process began.</summary>
    [NonEvent]
    public long BytesRead() => Interlocked.Read(ref _bytes);

    /// <summary>Reads from files that were answered at once.</summary>
    [NonEvent]
    public long SynchronousReads() => Interlocked.Read(ref _synchronous);

    /// <summary>Reads from files that had to wait.</summary>
    [NonEvent]
    public long AsynchronousReads() => Interlocked.Read(ref _asynchronous);

    [NonEvent]
    public void Opened(ReadSource source)
    {
        Interlocked.Increment(ref _open);
        if (IsEnabled())
        {
            FileOpened(source.File.Path, source.Strategy.ToString(), source.Reason, source.File.SizeAtOpen);
        }
    }

    [NonEvent]
    public void Closed() => Interlocked.Decrement(ref _open);

    [NonEvent]
    public void Read(long bytes, long synchronous, long asynchronous)
    {
        Interlocked.Add(ref _bytes, bytes);
        Interlocked.Add(ref _synchronous, synchronous);
        Interlocked.Add(ref _asynchronous, asynchronous);
    }

    [Event(1, Level = EventLevel.Informational)]
    private void FileOpened(string path, string strategy, string reason, long length) =>
        WriteEvent(1, path, strategy, reason, length);

    protected override void OnEventCommand(EventCommandEventArgs command)
    {
        if (command.Command != EventCommand.Enable)
        {
            return;
        }

        _bytesCounter ??= new PollingCounter("bytes-read", this, () => BytesRead()) { DisplayUnits = "B" };
        _byteRateCounter ??= new IncrementingPollingCounter("bytes-read-rate", this, () => BytesRead())
        {
            DisplayUnits = "B",
            DisplayRateTimeScale = TimeSpan.FromSeconds(1),
        };
        _synchronousCounter ??= new PollingCounter("reads-synchronous", this, () => SynchronousReads());
        _asynchronousCounter ??= new PollingCounter("reads-asynchronous", this, () => AsynchronousReads());
        _openCounter ??= new PollingCounter("files-open", this, () => Interlocked.Read(ref _open));
    }
}

/// <summary>
/// One reader's counts since it last added them to the process-wide counters: plain fields, because an interlocked addition
/// per read would cost more than the read.
/// </summary>
internal struct ReadTally
{
    private const long FlushEvery = 4 * 1024 * 1024;

    public long Asynchronous;

    private long _bytes;
    private long _fills;

    public void Add(long bytes)
    {
        _bytes += bytes;
        _fills++;
        if (_bytes >= FlushEvery)
        {
            Flush();
        }
    }

    public void Flush()
    {
        MillraceEventSource.Log.Read(_bytes, Math.Max(0, _fills - Asynchronous), Asynchronous);
        this = default;
    }
}
