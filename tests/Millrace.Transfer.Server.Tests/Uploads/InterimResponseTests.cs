using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Millrace.Transfer.Server.Tests.Uploads;

public sealed class InterimResponseTests
{
    private const string Version = "Upload-Draft-Interop-Version: 8\r\n";

    [NeedsTheory(Need.Wine, "makes no keys and certificates"), InlineData(false), InlineData(true)]
    public async Task Interim_response_has_the_final_Location_before_the_body(bool tls)
    {
        await using RunningServer server = await StartAsync(tls);
        using RawConnection connection = await RawConnection.OpenAsync(server.Address, tls: tls);
        await connection.SendAsync(Put("a", 4, Version));
        string interim = await connection.ReadHeadAsync();
        Assert.StartsWith("HTTP/1.1 104 Upload Resumption Supported\r\n", interim, StringComparison.Ordinal);
        Assert.Contains("Upload-Draft-Interop-Version: 8\r\n", interim, StringComparison.Ordinal);
        Assert.Contains("Upload-Limit: max-age=", interim, StringComparison.Ordinal);
        await connection.SendAsync("abcd");
        string answer = await connection.ReadHeadAsync();
        Assert.StartsWith("HTTP/1.1 201", answer, StringComparison.Ordinal);
        Assert.Equal(Location(interim), Location(answer));
        Assert.Equal("abcd", await File.ReadAllTextAsync(server.PathOf("a")));
    }

    [Fact]
    public async Task Upload_interrupted_in_its_first_request_resumes_at_the_announced_URL()
    {
        await using RunningServer server = await StartAsync(tls: false);
        string url;
        using (RawConnection connection = await RawConnection.OpenAsync(server.Address))
        {
            await connection.SendAsync(Put("a", 4, Version));
            url = Location(await connection.ReadHeadAsync());
            await connection.SendAsync("ab");
            await server.ReceivedAsync(url, 2);
            connection.Reset();
        }

        using HttpResponseMessage head = await server.DraftAsync(HttpMethod.Head, url);
        int offset = int.Parse(head.Field("Upload-Offset")!);
        await server.DraftAsync(
            HttpMethod.Patch, url, "abcd"u8.ToArray()[offset..], $"Upload-Offset: {offset}", "Upload-Complete: ?1")
            .AnswersAsync(HttpStatusCode.Created);
        Assert.Equal("abcd", await File.ReadAllTextAsync(server.PathOf("a")));
    }

    [NeedsTheory(Need.Wine, "makes no keys and certificates"), InlineData(false), InlineData(true)]
    public async Task Client_that_expects_100_gets_it_after_the_interim_response(bool tls)
    {
        await using RunningServer server = await StartAsync(tls);
        using RawConnection connection = await RawConnection.OpenAsync(server.Address, tls: tls);
        await connection.SendAsync(Put("a", 4, Version + "Expect: 100-continue\r\n"));
        Assert.StartsWith("HTTP/1.1 104", await connection.ReadHeadAsync(), StringComparison.Ordinal);
        Assert.StartsWith("HTTP/1.1 100", await connection.ReadHeadAsync(), StringComparison.Ordinal);
        await connection.SendAsync("abcd");
        Assert.StartsWith("HTTP/1.1 201", await connection.ReadHeadAsync(), StringComparison.Ordinal);
    }

    [NeedsTheory(Need.Wine, "makes no keys and certificates"), InlineData(false), InlineData(true)]
    public async Task Pipelined_requests_are_answered_in_order(bool tls)
    {
        await using RunningServer server = await StartAsync(tls);
        using RawConnection connection = await RawConnection.OpenAsync(server.Address, tls: tls);
        var all = new StringBuilder();
        for (int i = 0; i < 50; i++)
        {
            all.Append(Put($"f{i}", 4, Version)).Append($"{i:D4}");
            all.Append("OPTIONS /uploads HTTP/1.1\r\nHost: x\r\n\r\n");
        }

        await connection.SendAsync(all.ToString());
        for (int i = 0; i < 50; i++)
        {
            string interim = await connection.ReadHeadAsync();
            Assert.StartsWith("HTTP/1.1 104", interim, StringComparison.Ordinal);
            string answer = await connection.ReadHeadAsync();
            Assert.StartsWith("HTTP/1.1 201", answer, StringComparison.Ordinal);
            Assert.Equal(Location(interim), Location(answer));
            Assert.Contains($"Content-Location: /files/f{i}\r\n", answer, StringComparison.Ordinal);
            Assert.StartsWith("HTTP/1.1 204", await connection.ReadHeadAsync(), StringComparison.Ordinal);
            Assert.Equal($"{i:D4}", await File.ReadAllTextAsync(server.PathOf($"f{i}")));
        }
    }

    [Theory]
    [InlineData("")]
    [InlineData("Upload-Draft-Interop-Version: 2\r\n")]
    [InlineData("Upload-Draft-Interop-Version: 10\r\n")]
    [InlineData("Upload-Draft-Interop-Version: eight\r\n")]
    public async Task Unsupported_draft_version_gets_no_interim_response(string version)
    {
        await using RunningServer server = await StartAsync(tls: false);
        using RawConnection connection = await RawConnection.OpenAsync(server.Address);
        await connection.SendAsync(Put("a", 4, version) + "abcd");
        Assert.StartsWith("HTTP/1.1 201", await connection.ReadHeadAsync(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_refused_creation_has_no_interim_response()
    {
        await using RunningServer server = await StartAsync(tls: false);
        await server.WriteAsync("a", new byte[] { 1 });
        using RawConnection connection = await RawConnection.OpenAsync(server.Address);
        await connection.SendAsync(Put("a", 4, Version + "If-None-Match: *\r\nExpect: 100-continue\r\n"));
        Assert.StartsWith("HTTP/1.1 412", await connection.ReadHeadAsync(), StringComparison.Ordinal);
    }

    [NeedsFact(Need.Wine, "makes no keys and certificates")]
    public async Task HTTP_2_is_served_without_interim_responses()
    {
        await using RunningServer server = await StartAsync(tls: true);
        using var handler = new SocketsHttpHandler();
        handler.SslOptions.CertificateChainPolicy = LoopbackCertificate.Policy();
        using var client = new HttpClient(handler);
        using var request = new HttpRequestMessage(HttpMethod.Put, new Uri(server.Address, "/files/a"))
        {
            Version = HttpVersion.Version20,
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Content = new ByteArrayContent("abcd"u8.ToArray()),
        };
        request.Headers.Add("Upload-Complete", "?1");
        request.Headers.Add("Upload-Draft-Interop-Version", "8");
        using HttpResponseMessage response = await client.SendAsync(request);
        Assert.Equal(HttpVersion.Version20, response.Version);
        Assert.Equal(HttpStatusCode.Created, response.StatusCode);
        Assert.Equal("abcd", await File.ReadAllTextAsync(server.PathOf("a")));
    }

    [NeedsTheory(Need.Curl), InlineData(false), InlineData(true)]
    public async Task Curl_uploads_through_it(bool tls)
    {
        await using RunningServer server = await StartAsync(tls);
        byte[] content = Content.Of(3_000_000);
        string source = await server.WriteAsync("source", content);
        string output = await CurlAsync(
            "--http1.1", "-k", "-s", "-S", "-D", "-", "-T", source, "-H", "Upload-Complete: ?1",
            "-H", "Upload-Draft-Interop-Version: 8", "-H", "Expect: 100-continue", new Uri(server.Address, "/files/target").ToString());
        Assert.Contains("HTTP/1.1 104", output, StringComparison.Ordinal);
        Assert.Contains("HTTP/1.1 201", output, StringComparison.Ordinal);
        Assert.Equal(content, await File.ReadAllBytesAsync(server.PathOf("target")));
    }

    private static async Task<string> CurlAsync(params string[] arguments) =>
        (await ForeignProgram.RunAsync(AppContext.BaseDirectory, "curl", arguments)).Succeeded().Output;

    private static string Put(string name, int length, string fields) =>
        $"PUT /files/{name} HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\nUpload-Complete: ?1\r\n{fields}\r\n";

    private static string Location(string head) =>
        head.Split("\r\n").Single(static line => line.StartsWith("Location: ", StringComparison.Ordinal))["Location: ".Length..];

    private static Task<RunningServer> StartAsync(bool tls) => RunningServer.StartAsync(new RunningServerOptions
    {
        Kestrel = kestrel =>
        {
            if (tls)
            {
                kestrel.Listen(IPAddress.Loopback, 0, listen =>
                {
                    listen.Protocols = HttpProtocols.Http1AndHttp2;
                    listen.UseHttps(LoopbackCertificate.Instance);
                });
            }
        },
    });
}
