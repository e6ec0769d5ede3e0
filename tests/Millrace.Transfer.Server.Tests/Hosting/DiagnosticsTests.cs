using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using Microsoft.Extensions.Logging;
using Millrace.Transfer.Server.Tests.Uploads;

namespace Millrace.Transfer.Server.Tests.Hosting;

/// <summary>What metrics, traces and the log tell of a transfer.</summary>
public sealed class DiagnosticsTests
{
    [Fact]
    public async Task Transfer_is_counted_in_every_metric()
    {
        using var measured = new Measured();
        ConcurrentQueue<(string Instrument, double Value, string Tags)> seen = measured.Seen;
        await using RunningServer server = await RunningServer.StartAsync(new RunningServerOptions
        {
            Services = services => services.AddSingleton(measured.Factory).AddMillraceTransfer(),
        });
        await server.WriteAsync("five.txt", "12345"u8.ToArray());

        Assert.Equal("12345", await server.Client.GetStringAsync(server.Url("files/five.txt")));
        using HttpResponseMessage put = await server.Client.PutAsync(server.Url("files/new.txt"), new StringContent("123"));
        await Bounded.UntilAsync(() => seen.Count(item => item.Instrument == "millrace.transfer.duration") == 2);

        Assert.Equal(
            [1, -1], seen.Where(item => item is { Instrument: "millrace.transfer.active", Tags: "transmit" }).Select(item => item.Value));
        Assert.Contains(("millrace.transfer.io", 5.0, "transmit"), seen);
        Assert.Contains(("millrace.transfer.io", 3.0, "receive"), seen);
        Assert.Contains(seen, item => item is { Instrument: "millrace.transfer.duration", Tags: "transmit completed 200", Value: > 0 });
        Assert.Contains(seen, item => item is { Instrument: "millrace.transfer.duration", Tags: "receive completed 201" });
    }

    [Fact]
    public async Task Upload_events_are_counted()
    {
        using var measured = new Measured();
        ConcurrentQueue<(string Instrument, double Value, string Tags)> seen = measured.Seen;
        await using RunningServer server = await RunningServer.StartAsync(new RunningServerOptions
        {
            Services = services => services.AddSingleton(measured.Factory).AddMillraceTransfer(),
        });

        string url = await server.BeginAsync("a", 2);
        for (int i = 0; i < 2; i++)
        {
            using HttpResponseMessage patch = await server.PatchTusAsync(url, i, [1]);
            Assert.True(patch.IsSuccessStatusCode);
        }

        url = await server.BeginAsync("b", 2);
        using HttpResponseMessage deleted = await server.TusAsync(HttpMethod.Delete, url);
        Assert.True(deleted.IsSuccessStatusCode);

        Assert.Equal(
            ["started", "resumed", "completed", "started", "aborted"],
            seen.Where(item => item.Instrument == "millrace.upload.events").Select(item => item.Tags));
        Assert.Equal(
            [1, -1, 1, -1], seen.Where(item => item.Instrument == "millrace.upload.active").Select(item => item.Value));
    }

    [Fact]
    public async Task Uploads_that_expire_in_the_background_are_counted()
    {
        using var measured = new Measured();
        ConcurrentQueue<(string Instrument, double Value, string Tags)> seen = measured.Seen;
        using var meter = new TransferMeter(measured.Factory);
        using var folder = new TemporaryFolder();
        var clock = new ManualClock();
        var options = new LocalFileStoreOptions { Clock = clock };
        await using (var before = new LocalFileStore(folder.Path, options))
        {
            await before.StartUploadAsync(new StartUploadOptions { Name = TransferName.Parse("a"), Length = 2 }, default);
            await before.StartUploadAsync(new StartUploadOptions { Name = TransferName.Parse("b"), Length = 2 }, default);
        }

        // An opened store looks at once; whether that is before or after somebody counts must not matter.
        clock.Advance(TimeSpan.FromDays(30));
        await using var local = new LocalFileStore(folder.Path, options);
        local.TellExpiredTo(count => meter.Upload("expired", count));
        await Bounded.UntilAsync(() => !seen.IsEmpty);

        Assert.Equal([("millrace.upload.events", 2.0, "expired")], seen);
    }

    [Fact]
    public async Task Transfer_is_traced_with_its_name_and_outcome()
    {
        var seen = new ConcurrentQueue<Activity>();
        string name = $"{Guid.NewGuid():N}.txt";
        using var listener = new ActivityListener
        {
            ShouldListenTo = source => source.Name == TransferDiagnostics.Name,
            Sample = (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
            ActivityStopped = seen.Enqueue,
        };
        ActivitySource.AddActivityListener(listener);
        await using RunningServer server = await RunningServer.StartAsync(new RunningServerOptions
        {
            Services = services => services.AddMillraceTransfer(),
        });
        using HttpResponseMessage response = await server.Client.GetAsync(server.Url("files/" + name));
        await Bounded.UntilAsync(() => seen.Any(item => (string?)item.GetTagItem("millrace.name") == name));

        Activity activity = seen.First(item => (string?)item.GetTagItem("millrace.name") == name);
        Assert.Equal("millrace transmit", activity.OperationName);
        Assert.Equal("refused", activity.GetTagItem("millrace.transfer.outcome"));
        Assert.Equal(404, activity.GetTagItem("http.response.status_code"));
    }

    [Fact]
    public async Task Log_has_one_line_per_transfer_and_no_secret()
    {
        var log = new CapturedLog(LogLevel.Information);
        await using ServedFolder served = await ServedFolder.StartAsync(
            options => options.Logging = logging => logging.AddProvider(log).SetMinimumLevel(LogLevel.Information));
        var tokens = new TokenStore(TokenStore.DefaultPath(served.Folder));
        string secret = (await tokens.AddAsync("writer", TransferScope.All)).Secret;
        string query = SignedLink.CreateQuery(
            await tokens.GetLinkKeyAsync(), "PUT", TransferName.Parse("new.txt"), DateTimeOffset.UtcNow.AddHours(1));
        using HttpResponseMessage linked = await served.Client.PutAsync("files/new.txt?" + query, new StringContent("12345"));
        served.Client.DefaultRequestHeaders.Add("Authorization", "Bearer " + secret);
        await served.Client.GetStringAsync("files/new.txt");
        await Bounded.UntilAsync(() => log.Lines.Count >= 2);

        Assert.Matches(@"^PUT new\.txt: completed, 201, 5 bytes in \d+ ms, :link at 127\.0\.0\.1$", log.Lines.First());
        Assert.Matches(@"^GET new\.txt: completed, 200, 5 bytes in \d+ ms, writer at 127\.0\.0\.1$", log.Lines.Last());
        Assert.DoesNotContain(log.Lines, line => line.Contains(secret[3..], StringComparison.Ordinal));
        Assert.DoesNotContain(log.Lines, line => line.Contains("mr-", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Log_has_no_marks_that_turn_a_name()
    {
        var log = new CapturedLog(LogLevel.Information);
        await using ServedFolder served = await ServedFolder.StartAsync(
            options => options.Logging = logging => logging.AddProvider(log).SetMinimumLevel(LogLevel.Information));

        using HttpResponseMessage put = await served.Client.PutAsync("files/photo-%E2%80%AEgpj.exe", new StringContent("x"));
        await Bounded.UntilAsync(() => !log.Lines.IsEmpty);

        Assert.StartsWith("PUT photo-\uFFFDgpj.exe: completed, 201, ", Assert.Single(log.Lines), StringComparison.Ordinal);
    }

    /// <summary>A factory of meters, and what its instruments measured.</summary>
    private sealed class Measured : IDisposable
    {
        private readonly ServiceProvider _services = new ServiceCollection().AddMetrics().BuildServiceProvider();
        private readonly MeterListener _listener = new();

        public Measured()
        {
            _listener.InstrumentPublished = (instrument, self) =>
            {
                // Other tests of the process have meters of this name too.
                if (instrument.Meter.Name == TransferDiagnostics.Name && ReferenceEquals(instrument.Meter.Scope, Factory))
                {
                    self.EnableMeasurementEvents(instrument);
                }
            };
            _listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Seen.Enqueue((instrument.Name, value, Text(tags))));
            _listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => Seen.Enqueue((instrument.Name, value, Text(tags))));
            _listener.Start();
        }

        public IMeterFactory Factory => _services.GetRequiredService<IMeterFactory>();

        public ConcurrentQueue<(string Instrument, double Value, string Tags)> Seen { get; } = new();

        public void Dispose()
        {
            _listener.Dispose();
            _services.Dispose();
        }

        private static string Text(ReadOnlySpan<KeyValuePair<string, object?>> tags)
        {
            var values = new List<object?>();
            foreach (KeyValuePair<string, object?> tag in tags)
            {
                values.Add(tag.Value);
            }

            return string.Join(' ', values);
        }
    }
}
