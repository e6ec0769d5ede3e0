using System.Diagnostics.Metrics;

namespace Millrace.Tests.FilePipes;

/// <summary>The event source "Millrace": the opened files, how they are read and why, and the counters.</summary>
[Collection(ProcessWide.Name)]
public sealed class EventTests
{
    [Theory, EveryValue]
    public async Task Opening_a_file_raises_an_event_with_strategy_and_reason(ReadStrategy strategy, bool portable)
    {
        string path = TestFolder.NewFile(1_234);
        using var events = new MillraceEvents();

        await using FilePipeReader reader = TestReader.Open(path, strategy, portable);

        (string Strategy, string Reason, long Length) opened = Assert.Single(events.Opened(path));
        Assert.Equal(reader.Strategy.ToString(), opened.Strategy);
        Assert.Equal(reader.StrategyReason, opened.Reason);
        Assert.Equal(1_234, opened.Length);
        Assert.NotEqual(ReadStrategy.Auto, reader.Strategy);
        Assert.NotEmpty(reader.StrategyReason);
    }

    [Fact]
    public async Task The_counters_are_published()
    {
        using var events = new MillraceEvents();
        double before = await events.CounterAsync("bytes-read", static _ => true);
        await using FilePipeReader open = FilePipe.OpenRead(TestFolder.SharedFile(100));
        await using (FilePipeReader reader = FilePipe.OpenRead(TestFolder.SharedFile(1_000_000)))
        {
            await reader.AssertRestAsync(0, 1_000_000);
        }

        await events.CounterAsync("bytes-read", value => value >= before + 1_000_000);
        await events.CounterAsync("bytes-read-rate", static value => value >= 0);
        await events.CounterAsync("reads-synchronous", static value => value >= 1);
        await events.CounterAsync("reads-asynchronous", static value => value >= 0);
        await events.CounterAsync("files-open", static value => value >= 1);
    }

    [Fact]
    public async Task Meter_has_the_same_counters()
    {
        var seen = new Dictionary<string, long>(StringComparer.Ordinal);
        using var listener = new MeterListener();
        listener.InstrumentPublished = static (instrument, listener) =>
        {
            if (string.Equals(instrument.Meter.Name, "Millrace", StringComparison.Ordinal))
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
            seen[instrument.Name + (tags.IsEmpty ? "" : $" {tags[0].Value}")] = value);
        await using FilePipeReader open = FilePipe.OpenRead(TestFolder.SharedFile(100));
        listener.Start();
        listener.RecordObservableInstruments();
        long before = seen["millrace.file.io"];
        await using (FilePipeReader reader = FilePipe.OpenRead(TestFolder.SharedFile(1_000_000)))
        {
            await reader.AssertRestAsync(0, 1_000_000);
        }

        listener.RecordObservableInstruments();
        Assert.True(seen["millrace.file.io"] >= before + 1_000_000);
        Assert.True(seen["millrace.file.reads synchronous"] + seen["millrace.file.reads asynchronous"] >= 1);
        Assert.True(seen["millrace.file.open"] >= 1);
    }
}
