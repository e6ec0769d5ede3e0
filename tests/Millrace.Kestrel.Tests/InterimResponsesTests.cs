using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;
using static Millrace.Testing.RawHttp2;

namespace Millrace.Kestrel.Tests;

/// <summary>Interim responses over HTTP/2, on real connections.</summary>
public sealed class InterimResponsesTests : FolderTests
{
    private const int Upload = 104;
    private const int HeaderTableSize = 1;
    private const int LargeBytes = 8_000_000;

    /// <summary>The first byte of an added block of fields; Kestrel begins with the status in its static table.</summary>
    private const byte NeverIndexed = 0x10;

    private static readonly byte[] Large = Content.Random(LargeBytes);

    [Theory, InlineData(false), InlineData(true)]
    public async Task Interim_response_comes_before_the_body(bool stock)
    {
        await using WebApplication host = await StartAsync(stock);
        using RawHttp2 connection = await RawHttp2.OpenAsync(PortOf(host));
        await connection.RequestAsync(1, "POST", "/", end: false);
        Http2Frame interim = await HeadersAsync(connection, 1);
        Assert.Equal(EndHeaders, interim.Flags);
        (string, string)[] expected = [(":status", "104"), ("location", "/uploads/1"), ("x-long", new string('x', 300))];
        Assert.Equal(expected, Fields(interim.Payload.Span));
        await connection.SendAsync(new Http2Frame(Data, EndStream, 1, "body"u8.ToArray()));
        Assert.False(IsInterim(await HeadersAsync(connection, 1)));
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task Each_of_many_streams_gets_its_own(bool stock)
    {
        const int Last = 199;
        await using WebApplication host = await StartAsync(stock);
        using RawHttp2 connection = await RawHttp2.OpenAsync(PortOf(host));
        for (int stream = 1; stream <= Last; stream += 2)
        {
            await connection.RequestAsync(stream, "POST", "/", end: false);
        }

        var interim = new Dictionary<int, string>();
        while (interim.Count <= Last / 2)
        {
            Http2Frame frame = await HeadersAsync(connection, stream: null);
            interim.Add(frame.Stream, Fields(frame.Payload.Span)[1].Value);
        }

        Assert.All(interim, pair => Assert.Equal($"/uploads/{pair.Key}", pair.Value));
        for (int stream = 1; stream <= Last; stream += 2)
        {
            await connection.SendAsync(new Http2Frame(Data, EndStream, stream, "body"u8.ToArray()));
        }

        for (int i = 0; i <= Last / 2; i++)
        {
            Assert.False(IsInterim(await HeadersAsync(connection, stream: null)));
        }
    }

    [Fact]
    public async Task Interim_response_needs_no_window()
    {
        await using WebApplication host = await StartAsync(stock: false);
        using RawHttp2 connection = await RawHttp2.OpenAsync(PortOf(host), window: 0);
        await connection.RequestAsync(1, "GET", "/large", end: true);
        Assert.False(IsInterim(await HeadersAsync(connection, 1)));
        await connection.RequestAsync(3, "POST", "/", end: false);
        Assert.True(IsInterim(await HeadersAsync(connection, 3)));
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task Clients_that_leave_meanwhile_harm_nobody(bool stock)
    {
        await using WebApplication host = await StartAsync(stock);
        Http2Frame[] ends =
        [
            new(ResetStream, 0, 1, new byte[] { 0, 0, 0, 8 }), new(GoAway, 0, 0, new byte[8]), new(Settings, 0, 0, new byte[5]),
            new(Headers, EndHeaders, 3, new byte[] { 255, 255, 255, 255, 255 }), new(Continuation, 0, 1, default),
        ];
        for (int i = 0; i < 100; i++)
        {
            using RawHttp2 leaving = await RawHttp2.OpenAsync(PortOf(host));
            await leaving.RequestAsync(1, "POST", "/", end: false);
            if (i % 2 == 1)
            {
                Assert.True(IsInterim(await HeadersAsync(leaving, 1)));
            }

            await leaving.SendAsync(ends[i % ends.Length]);
        }

        using RawHttp2 connection = await RawHttp2.OpenAsync(PortOf(host));
        await connection.RequestAsync(1, "POST", "/", end: false);
        Assert.True(IsInterim(await HeadersAsync(connection, 1)));
    }

    [Fact]
    public async Task Client_with_a_small_table_gets_none()
    {
        await using WebApplication host = await StartAsync(stock: false);
        using RawHttp2 connection = await RawHttp2.OpenAsync(PortOf(host));
        await connection.SendAsync(Setting(HeaderTableSize, 0));
        await connection.RequestAsync(1, "POST", "/", end: true);

        // Kestrel's own first fields have to begin with the size of the table.
        Assert.Equal(0x20, (await HeadersAsync(connection, 1)).Payload.Span[0]);
    }

    [Fact]
    public async Task Slow_reader_gets_everything_in_order()
    {
        await using WebApplication host = await StartAsync(stock: false);
        using RawHttp2 connection = await RawHttp2.OpenAsync(PortOf(host), window: int.MaxValue, receiveBuffer: TestHost.SmallBuffer);
        await connection.SendAsync(new Http2Frame(WindowUpdate, 0, 0, new byte[] { 0x7F, 0, 0, 0 }));
        await connection.RequestAsync(1, "GET", "/large", end: true);

        // The server cannot send it all, and has many more frames to send meanwhile.
        for (int stream = 3; stream < 100; stream += 2)
        {
            await connection.RequestAsync(stream, "POST", "/", end: true);
        }

        var content = new MemoryStream();
        Dictionary<int, List<bool>> heads = Enumerable.Range(0, 50).ToDictionary(index => (2 * index) + 1, _ => new List<bool>());
        while (content.Length < LargeBytes || heads.Values.Sum(seen => seen.Count) < 99)
        {
            Http2Frame? frame = await connection.ReadAsync();
            Assert.NotNull(frame);
            if (frame.Value is { Type: Data, Stream: 1 })
            {
                content.Write(frame.Value.Payload.Span);
            }
            else if (frame.Value.Type == Headers)
            {
                heads[frame.Value.Stream].Add(IsInterim(frame.Value));
            }
        }

        Assert.True(content.ToArray().AsSpan().SequenceEqual(Large));
        Assert.All(heads, pair => Assert.Equal(pair.Key == 1 ? (bool[])[false] : [true, false], pair.Value));
    }

    [NeedsTheory(Need.Wine, "makes no keys and certificates"), InlineData(false), InlineData(true)]
    public async Task HttpClient_ignores_it_over_TLS(bool stock)
    {
        using X509Certificate2 certificate = FileResponseTests.MakeCertificate();
        await using WebApplication host = await StartAsync(stock, certificate);
        using var client = new HttpClient(new SocketsHttpHandler
        {
            SslOptions = { RemoteCertificateValidationCallback = (_, shown, _, _) => shown?.GetCertHashString() == certificate.Thumbprint },
        });
        byte[] body = Content.Random(1_000_000);
        byte[][] answers = await Task.WhenAll(Enumerable.Range(0, 20).Select(async _ =>
        {
            using var request = new HttpRequestMessage(HttpMethod.Post, $"https://127.0.0.1:{PortOf(host)}/")
            {
                Version = HttpVersion.Version20,
                VersionPolicy = HttpVersionPolicy.RequestVersionExact,
                Content = new ByteArrayContent(body),
            };
            using HttpResponseMessage response = await client.SendAsync(request);
            Assert.Equal(HttpVersion.Version20, response.Version);
            return await response.Content.ReadAsByteArrayAsync();
        }));
        Assert.All(answers, answer => Assert.Equal("1000000 True", Encoding.ASCII.GetString(answer)));
    }

    [NeedsTheory(Need.LoadTools)]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task Nghttp_reports_it_before_the_response(bool stock, bool tls)
    {
        string body = Folder.Write("body", Content.Random(100_000));
        using X509Certificate2? certificate = tls ? FileResponseTests.MakeCertificate() : null;
        await using WebApplication host = await StartAsync(stock, certificate);
        string uri = $"{(tls ? "https" : "http")}://127.0.0.1:{PortOf(host)}/";
        string output = await Task.Run(() => Shell.Run("nghttp", ["-v", "-d", body, uri, uri + "?2", uri + "?3"]));
        string[] statuses = [.. output.Split('\n').Where(line => line.Contains(":status: ", StringComparison.Ordinal)).Select(line => line[^3..])];
        Assert.Equal(6, statuses.Length);
        Assert.Equal(3, statuses.Count(status => status == "104"));
        Assert.Equal("104", statuses[0]);
        Assert.Equal(3, output.Split("100000 True").Length - 1);
    }

    [NeedsTheory(Need.Curl), InlineData(false), InlineData(true)]
    public async Task Curl_shows_it(bool stock)
    {
        await using WebApplication host = await StartAsync(stock);
        string output = await Task.Run(() => Shell.Run(
            "curl", ["--http2-prior-knowledge", "-s", "-S", "-i", "--data-binary", "body", $"http://127.0.0.1:{PortOf(host)}/"]));
        Assert.Matches("(?s)^HTTP/2 104 .*location: /uploads/1.*HTTP/2 200 .*4 True$", output);
    }

    [Fact]
    public async Task Fields_that_would_end_a_line_are_rejected()
    {
        HttpResponse response = new DefaultHttpContext().Response;
        await Assert.ThrowsAsync<ArgumentException>(() => response.TrySendInterimAsync(Upload, [new("a", "b\r\nc: d")]).AsTask());
        await Assert.ThrowsAsync<ArgumentException>(() => response.TrySendInterimAsync(Upload, [new("a b", "c")]).AsTask());
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => response.TrySendInterimAsync(100, []).AsTask());
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => response.TrySendInterimAsync(200, []).AsTask());
        Assert.False(await response.TrySendInterimAsync(Upload, []));
    }

    private static async Task<Http2Frame> HeadersAsync(RawHttp2 connection, int? stream)
    {
        Http2Frame? frame = await connection.ReadUntilAsync(Headers, stream);
        Assert.NotNull(frame);
        return frame.Value;
    }

    private static bool IsInterim(Http2Frame headers) => headers.Payload.Span[0] == NeverIndexed;

    /// <summary>Fields that are all literal, never indexed and not compressed.</summary>
    private static (string Name, string Value)[] Fields(ReadOnlySpan<byte> block)
    {
        var fields = new List<(string, string)>();
        while (!block.IsEmpty)
        {
            Assert.Equal(NeverIndexed, block[0]);
            block = block[1..];
            fields.Add((Text(ref block), Text(ref block)));
        }

        return [.. fields];
    }

    private static string Text(ref ReadOnlySpan<byte> block)
    {
        int length = block[0];
        int used = 1;
        for (int shift = 0; length >= 127 && (used == 1 || block[used - 1] >= 128); shift += 7)
        {
            length += (block[used++] & 127) << shift;
        }

        string text = Encoding.ASCII.GetString(block.Slice(used, length));
        block = block[(used + length)..];
        return text;
    }

    private static Http2Frame Setting(int id, uint value) =>
        new(Settings, 0, 0, new[] { (byte)0, (byte)id, (byte)(value >> 24), (byte)(value >> 16), (byte)(value >> 8), (byte)value });

    private static int PortOf(WebApplication host) => new Uri(host.Urls.First()).Port;

    private static async Task<WebApplication> StartAsync(bool stock, X509Certificate2? certificate = null)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseKestrelHttpsConfiguration();
        if (!stock)
        {
            builder.WebHost.UseMillraceSockets();
        }

        builder.WebHost.ConfigureKestrel(options =>
        {
            // On a busy machine a test may be slower than clients have to be.
            options.Limits.MinRequestBodyDataRate = null;
            options.Limits.MinResponseDataRate = null;
            var address = new IPEndPoint(IPAddress.Loopback, 0);
            if (!stock && certificate is null)
            {
                options.ListenWithHttp2PriorKnowledge(address);
                return;
            }

            options.Listen(address, listen =>
            {
                listen.Protocols = HttpProtocols.Http2;
                if (certificate is not null)
                {
                    listen.UseHttps(certificate);
                }

                listen.UseMillraceInterimResponses();
            });
        });
        WebApplication host = builder.Build();
        host.MapPost("/", async (HttpContext context) =>
        {
            int stream = context.Features.Get<IHttp2StreamIdFeature>()!.StreamId;
            bool isSent = await context.Response.TrySendInterimAsync(
                Upload, [new("Location", $"/uploads/{stream}"), new("X-Long", new string('x', 300))]);
            long length = 0;
            byte[] block = new byte[4096];
            while (await context.Request.Body.ReadAsync(block) is var read and > 0)
            {
                length += read;
            }

            await context.Response.WriteAsync($"{length} {isSent}");
        });
        host.MapGet("/large", (HttpContext context) => context.Response.Body.WriteAsync(Large).AsTask());
        await host.StartAsync();
        return host;
    }
}
