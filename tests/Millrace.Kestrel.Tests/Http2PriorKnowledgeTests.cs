namespace Millrace.Kestrel.Tests;

/// <summary>HTTP/1.1 and HTTP/2 on one port.</summary>
public sealed class Http2PriorKnowledgeTests
{
    private const string GetRequest = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

    private static readonly byte[] Preface = Http2Preface.Bytes.ToArray();

    /// <summary>The preface and empty settings: the first bytes of an HTTP/2 client.</summary>
    private static readonly byte[] Hello = [.. Preface, 0, 0, 0, 4, 0, 0, 0, 0, 0];

    [Theory]
    [InlineData("127.0.0.1", "127.0.0.1")]
    [InlineData("::1", "::1")]
    [InlineData("::", "127.0.0.1")]
    [InlineData("::", "::1")]
    public async Task Both_protocols_are_served_on_one_port(string listen, string connect)
    {
        if (!Socket.OSSupportsIPv6 && (listen + connect).Contains(':', StringComparison.Ordinal))
        {
            return;
        }

        await using TestHost host = await StartAsync(address: new IPEndPoint(IPAddress.Parse(listen), 0));
        using var client = new HttpClient();
        foreach (string version in (string[])["1.1", "2.0", "1.0"])
        {
            Uri uri = new UriBuilder("http", connect, host.Address.Port).Uri;
            Assert.Equal($"HTTP/{version[..1]}{(version == "2.0" ? "" : version[1..])}", await GetAsync(client, uri, version));
        }

        Assert.True(host.Errors.IsEmpty, string.Join('\n', host.Errors));
        Assert.Single(host.Addresses.Distinct());
    }

    [NeedsFact(Need.Unix)]
    public async Task Unix_socket_serves_both_protocols()
    {
        string path = Path.Combine(Path.GetTempPath(), $"millrace-{Guid.NewGuid():N}.sock");
        await using (await StartAsync(address: new UnixDomainSocketEndPoint(path)))
        {
            using HttpClient client = UnixClient.Create(path);
            Assert.Equal("HTTP/1.1", await GetAsync(client, new Uri("http://localhost/"), "1.1"));
            Assert.Equal("HTTP/2", await GetAsync(client, new Uri("http://localhost/"), "2.0"));
        }

        Assert.False(File.Exists(path));
    }

    [NeedsFact(Need.Wine, "makes no keys and certificates")]
    public async Task With_TLS_the_negotiation_decides()
    {
        using var certificate = FileResponseTests.MakeCertificate();
        await using TestHost host = await StartAsync(listen => listen.UseHttps(certificate));
        using var client = new HttpClient(new SocketsHttpHandler
        {
            SslOptions = { RemoteCertificateValidationCallback = (_, shown, _, _) => shown?.GetCertHashString() == certificate.Thumbprint },
        });
        Assert.Equal("HTTP/1.1", await GetAsync(client, host.Address, "1.1"));
        Assert.Equal("HTTP/2", await GetAsync(client, host.Address, "2.0"));

        // Without TLS nothing is answered, as on any port with TLS.
        using Socket plain = await host.ConnectAsync();
        Assert.False(await TryHttp2Async(plain));
    }

    [Fact]
    public async Task Preface_may_be_split_anywhere()
    {
        await using TestHost host = await StartAsync();
        for (int split = 1; split < Hello.Length; split++)
        {
            using Socket socket = await host.ConnectAsync();
            socket.NoDelay = true;
            await socket.SendAllAsync(Hello.AsMemory(0, split));
            await socket.SendAllAsync(Hello.AsMemory(split));
            Assert.True(await IsHttp2Async(socket));
        }
    }

    [Fact]
    public async Task Request_that_begins_like_a_preface_or_comes_slowly_or_pipelined_is_answered()
    {
        await using TestHost host = await StartAsync();
        using Socket slow = await host.ConnectAsync();
        slow.NoDelay = true;
        foreach (byte next in Encoding.ASCII.GetBytes("P" + "ROPFIND / HTTP/1.1\r\nHost: a\r\n\r\n"))
        {
            await slow.SendAllAsync(new[] { next });
        }

        Assert.StartsWith("HTTP/1.1 200", (await slow.ReceiveResponseAsync()).Head);

        using Socket pipelined = await host.ConnectAsync();
        await pipelined.SendAllAsync(Encoding.ASCII.GetBytes(string.Concat(Enumerable.Repeat(GetRequest, 20))));
        for (int i = 0; i < 20; i++)
        {
            Assert.Equal("HTTP/1.1"u8.ToArray(), (await pipelined.ReceiveResponseAsync()).Body);
        }

        using Socket almost = await host.ConnectAsync();
        await almost.SendAllAsync("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\rGET / HTTP/1.1\r\n\r\n"u8.ToArray());

        // Kestrel's HTTP/1.1 answers a line that only HTTP/2 has with GOAWAY and HTTP_1_1_REQUIRED, 13.
        Assert.Equal([0, 0, 8, 7, .. new byte[12], 13], await almost.ReceiveToEndAsync());
    }

    [Fact]
    public async Task Half_a_preface_is_cut_and_silence_is_not()
    {
        await using TestHost host = await StartAsync(sockets: options => options.PrefaceTimeout = TimeSpan.FromMilliseconds(50));
        using Socket silent = await host.ConnectAsync();
        using Socket half = await host.ConnectAsync();
        await half.SendAllAsync(Preface.AsMemory(0, 10));
        await AssertEndsAsync(half);
        await silent.GetAsync("/");
        Assert.Equal("HTTP/1.1"u8.ToArray(), (await silent.ReceiveResponseAsync()).Body);
    }

    [Fact]
    public async Task Silence_is_cut_as_Kestrel_cuts_idle_connections()
    {
        await using TestHost host = await StartAsync(kestrel: options => options.Limits.KeepAliveTimeout = TimeSpan.FromMilliseconds(50));
        using Socket silent = await host.ConnectAsync();
        await AssertEndsAsync(silent);
    }

    [Fact]
    public async Task Connection_limit_counts_each_connection_once_and_silent_ones_too()
    {
        await using TestHost host = await StartAsync(kestrel: options => options.Limits.MaxConcurrentConnections = 3);
        using Socket silent = await host.ConnectAsync();
        using Socket http2 = await host.ConnectAsync();
        await http2.SendAllAsync(Hello);
        Assert.True(await IsHttp2Async(http2));
        using (Socket third = await host.ConnectAsync())
        {
            await third.SendAllAsync(Hello);
            Assert.True(await IsHttp2Async(third));
            using Socket fourth = await host.ConnectAsync();

            // Kestrel counts on the thread pool, so it may count the silent one last.
            await await Task.WhenAny(AssertEndsAsync(fourth), AssertEndsAsync(silent));
        }

        // The third one's end makes room for one more.
        await Bounded.UntilAsync(async () =>
        {
            using Socket next = await host.ConnectAsync();
            return await TryHttp2Async(next);
        });
    }

    [Fact]
    public async Task Stop_ends_silent_and_half_begun_and_HTTP_2_connections()
    {
        await using TestHost host = await StartAsync();
        using Socket silent = await host.ConnectAsync();
        using Socket half = await host.ConnectAsync();
        await half.SendAllAsync(Preface.AsMemory(0, 10));
        using Socket http2 = await host.ConnectAsync();
        await http2.SendAllAsync(Hello);
        Assert.True(await IsHttp2Async(http2));
        await host.StopAsync().Soon();
        await AssertEndsAsync(silent);
        await AssertEndsAsync(half);
        await AssertEndsAsync(http2);
        Assert.Equal(0, host.Pool.RentedBytes);
    }

    [Fact]
    public async Task Thousand_aborted_connections_leave_nothing_and_others_are_served()
    {
        await using TestHost host = await StartAsync();
        await Parallel.ForEachAsync(
            Enumerable.Range(0, Soak.Times(1000, 10_000)), new ParallelOptions { MaxDegreeOfParallelism = 20 }, async (i, _) =>
            {
                using Socket socket = await host.ConnectAsync();
                await socket.SendAllAsync(Hello.AsMemory(0, i % (Hello.Length + 1)));
                if (i % 3 == 0)
                {
                    socket.Close(0);
                }
                else if (i % 3 == 1)
                {
                    socket.Shutdown(SocketShutdown.Send);
                }
            });
        await Bounded.UntilAsync(() => host.Pool.RentedBytes == 0);
        using var client = new HttpClient();
        Assert.Equal("HTTP/1.1", await GetAsync(client, host.Address, "1.1"));
        Assert.Equal("HTTP/2", await GetAsync(client, host.Address, "2.0"));
        Assert.True(host.Errors.IsEmpty, string.Join('\n', host.Errors));
    }

    [Fact]
    public async Task Silent_connections_hold_no_block()
    {
        await using TestHost host = await StartAsync();
        var sockets = new List<Socket>();
        for (int i = 0; i < 500; i++)
        {
            sockets.Add(await host.ConnectAsync());
        }

        using (Socket last = await host.ConnectAsync())
        {
            await last.GetAsync("/");
            await last.ReceiveResponseAsync();
        }

        await Bounded.UntilAsync(() => host.Pool.RentedBytes == 0);
        Assert.True(host.Pool.PeakRentedBytes <= 64 * 1024, $"{host.Pool.PeakRentedBytes} bytes at once");
        sockets.ForEach(socket => socket.Dispose());
    }

    [Fact]
    public void Another_transport_is_refused_with_the_remedy()
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.ListenWithHttp2PriorKnowledge(new IPEndPoint(IPAddress.Loopback, 0)));
        InvalidOperationException exception = Assert.Throws<InvalidOperationException>(builder.Build);
        Assert.Contains("UseMillraceSockets", exception.Message, StringComparison.Ordinal);
    }

    private static Task<TestHost> StartAsync(
        Action<ListenOptions>? listen = null,
        Action<KestrelServerOptions>? kestrel = null,
        Action<MillraceSocketOptions>? sockets = null,
        EndPoint? address = null) => TestHost.StartAsync(
            app => app.Map("/", (HttpContext context) => Results.Text(context.Request.Protocol)),
            options =>
            {
                options.ListenWithHttp2PriorKnowledge(address ?? new IPEndPoint(IPAddress.Loopback, 0), listen);
                kestrel?.Invoke(options);
            },
            sockets);

    private static async Task<string> GetAsync(HttpClient client, Uri uri, string version)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, uri)
        {
            Version = new Version(version),
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
        };
        using HttpResponseMessage response = await client.SendAsync(request).Soon();
        return await response.Content.ReadAsStringAsync();
    }

    /// <summary>Whether the server's first frame is its settings, by HTTP/2's nine bytes of a frame's head.</summary>
    private static async Task<bool> IsHttp2Async(Socket socket)
    {
        byte[] head = new byte[9];
        int count = 0;
        for (int received; count < head.Length && (received = await socket.ReceiveAsync(head.AsMemory(count)).Soon()) > 0;)
        {
            count += received;
        }

        return count == head.Length && head[3] == 4 && head[4] == 0;
    }

    private static async Task<bool> TryHttp2Async(Socket socket)
    {
        try
        {
            await socket.SendAllAsync(Hello);
            return await IsHttp2Async(socket);
        }
        catch (SocketException)
        {
            return false;
        }
    }

    private static async Task AssertEndsAsync(Socket socket)
    {
        try
        {
            byte[] bytes = new byte[100];
            while (await socket.ReceiveAsync(bytes).Soon() > 0)
            {
            }
        }
        catch (SocketException exception)
        {
            // Unread bytes make the server's end a reset.
            Assert.Equal(SocketError.ConnectionReset, exception.SocketErrorCode);
        }
    }
}
