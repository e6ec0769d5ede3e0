using System.Net.Http.Headers;

namespace Millrace.Transfer.Server.Tests.Limits;

/// <summary>Limits of the rate over every protocol, by a clock that the test advances: bytes are counted, not timed.</summary>
public sealed class MaxRateTests : IAsyncLifetime, IDisposable
{
    private const int Rate = 200_000;
    private const int Bytes = 1_600_000;
    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(50);

    private readonly StepClock _clock = new();
    private readonly TemporaryFolder _mine = new();
    private ServedFolder _served = null!;

    public static TheoryData<TransferProtocol> Protocols { get; } = new(
        TransferProtocol.Http1, TransferProtocol.Http2, TransferProtocol.Tus, TransferProtocol.Grpc, TransferProtocol.GrpcWeb,
        TransferProtocol.GrpcWebText);

    private RateLimits Rates => _served.Server.Rates;

    public async Task InitializeAsync() => _served = await StartAsync(new TransferLimits { MaxRate = Rate });

    public async Task DisposeAsync() => await _served.DisposeAsync();

    public void Dispose() => _mine.Dispose();

    [Theory]
    [MemberData(nameof(Protocols))]
    public async Task Upload_keeps_the_rate_and_small_requests_do_not_wait_for_it(TransferProtocol protocol)
    {
        string path = _mine.Write("large", Content.Of(Bytes));
        using TransferClient client = Connect(protocol);
        Task upload = client.PutAsync(path, TransferName.Parse("large"));
        await Bounded.UntilAsync(() => upload.IsCompleted || Rates.Receive.Waiting > 0);
        await AssertSmallOnesAreQuickAsync();
        AssertIsPaced(await RunAsync(upload, Rates.Receive));
        Assert.Equal(await File.ReadAllBytesAsync(path), await File.ReadAllBytesAsync(_served.PathOf("large")));
    }

    [Theory]
    [MemberData(nameof(Protocols))]
    public async Task Download_keeps_the_rate_and_small_requests_do_not_wait_for_it(TransferProtocol protocol)
    {
        string path = await _served.WriteAsync("large", Content.Of(Bytes));
        using TransferClient client = Connect(protocol);
        Task download = client.GetAsync(TransferName.Parse("large"), _mine["large"]);
        await Bounded.UntilAsync(() => download.IsCompleted || Rates.Transmit.Waiting > 0);
        await AssertSmallOnesAreQuickAsync();
        AssertIsPaced(await RunAsync(download, Rates.Transmit));
        Assert.Equal(await File.ReadAllBytesAsync(path), await File.ReadAllBytesAsync(_mine["large"]));
    }

    [Theory]
    [InlineData("files/large", null)]
    [InlineData("files/large", "bytes=1-")]
    [InlineData("files/large", "bytes=0-999999,1000001-")]
    [InlineData("files/?archive=zip", null)]
    [InlineData("files/?archive=tar", null)]
    public async Task Response_keeps_the_rate_in_every_form(string path, string? range)
    {
        await _served.WriteAsync("large", Content.Of(Bytes));
        using var request = new HttpRequestMessage(HttpMethod.Get, path);
        request.Headers.Range = range is null ? null : RangeHeaderValue.Parse(range);
        Task<byte[]> download = ReadAsync(request);
        await Bounded.UntilAsync(() => download.IsCompleted || Rates.Transmit.Waiting > 0);
        AssertIsPaced(await RunAsync(download, Rates.Transmit));
        Assert.InRange((await download).Length, Bytes - 1, Bytes + 4_096);
    }

    [Fact]
    public async Task Compressed_upload_keeps_the_rate()
    {
        using var packed = new MemoryStream();
        byte[] content = Content.Of(Bytes);
        await using (var gzip = new System.IO.Compression.GZipStream(packed, System.IO.Compression.CompressionLevel.NoCompression, leaveOpen: true))
        {
            await gzip.WriteAsync(content);
        }

        using var body = new ByteArrayContent(packed.ToArray());
        body.Headers.ContentEncoding.Add("gzip");
        Task<HttpResponseMessage> upload = _served.Client.PutAsync("files/large", body);
        await Bounded.UntilAsync(() => upload.IsCompleted || Rates.Receive.Waiting > 0);
        AssertIsPaced(await RunAsync(upload, Rates.Receive));
        using HttpResponseMessage response = await upload;
        Assert.Equal(HttpStatusCode.Created, response.StatusCode);
    }

    [Fact]
    public async Task Client_that_goes_away_while_it_waits_is_forgotten_without_time()
    {
        await _served.WriteAsync("large", Content.Of(Bytes));
        using (RawConnection gone = await RawConnection.OpenAsync(
            _served.Server.Address, "PUT /files/one HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1600000\r\n\r\n" + new string('a', 120_000)))
        using (RawConnection other = await RawConnection.OpenAsync(_served.Server.Address, "GET /files/large HTTP/1.1\r\nHost: localhost\r\n\r\n"))
        {
            await Bounded.UntilAsync(() => Rates.Receive.Waiting == 1 && Rates.Transmit.Waiting == 1);
        }

        await Bounded.UntilAsync(() => Rates.Receive.Waiting == 0 && Rates.Transmit.Waiting == 0);
        await Bounded.UntilAsync(() => _served.Server.ActiveTransfers == 0);
    }

    [Fact]
    [NeedsLocalFolder]
    public async Task Token_with_a_rate_is_limited_by_it_and_others_are_not()
    {
        await using ServedFolder served = await StartAsync(new TransferLimits());
        var tokens = new TokenStore(TokenStore.DefaultPath(served.Folder));
        string slow = (await tokens.AddAsync("slow", TransferScope.All, maxRate: Rate)).Secret;
        string fast = (await tokens.AddAsync("fast", TransferScope.All)).Secret;
        await served.WriteAsync("large", Content.Of(Bytes));
        Assert.Equal(Rate, tokens.List().Single(static token => token.Name == "slow").MaxRate);

        Task<byte[]> one = GetAsync(slow);
        await Bounded.UntilAsync(() => one.IsCompleted || served.Server.Rates.Transmit.Waiting == 1);
        Assert.Equal(Bytes, (await GetAsync(fast)).Length);
        AssertIsPaced(await RunAsync(one, served.Server.Rates.Transmit));

        using TransferClient client = new(new Uri(served.Server.Http2Address!, "files/"), new TransferClientOptions { Protocol = TransferProtocol.Grpc, Token = slow });
        Task upload = client.PutAsync(_mine.Write("up", Content.Of(Bytes)), TransferName.Parse("up"));
        await Bounded.UntilAsync(() => upload.IsCompleted || served.Server.Rates.Receive.Waiting == 1);
        AssertIsPaced(await RunAsync(upload, served.Server.Rates.Receive));

        async Task<byte[]> GetAsync(string token)
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, "files/large");
            request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", token);
            using HttpResponseMessage response = await served.Client.SendAsync(request);
            return await response.Content.ReadAsByteArrayAsync();
        }
    }

    [Fact]
    [NeedsLocalFolder]
    public async Task Caller_has_its_own_rate_and_another_does_not_wait_for_it()
    {
        await using ServedFolder served = await StartAsync(new TransferLimits { MaxRatePerCaller = Rate });
        await served.WriteAsync("large", Content.Of(Bytes));
        using RawConnection one = await RawConnection.OpenAsync(
            served.Server.Address, "GET /files/large HTTP/1.1\r\nHost: localhost\r\n\r\n");
        await Bounded.UntilAsync(() => served.Server.Rates.Transmit.Waiting == 1);
        var tokens = new TokenStore(TokenStore.DefaultPath(served.Folder));
        string token = (await tokens.AddAsync("quick", TransferScope.All, maxRate: 1_000_000_000)).Secret;
        using var request = new HttpRequestMessage(HttpMethod.Get, "files/large");
        request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", token);
        using HttpResponseMessage response = await served.Client.SendAsync(request);
        Assert.Equal(Bytes, (await response.Content.ReadAsByteArrayAsync()).Length);
        Assert.Equal(1, served.Server.Rates.Transmit.Waiting);
    }

    [Fact]
    public void Rates_that_would_seem_to_hang_are_refused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(static () => new TransferLimits { MaxRate = 999 });
        Assert.Throws<ArgumentOutOfRangeException>(static () => new TransferLimits { MaxRatePerCaller = 0 });
        Assert.Null(new TransferLimits().MaxRate);
        Assert.Null(new TransferLimits().MaxRatePerCaller);
    }

    private static void AssertIsPaced(TimeSpan took)
    {
        // A second's bytes may go in advance; base64 is a third longer.
        Assert.InRange(took.TotalSeconds, ((double)(Bytes - RateGate.FirstBytes) / Rate) - 1.2, (1.4 * Bytes / Rate) + 1);
    }

    private async Task<byte[]> ReadAsync(HttpRequestMessage request)
    {
        using HttpResponseMessage response = await _served.Client.SendAsync(request);
        response.EnsureSuccessStatusCode();
        return await response.Content.ReadAsByteArrayAsync();
    }

    private async Task AssertSmallOnesAreQuickAsync()
    {
        TimeSpan frozen = _clock.Passed;
        await _served.Client.PutAsync("files/small", new StringContent("small")).AnswersAsync(HttpStatusCode.Created);
        Assert.Equal("small", await _served.Client.GetStringAsync("files/small"));
        Assert.Contains("small", await _served.Client.GetStringAsync("files/"), StringComparison.Ordinal);
        Assert.Equal(frozen, _clock.Passed);
    }

    /// <summary>Advances the clock whenever the transfer waits.</summary>
    /// <returns>How far.</returns>
    private async Task<TimeSpan> RunAsync(Task transfer, RateGate gate)
    {
        TimeSpan begin = _clock.Passed;
        while (!transfer.IsCompleted)
        {
            await Bounded.UntilAsync(() => transfer.IsCompleted || gate.Waiting > 0);
            if (!transfer.IsCompleted)
            {
                _clock.Advance(Step);
            }
        }

        await transfer;
        return _clock.Passed - begin;
    }

    private TransferClient Connect(TransferProtocol protocol) => new(
        new Uri(_served.Server.Address, "files/"), new TransferClientOptions { Protocol = protocol, MaxConnections = 1 });

    private Task<ServedFolder> StartAsync(TransferLimits limits) => ServedFolder.StartAsync(options =>
    {
        options.Limits = limits;
        options.TimeProvider = _clock;
        options.OfferHttp2Port = true;
        options.Http2Port = 0;
    });
}
