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
    public async Task Upload_by_the_draft_keeps_the_rate_in_all_its_parts()
    {
        byte[] content = Content.Of(Bytes);
        TimeSpan begin = _clock.Passed;
        using HttpResponseMessage created = await SendAsync(
            HttpMethod.Put, "files/large", content[..(Bytes / 2)], null, ("Upload-Draft-Interop-Version", "8"), ("Upload-Complete", "?0"));
        Assert.Equal(HttpStatusCode.Created, created.StatusCode);
        using HttpResponseMessage continued = await SendAsync(
            HttpMethod.Patch, created.Headers.Location!.ToString(), content[(Bytes / 2)..], "application/partial-upload",
            ("Upload-Draft-Interop-Version", "8"), ("Upload-Complete", "?1"), ("Upload-Offset", $"{Bytes / 2}"));
        Assert.True(continued.IsSuccessStatusCode, $"{continued.StatusCode}");
        AssertIsPaced(_clock.Passed - begin, requests: 2);
        Assert.Equal(content, await File.ReadAllBytesAsync(_served.PathOf("large")));
    }

    [Fact]
    public async Task Webdav_client_that_locks_and_sends_without_a_length_keeps_the_rate()
    {
        const string Exclusive =
            "<D:lockinfo xmlns:D=\"DAV:\"><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockinfo>";
        byte[] content = Content.Of(Bytes);
        using HttpResponseMessage locked = await SendAsync(new HttpMethod("LOCK"), "files/large", Encoding.UTF8.GetBytes(Exclusive), "application/xml");
        Assert.Equal(HttpStatusCode.Created, locked.StatusCode);
        string token = locked.Headers.GetValues("Lock-Token").Single();
        TimeSpan begin = _clock.Passed;
        using HttpResponseMessage put = await SendAsync(
            HttpMethod.Put, "files/large", content, null, ("If", $"({token})"), ("Transfer-Encoding", "chunked"));
        Assert.Equal(HttpStatusCode.NoContent, put.StatusCode);
        AssertIsPaced(_clock.Passed - begin);

        // COPY and PROPFIND move no bytes of files.
        TimeSpan frozen = _clock.Passed;
        using HttpResponseMessage copied = await SendAsync(new HttpMethod("COPY"), "files/large", null, null, ("Destination", "/files/copy"));
        using HttpResponseMessage found = await SendAsync(new HttpMethod("PROPFIND"), "files/", null, null, ("Depth", "1"));
        Assert.Equal((HttpStatusCode.Created, HttpStatusCode.MultiStatus), (copied.StatusCode, found.StatusCode));
        Assert.Equal(frozen, _clock.Passed);
        using var get = new HttpRequestMessage(HttpMethod.Get, "files/copy");
        Task<byte[]> download = ReadAsync(get);
        AssertIsPaced(await RunAsync(download, Rates.Transmit));
        Assert.Equal(content, await download);
    }

    [Fact]
    [NeedsLocalFolder]
    public async Task Page_keeps_the_rate_of_the_token_by_which_it_is_signed_in()
    {
        await using ServedFolder served = await StartAsync(new TransferLimits());
        string token = (await new TokenStore(TokenStore.DefaultPath(served.Folder)).AddAsync("slow", TransferScope.All, maxRate: Rate)).Secret;
        using var signIn = new HttpRequestMessage(HttpMethod.Post, "session") { Content = new StringContent($"{{\"token\":\"{token}\"}}", Encoding.UTF8, "application/json") };
        using HttpResponseMessage signedIn = await served.Client.SendAsync(signIn);
        Assert.Equal(HttpStatusCode.NoContent, signedIn.StatusCode);
        (string, string) page = ("Sec-Fetch-Site", "same-origin");
        RateGate gate = served.Server.Rates.Receive;

        // As the page uploads: tus, with the first bytes in the request that creates it.
        byte[] content = Content.Of(Bytes);
        using HttpResponseMessage created = await SendAsync(
            HttpMethod.Post, "uploads", content[..1000], "application/offset+octet-stream", served, gate, page,
            ("Tus-Resumable", "1.0.0"), ("Upload-Length", $"{Bytes}"), ("Upload-Metadata", "filename " + Convert.ToBase64String("large"u8)));
        Assert.Equal(HttpStatusCode.Created, created.StatusCode);
        TimeSpan begin = _clock.Passed;
        using HttpResponseMessage sent = await SendAsync(
            HttpMethod.Patch, created.Headers.Location!.ToString(), content[1000..], "application/offset+octet-stream", served, gate, page,
            ("Tus-Resumable", "1.0.0"), ("Upload-Offset", "1000"));
        Assert.Equal(HttpStatusCode.NoContent, sent.StatusCode);
        AssertIsPaced(_clock.Passed - begin);
        Assert.Equal(content, await File.ReadAllBytesAsync(served.PathOf("large")));
    }

    /// <remarks>The server knows a caller's token only when the window of its connection is in force.</remarks>
    [Fact]
    [NeedsLocalFolder]
    public async Task Token_with_a_rate_sends_no_more_in_advance_than_a_window_of_http2()
    {
        await using ServedFolder served = await StartAsync(new TransferLimits());
        string token = (await new TokenStore(TokenStore.DefaultPath(served.Folder)).AddAsync("slow", TransferScope.All, maxRate: Rate)).Secret;
        int window = new TransferLimits().Http2Window;
        using var body = new CountedContent(4L * window);
        using var request = new HttpRequestMessage(HttpMethod.Put, new Uri(served.Server.Http2Address!, "files/large"))
        {
            Content = body,
            Version = HttpVersion.Version20,
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
        };
        request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", token);
        using var stop = new CancellationTokenSource();
        using var client = new HttpClient();
        Task<HttpResponseMessage> upload = client.SendAsync(request, stop.Token);
        await Bounded.UntilAsync(() => upload.IsCompleted || (body.Sent >= window && served.Server.Rates.Receive.Waiting > 0));

        // Its clock stands still, and others send and receive meanwhile.
        Assert.Equal(1, served.Server.Rates.Receive.Waiting);
        string fast = (await new TokenStore(TokenStore.DefaultPath(served.Folder)).AddAsync("fast", TransferScope.All)).Secret;
        using var other = new HttpRequestMessage(HttpMethod.Put, new Uri(served.Server.Http2Address!, "files/other"))
        {
            Content = new ByteArrayContent(new byte[2 * window]),
            Version = HttpVersion.Version20,
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
        };
        other.Headers.Authorization = new AuthenticationHeaderValue("Bearer", fast);
        using var another = new HttpClient();
        using HttpResponseMessage put = await another.SendAsync(other);
        Assert.Equal(HttpStatusCode.Created, put.StatusCode);
        Assert.InRange(body.Sent, window, window + (2 * 1024 * 1024));
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => upload);
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

    private static void AssertIsPaced(TimeSpan took, int requests = 1)
    {
        // A second's bytes may go in advance; base64 is a third longer.
        Assert.InRange(took.TotalSeconds, ((double)(Bytes - (requests * RateGate.FirstBytes)) / Rate) - 1.2, (1.4 * Bytes / Rate) + 1);
    }

    /// <summary>Sends a request, and advances the clock whenever it waits to be received.</summary>
    private Task<HttpResponseMessage> SendAsync(
        HttpMethod method, string path, byte[]? body, string? mediaType, params (string Name, string Value)[] fields) =>
        SendAsync(method, path, body, mediaType, _served, Rates.Receive, fields);

    private async Task<HttpResponseMessage> SendAsync(
        HttpMethod method, string path, byte[]? body, string? mediaType, ServedFolder served, RateGate gate, params (string Name, string Value)[] fields)
    {
        using var request = new HttpRequestMessage(method, path) { Content = body is null ? null : new ByteArrayContent(body) };
        if (mediaType is not null)
        {
            request.Content!.Headers.ContentType = new MediaTypeHeaderValue(mediaType);
        }

        foreach ((string name, string value) in fields)
        {
            Assert.True(request.Headers.TryAddWithoutValidation(name, value));
        }

        Task<HttpResponseMessage> sending = served.Client.SendAsync(request);
        await RunAsync(sending, gate);
        return await sending;
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

    /// <summary>Zeros, with the number of those that were taken.</summary>
    private sealed class CountedContent(long length) : HttpContent
    {
        private long _sent;

        public long Sent => Interlocked.Read(ref _sent);

        protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) =>
            SerializeToStreamAsync(stream, context, CancellationToken.None);

        protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context, CancellationToken cancellationToken)
        {
            byte[] piece = new byte[64 * 1024];
            while (_sent < length)
            {
                await stream.WriteAsync(piece, cancellationToken);
                await stream.FlushAsync(cancellationToken);
                Interlocked.Add(ref _sent, piece.Length);
            }
        }

        protected override bool TryComputeLength(out long computed)
        {
            computed = length;
            return true;
        }
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
