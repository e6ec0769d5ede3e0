using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using Microsoft.Extensions.Logging;
using Millrace.Transfer.Server.Tests.Uploads;

namespace Millrace.Transfer.Server.Tests.Hosting;

/// <summary>Metrics, traces and log of a transfer.</summary>
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
        var options = new LocalFileStoreOptions { TimeProvider = clock };
        await using (var before = new LocalFileStore(folder.Path, options))
        {
            await before.StartUploadAsync(new StartUploadOptions { Name = TransferName.Parse("a"), Length = 2 }, default);
            await before.StartUploadAsync(new StartUploadOptions { Name = TransferName.Parse("b"), Length = 2 }, default);
        }

        // An opened store looks at once.
        clock.Advance(TimeSpan.FromDays(30));
        await using var local = new LocalFileStore(folder.Path, options, meter);
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
    public async Task Log_has_each_file_of_a_batch()
    {
        var log = new CapturedLog(LogLevel.Information);
        await using ServedFolder served = await ServedFolder.StartAsync(
            options => options.Logging = logging => logging.AddProvider(log).SetMinimumLevel(LogLevel.Information));
        BatchResultDocument[] results = await Batch.PutAsync(
            served.Client, "files/in/?batch",
            Batch.File("good", new byte[5]), Batch.File("../out\u202E", new byte[6]), Batch.File("other", new byte[7], ""","ifMatch":"\"x\"" """));
        Assert.Equal([201, 400, 412], results.Select(static one => one.Status));
        await Bounded.UntilAsync(() => log.Lines.Count >= 4);

        string[] lines = [.. log.Lines];
        Assert.Equal(4, lines.Length);
        Assert.Matches(@"^POST in/good: completed, 201, 5 bytes in \d+ ms, - at 127\.0\.0\.1$", lines[0]);
        Assert.Matches(@"^POST in/\.\./out[^\u202E]*: refused, 400, 6 bytes in \d+ ms, ", lines[1]);
        Assert.Matches(@"^POST in/other: refused, 412, 7 bytes in \d+ ms, ", lines[2]);
        Assert.StartsWith("POST in: completed, 200, ", lines[3], StringComparison.Ordinal);
    }

    [Fact]
    public async Task Log_has_each_file_that_a_batch_got()
    {
        var log = new CapturedLog(LogLevel.Information);
        await using ServedFolder served = await ServedFolder.StartAsync(
            options => options.Logging = logging => logging.AddProvider(log).SetMinimumLevel(LogLevel.Information));
        await served.WriteAsync("in/good", new byte[5]);
        await Batch.GetAsync(served.Client, "files/in/?batch=get", "good", "../out\u202E", "none");
        await Bounded.UntilAsync(() => log.Lines.Count >= 4);

        string[] lines = [.. log.Lines];
        Assert.Equal(4, lines.Length);
        Assert.Matches(@"^POST in/good: completed, 200, 5 bytes in \d+ ms, - at 127\.0\.0\.1$", lines[0]);
        Assert.Matches(@"^POST in/\.\./out[^\u202E]*: refused, 400, 0 bytes in \d+ ms, ", lines[1]);
        Assert.Matches(@"^POST in/none: refused, 404, 0 bytes in \d+ ms, ", lines[2]);
        Assert.StartsWith("POST in: completed, 200, 5 bytes ", lines[3], StringComparison.Ordinal);
    }

    [Fact]
    public async Task Log_has_stored_files_of_a_batch_that_is_refused_later()
    {
        var log = new CapturedLog(LogLevel.Information);
        await using ServedFolder served = await ServedFolder.StartAsync(options =>
        {
            options.Logging = logging => logging.AddProvider(log).SetMinimumLevel(LogLevel.Information);
            options.Events = new FileEventOptions { Receiver = new NoReceiver() };
        });
        byte[] body = Batch.Joined(Batch.File("good", new byte[5]), ("malformed\n"u8.ToArray(), []));
        await Batch.PostAsync(served.Client, "files/in/?batch", body).AnswersAsync(HttpStatusCode.BadRequest);
        await Bounded.UntilAsync(() => log.Lines.Any(static line => line.StartsWith("POST in: refused, 400, ", StringComparison.Ordinal)));
        Assert.Contains(log.Lines, static line => line.StartsWith("POST in/good: completed, 201, 5 bytes", StringComparison.Ordinal));
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

    [Theory]
    [InlineData("GET /files/folder/large.bin HTTP/1.1", "")]
    [InlineData("GET /files/folder/large.bin HTTP/1.1", "Range: bytes=5-35000000")]
    [InlineData("GET /files/folder/large.bin HTTP/1.1", "Range: bytes=0-20000000,30000000-39999999")]
    [InlineData("GET /files/folder/large.txt HTTP/1.1", "Accept-Encoding: gzip")]
    [InlineData("GET /files/folder/large.txt HTTP/1.1", "Accept-Encoding: br")]
    [InlineData("GET /files/folder/?archive=tar HTTP/1.1", "")]
    [InlineData("GET /files/folder/?archive=zip HTTP/1.1", "")]
    [NeedsLocalFolder]
    public async Task Download_that_its_client_gives_up_is_logged_as_cut(string request, string field)
    {
        const int Times = 6;
        var log = new CapturedLog(LogLevel.Information);
        await using ServedFolder served = await ServedFolder.StartAsync(options =>
        {
            options.Logging = logging => logging.AddProvider(log).SetMinimumLevel(LogLevel.Information);
            options.Endpoints.Compress = true;
        });
        await served.WriteAsync("folder/large.bin", Content.Random(40_000_000));
        await served.WriteAsync("folder/large.txt", Content.Random(40_000_000));
        for (int i = 0; i < Times; i++)
        {
            using RawConnection connection = await RawConnection.OpenAsync(
                served.Server.Address, $"{request}\r\nHost: localhost\r\n{field}\r\n{(field.Length > 0 ? "\r\n" : "")}");
            Assert.StartsWith("HTTP/1.1 20", await connection.ReadHeadAsync(), StringComparison.Ordinal);
            if (i % 2 == 0 && !TestedTransport.IsKestrel)
            {
                // Kestrel's own sockets end the flush that has just sent the last byte as if it had not.
                connection.Reset();
            }
        }

        await Bounded.UntilAsync(() => log.Lines.Count >= Times);
        Assert.All(log.Lines, line => Assert.Matches("^GET .*: cut, 20[06], ", line));
    }

    [Theory]
    [InlineData("grpc")]
    [InlineData("http2")]
    [NeedsLocalFolder]
    public async Task Download_over_HTTP_2_that_its_client_gives_up_is_logged_as_cut(string protocol)
    {
        var log = new CapturedLog(LogLevel.Information);
        await using ServedFolder served = await ServedFolder.StartAsync(options =>
        {
            options.Logging = logging => logging.AddProvider(log).SetMinimumLevel(LogLevel.Information);
            options.OfferHttp2Port = true;
            options.Http2Port = 0;
        });
        await served.WriteAsync("a", Content.Random(40_000_000));

        // A window for less than the file: what is read on the way to the next answer never is its end.
        using RawHttp2 connection = await RawHttp2.OpenAsync(served.Server.Http2Address!.Port, window: 39_000_000);
        await connection.SendAsync(new Http2Frame(RawHttp2.WindowUpdate, 0, 0, new byte[] { 0x7f, 0, 0, 0 }));
        for (int stream = 1; stream < 9; stream += 2)
        {
            if (protocol == "grpc")
            {
                await connection.RequestAsync(
                    stream, "POST", "/millrace.v1.FileTransfer/Download", end: false, ("content-type", "application/grpc"), ("te", "trailers"));
                await connection.SendAsync(new Http2Frame(RawHttp2.Data, RawHttp2.EndStream, stream, new byte[] { 0, 0, 0, 0, 3, 10, 1, (byte)'a' }));
            }
            else
            {
                await connection.RequestAsync(stream, "GET", "/files/a", end: true);
            }

            Assert.NotNull(await connection.ReadUntilAsync(RawHttp2.Data, stream));
            await connection.SendAsync(new Http2Frame(RawHttp2.ResetStream, 0, stream, new byte[] { 0, 0, 0, 8 }));
        }

        await Bounded.UntilAsync(() => log.Lines.Count >= 4);
        Assert.All(log.Lines, line => Assert.Matches("^(GET|POST) a: cut, 200, ", line));
    }

    [Theory]
    [InlineData(5)]
    [InlineData(20_000)]
    [InlineData(3_000_000)]
    [NeedsLocalFolder]
    public async Task Download_whose_client_closes_after_the_last_byte_is_logged_as_completed(int length)
    {
        const int Times = 20;
        var log = new CapturedLog(LogLevel.Information);
        await using ServedFolder served = await ServedFolder.StartAsync(
            options => options.Logging = logging => logging.AddProvider(log).SetMinimumLevel(LogLevel.Information));
        await served.WriteAsync("a", Content.Random(length));
        for (int i = 0; i < Times; i++)
        {
            using RawConnection connection = await RawConnection.OpenAsync(served.Server.Address, "GET /files/a HTTP/1.1\r\nHost: localhost\r\n\r\n");
            await connection.ReadHeadAsync();
            await connection.SkipAsync(length);
            if (i % 2 == 0 && (length < 64 * 1024 || !TestedTransport.IsKestrel))
            {
                // Over Kestrel's own sockets, a flush that had to wait counts as incomplete once the connection has ended, also if it had sent everything before.
                connection.Reset();
            }
        }

        await Bounded.UntilAsync(() => log.Lines.Count >= Times);
        Assert.All(log.Lines, line => Assert.StartsWith($"GET a: completed, 200, {length} bytes", line, StringComparison.Ordinal));
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

    private sealed class NoReceiver : IFileEvents
    {
        public ValueTask DeliverAsync(FileEvent fileEvent, CancellationToken cancellationToken) => default;
    }
}
