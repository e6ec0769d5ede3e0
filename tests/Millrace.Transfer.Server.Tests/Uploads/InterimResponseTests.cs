using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Millrace.Kestrel;

namespace Millrace.Transfer.Server.Tests.Uploads;

public sealed class InterimResponseTests : FolderTests
{
    private const string Version = "Upload-Draft-Interop-Version: 8\r\n";

    /// <summary>The first byte of the fields of an added frame.</summary>
    private const byte NeverIndexed = 0x10;

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

        await ResumeAsync(server, url);
    }

    [Fact]
    public async Task Upload_interrupted_over_HTTP_2_resumes_at_the_announced_URL()
    {
        if (TestedTransport.IsKestrel)
        {
            // Its ports without TLS speak one protocol.
            return;
        }

        await using RunningServer server = await StartHttp2Async();
        string url;
        using (RawHttp2 connection = await RawHttp2.OpenAsync(server.Address.Port))
        {
            await connection.RequestAsync(
                1, "PUT", "/files/a", end: false, ("content-length", "4"), ("upload-complete", "?1"), ("upload-draft-interop-version", "8"));
            Http2Frame? interim = await connection.ReadUntilAsync(RawHttp2.Headers, stream: 1);
            string fields = Encoding.ASCII.GetString(interim!.Value.Payload.Span);
            Assert.Contains("104", fields, StringComparison.Ordinal);
            Assert.Contains("max-age=", fields, StringComparison.Ordinal);
            url = Regex.Match(fields, "/uploads/[0-9a-f]{32}").Value;
            await connection.SendAsync(new Http2Frame(RawHttp2.Data, 0, 1, "ab"u8.ToArray()));
            await server.ReceivedAsync(url, 2);
        }

        await ResumeAsync(server, url);
    }

    [NeedsTheory(Need.Wine, "makes no keys and certificates"), InlineData(false), InlineData(true)]
    public async Task Saved_bytes_are_reported_while_a_request_runs(bool tls)
    {
        if (TestedStore.IsBucket)
        {
            // It saves whole parts, from time to time.
            return;
        }

        await using RunningServer server = await StartAsync(tls);
        using RawConnection connection = await RawConnection.OpenAsync(server.Address, tls: tls);
        await connection.SendAsync(Put("a", 2 * (int)UploadProgress.MinStepBytes, Version));
        string url = Location(await connection.ReadHeadAsync());
        Task<string> progress = connection.ReadHeadAsync();
        int sent = (int)UploadProgress.MinStepBytes;
        await connection.SendAsync(new byte[sent]);
        await Bounded.UntilAsync(async () =>
        {
            sent++;
            return await connection.SendAsync(new byte[1]) && progress.IsCompleted;
        });
        string head = await progress;
        Assert.StartsWith("HTTP/1.1 104 Upload Resumption Supported\r\n", head, StringComparison.Ordinal);
        Assert.Contains(Version, head, StringComparison.Ordinal);
        Assert.DoesNotContain("Location", head, StringComparison.Ordinal);
        long saved = Offset(head);
        Assert.InRange(saved, 1, sent);
        connection.Reset();
        using RawConnection other = await RawConnection.OpenAsync(server.Address, $"HEAD {url} HTTP/1.1\r\nHost: x\r\n{Version}\r\n", tls);
        Assert.InRange(Offset(await other.ReadHeadAsync()), saved, sent);
    }

    [Fact]
    public async Task Saved_bytes_are_reported_over_HTTP_2()
    {
        if (TestedTransport.IsKestrel || TestedStore.IsBucket)
        {
            return;
        }

        await using RunningServer server = await StartHttp2Async();
        using RawHttp2 connection = await RawHttp2.OpenAsync(server.Address.Port);
        await connection.RequestAsync(1, "PUT", "/files/a", end: false, ("upload-complete", "?1"), ("upload-draft-interop-version", "8"));
        Assert.NotNull(await connection.ReadUntilAsync(RawHttp2.Headers, stream: 1));
        for (long sent = 0; sent < UploadProgress.MinStepBytes; sent += RawHttp2.LargestPayload)
        {
            while (connection.WindowOf(1) < 2 * RawHttp2.LargestPayload)
            {
                Assert.NotNull(await connection.ReadAsync());
            }

            await connection.SendAsync(new Http2Frame(RawHttp2.Data, 0, 1, new byte[RawHttp2.LargestPayload]));
        }

        Task<Http2Frame?> progress = connection.ReadUntilAsync(RawHttp2.Headers, stream: 1);
        await Bounded.UntilAsync(async () =>
            await connection.SendAsync(new Http2Frame(RawHttp2.Data, 0, 1, new byte[1])) && progress.IsCompleted);
        string fields = Encoding.ASCII.GetString((await progress)!.Value.Payload.Span);
        Assert.Contains("104", fields, StringComparison.Ordinal);
        Assert.Contains("upload-offset", fields, StringComparison.Ordinal);
        Assert.DoesNotContain("location", fields, StringComparison.Ordinal);
        await connection.SendAsync(new Http2Frame(RawHttp2.Data, RawHttp2.EndStream, 1, default));
        Http2Frame? final;
        do
        {
            final = await connection.ReadUntilAsync(RawHttp2.Headers, stream: 1);
        }
        while (final!.Value.Payload.Span[0] == NeverIndexed);
    }

    [NeedsTheory(Need.Curl | Need.Wine, "makes no keys and certificates")]
    [InlineData("Millrace", false)]
    [InlineData("Millrace", true)]
    [InlineData("Kestrel", false)]
    [InlineData("Kestrel", true)]
    public async Task Server_announces_uploads_over_HTTP_2(string transport, bool tls)
    {
        await using ServedFolder served = await ServedFolder.StartAsync(options =>
        {
            options.Transport = Enum.Parse<ServerTransport>(transport);
            options.OfferHttp2Port = true;
            options.Http2Port = tls || options.Transport == ServerTransport.Millrace ? null : 0;
            if (tls)
            {
                options.CertificatePath = Folder["certificate.pem"];
                options.KeyPath = Folder["key.pem"];
                LoopbackCertificate.Write(options.CertificatePath, options.KeyPath);
            }
        });
        byte[] content = Content.Of(3_000_000);
        string source = Folder.Write("source", content);
        string output = await CurlAsync(
            tls ? "--http2" : "--http2-prior-knowledge", "-k", "-s", "-S", "-D", "-", "-T", source, "-H", "Upload-Complete: ?1",
            "-H", "Upload-Draft-Interop-Version: 8", new Uri(served.Server.Http2Address!, "/files/target").ToString());
        Assert.Matches("(?s)^HTTP/2 104 .*\r\nlocation: (/uploads/[^\r]+)\r\n.*HTTP/2 201 .*\r\nlocation: \\1\r\n", output);
        Assert.Equal(content, await File.ReadAllBytesAsync(served.PathOf("target")));
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
    public async Task HTTP_2_is_served_where_an_application_has_not_prepared_it()
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

    private static async Task ResumeAsync(RunningServer server, string url)
    {
        using HttpResponseMessage head = await server.DraftAsync(HttpMethod.Head, url);
        int offset = int.Parse(head.Field("Upload-Offset")!);
        await server.DraftAsync(
            HttpMethod.Patch, url, "abcd"u8.ToArray()[offset..], $"Upload-Offset: {offset}", "Upload-Complete: ?1")
            .AnswersAsync(HttpStatusCode.Created);
        Assert.Equal("abcd", await File.ReadAllTextAsync(server.PathOf("a")));
    }

    private static async Task<string> CurlAsync(params string[] arguments) =>
        (await ForeignProgram.RunAsync(AppContext.BaseDirectory, "curl", arguments)).Succeeded().Output;

    private static string Put(string name, int length, string fields) =>
        $"PUT /files/{name} HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\nUpload-Complete: ?1\r\n{fields}\r\n";

    private static string Location(string head) =>
        head.Split("\r\n").Single(static line => line.StartsWith("Location: ", StringComparison.Ordinal))["Location: ".Length..];

    private static long Offset(string head) => long.Parse(Regex.Match(head, "Upload-Offset: ([0-9]+)\r\n").Groups[1].Value);

    private static Task<RunningServer> StartHttp2Async() => RunningServer.StartAsync(new RunningServerOptions
    {
        Kestrel = kestrel => kestrel.ListenWithHttp2PriorKnowledge(new IPEndPoint(IPAddress.Loopback, 0)),
    });

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
