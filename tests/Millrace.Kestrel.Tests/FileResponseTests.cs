using System.Net.Http.Headers;
using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.Extensions.FileProviders;
using Microsoft.Win32.SafeHandles;
using Millrace.Kestrel.Interop;

namespace Millrace.Kestrel.Tests;

/// <summary>Files as responses: which of them the system sends, and that all of them arrive.</summary>
[Collection(nameof(SocketSend.FileCalls))]
public sealed class FileResponseTests : FolderTests
{
    private const int KeptBytes = 200_000;

    private static readonly byte[] Text = "text"u8.ToArray();

    private readonly byte[] _content = Content.Random(3_000_001);
    private readonly string _path;

    public FileResponseTests() => _path = Folder.Write("file.bin", _content);

    [NeedsTheory(Need.Native)]
    [InlineData("/file.bin")]
    [InlineData("/result")]
    [InlineData("/feature")]
    public async Task Plain_response_with_a_length_is_sent_by_sendfile(string path)
    {
        await using TestHost host = await StartAsync();
        using var client = new HttpClient { BaseAddress = host.Address };
        long calls = SocketSend.FileCalls;

        Assert.Equal(_content, await client.GetByteArrayAsync(path));

        Assert.True(SocketSend.FileCalls > calls);
        Assert.Empty(host.Errors);
    }

    [NeedsFact(Need.Native)]
    public async Task Tcp_sends_full_packets_of_a_file_and_its_end_at_once()
    {
        // More than the socket holds.
        byte[] content = new byte[32 << 20];
        string path = Folder.Write("large.bin", content);
        Socket? server = null;
        await using TestHost host = await TestHost.StartAsync(app => app.MapGet("/", (HttpContext context) =>
        {
            server = context.Features.Get<IConnectionSocketFeature>()!.Socket;
            return Results.File(path);
        }));
        using Socket socket = await host.ConnectAsync(TestHost.SmallBuffer);
        for (int i = 0; i < 2; i++)
        {
            await socket.GetAsync("/");
            await Bounded.UntilAsync(() => server is not null && IsCorked(server));
            (_, byte[] body) = await socket.ReceiveResponseAsync();
            Assert.True(body.AsSpan().SequenceEqual(content));
            await Bounded.UntilAsync(() => !IsCorked(server!));
        }

        static bool IsCorked(Socket socket)
        {
            // tcp(7): TCP_CORK
            byte[] value = new byte[4];
            socket.GetRawSocketOption(6, 3, value);
            return value[0] != 0;
        }
    }

    [Theory]
    [InlineData("/file.bin", 0, 0)]
    [InlineData("/file.bin", 1_000_000, 2_100_000)]
    [InlineData("/result", 2_999_990, 3_000_000)]
    [InlineData("/result", 1, 1_048_577)]
    public async Task Range_has_exactly_its_bytes(string path, int first, int last)
    {
        await using TestHost host = await StartAsync();
        using var client = new HttpClient { BaseAddress = host.Address };
        using var request = new HttpRequestMessage(HttpMethod.Get, path);
        request.Headers.Range = new RangeHeaderValue(first, last);

        using HttpResponseMessage response = await client.SendAsync(request);

        Assert.Equal(HttpStatusCode.PartialContent, response.StatusCode);
        Assert.Equal(_content[first..(last + 1)], await response.Content.ReadAsByteArrayAsync());
        Assert.Empty(host.Errors);
    }

    [Fact]
    public async Task Portable_path_sends_the_same_bytes()
    {
        await using TestHost host = await StartAsync(sockets: options => options.Native = false);
        using var client = new HttpClient { BaseAddress = host.Address };
        long calls = SocketSend.FileCalls;
        Assert.Equal(_content, await client.GetByteArrayAsync("/file.bin"));
        Assert.Equal(calls, SocketSend.FileCalls);
    }

    [Theory]
    [InlineData("/chunked")]
    [InlineData("/mixed")]
    [InlineData("/pending")]
    public async Task Response_of_files_and_memory_arrives_in_order(string path)
    {
        await using TestHost host = await StartAsync();
        using var client = new HttpClient { BaseAddress = host.Address };
        byte[] expected = path == "/chunked" ? _content : [.. "before"u8, .. _content, .. "after"u8];
        Assert.Equal(expected, await client.GetByteArrayAsync(path));
        Assert.Empty(host.Errors);
    }

    [Fact]
    public async Task Keep_alive_and_pipelined_requests_are_answered_in_order()
    {
        await using TestHost host = await StartAsync();
        using Socket socket = await host.ConnectAsync();
        await socket.SendAllAsync(Encoding.ASCII.GetBytes(string.Concat(Enumerable.Repeat(
            "GET /file.bin HTTP/1.1\r\nHost: a\r\n\r\nGET /text HTTP/1.1\r\nHost: a\r\n\r\nHEAD /file.bin HTTP/1.1\r\nHost: a\r\n\r\n", 3))));
        for (int i = 0; i < 3; i++)
        {
            Assert.Equal(_content, (await socket.ReceiveResponseAsync()).Body);
            Assert.Equal(Text, (await socket.ReceiveResponseAsync()).Body);
            byte[] head = new byte[1];
            var lines = new StringBuilder();
            while (!lines.ToString().EndsWith("\r\n\r\n", StringComparison.Ordinal))
            {
                await socket.ReceiveAsync(head).Soon();
                lines.Append((char)head[0]);
            }

            Assert.Contains("Content-Length: 3000001", lines.ToString());
        }
    }

    [Fact]
    public async Task Head_response_whose_handler_sends_a_file_has_no_body()
    {
        await using TestHost host = await StartAsync();
        using Socket socket = await host.ConnectAsync();
        await socket.SendAllAsync("HEAD /feature HTTP/1.1\r\nHost: a\r\n\r\nGET /text HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"u8.ToArray());
        string all = Encoding.ASCII.GetString(await socket.ReceiveToEndAsync());
        Assert.EndsWith("text", all);
        Assert.Equal(2, all.Split("HTTP/1.1 200").Length - 1);
        Assert.True(all.Length < 1000);
    }

    [NeedsFact(Need.Wine, "closes a connection that should be reset")]
    public async Task File_that_is_shorter_than_announced_aborts_the_response_and_tells_the_handler()
    {
        await using TestHost host = await StartAsync();
        using Socket socket = await host.ConnectAsync();
        await socket.GetAsync("/shorter");
        using var received = new MemoryStream();
        using var stream = new NetworkStream(socket);

        await Assert.ThrowsAnyAsync<IOException>(() => stream.CopyToAsync(received).Soon());

        byte[] body = received.ToArray();
        Assert.True(_content.AsSpan(0, KeptBytes).StartsWith(body.AsSpan(body.AsSpan().IndexOf("\r\n\r\n"u8) + 4)));
        await Bounded.UntilAsync(() => host.Errors.Any(error => error.Contains("The file ended at byte", StringComparison.Ordinal)));
        await Bounded.UntilAsync(() => host.Pool.RentedBytes == 0);
    }

    [Fact]
    public async Task Length_that_is_exceeded_is_refused_before_any_byte_of_the_file()
    {
        await using TestHost host = await StartAsync();
        using Socket socket = await host.ConnectAsync();
        await socket.GetAsync("/excess");
        byte[] received = [];
        try
        {
            received = await socket.ReceiveToEndAsync();
        }
        catch (IOException)
        {
            // Reset, which is as good.
        }

        Assert.False(received.AsSpan().IndexOf(_content.AsSpan(0, 8)) >= 0);
        await Bounded.UntilAsync(() => host.Errors.Any(error => error.Contains("Content-Length", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task Bytes_of_a_file_that_were_not_written_never_precede_others()
    {
        await using TestHost host = await StartAsync();
        using Socket socket = await host.ConnectAsync();
        await socket.GetAsync("/instead");
        using var received = new MemoryStream();
        using var stream = new NetworkStream(socket);
        try
        {
            await stream.CopyToAsync(received).Soon();
        }
        catch (IOException)
        {
            // More of the file had been sent than was written.
        }

        byte[] all = received.ToArray();
        ReadOnlySpan<byte> body = all.AsSpan(all.AsSpan().IndexOf("\r\n\r\n"u8) + 4);
        int written = body.CommonPrefixLength(_content);
        Assert.InRange(body.Length, 0, KeptBytes);
        Assert.True(written == body.Length || written % SocketOutput.LendableBytes == 0, $"{written} of {body.Length}");
        Assert.Equal(-1, body[written..].IndexOfAnyExcept((byte)'x'));
    }

    [NeedsTheory(Need.Wine, "makes no keys and certificates")]
    [InlineData(2, false)]
    [InlineData(2, true)]
    [InlineData(1, true)]
    public async Task Http2_and_TLS_copy_the_file(int version, bool tls)
    {
        using X509Certificate2 certificate = MakeCertificate();
        await using TestHost host = await StartAsync(kestrel => kestrel.Listen(IPAddress.Loopback, 0, listen =>
        {
            listen.Protocols = version == 2 ? HttpProtocols.Http2 : HttpProtocols.Http1;
            if (tls)
            {
                listen.UseHttps(certificate);
            }
        }));
        using var handler = new SocketsHttpHandler
        {
            SslOptions = new SslClientAuthenticationOptions
            {
                RemoteCertificateValidationCallback = (_, shown, _, _) => shown?.GetCertHashString() == certificate.Thumbprint,
            },
        };
        using var client = new HttpClient(handler)
        {
            BaseAddress = host.Address,
            DefaultRequestVersion = new Version(version, version == 2 ? 0 : 1),
            DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
        };
        long calls = SocketSend.FileCalls;

        Assert.Equal(_content, await client.GetByteArrayAsync("/file.bin"));
        Assert.Equal(_content, await client.GetByteArrayAsync("/feature"));
        using HttpResponseMessage echoed = await client.PostAsync("/echo", new ByteArrayContent(_content));
        Assert.Equal(_content, await echoed.Content.ReadAsByteArrayAsync());

        Assert.Equal(calls, SocketSend.FileCalls);
        Assert.Empty(host.Errors);
    }

    internal static X509Certificate2 MakeCertificate()
    {
        using var key = RSA.Create(2048);
        var request = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        return request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(1));
    }

    private Task<TestHost> StartAsync(Action<KestrelServerOptions>? kestrel = null, Action<MillraceSocketOptions>? sockets = null) =>
        TestHost.StartAsync(
            app =>
            {
                app.UseStaticFiles(new StaticFileOptions
                {
                    FileProvider = new PhysicalFileProvider(Folder.Path),
                    ServeUnknownFileTypes = true,
                });
                app.MapGet("/result", () => Results.File(_path, enableRangeProcessing: true));
                app.MapGet("/text", () => Results.Text("text"));
                app.MapMethods("/feature", ["GET", "HEAD"], async (HttpContext context) =>
                {
                    context.Response.ContentLength = _content.Length;
                    using SafeFileHandle file = File.OpenHandle(_path, share: FileShare.ReadWrite);
                    await context.Response.SendFileAsync(file, 0, _content.Length);
                });
                app.MapGet("/shorter", async (HttpContext context) =>
                {
                    context.Response.ContentLength = _content.Length;
                    using SafeFileHandle file = File.OpenHandle(_path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
                    await context.Response.SendFileAsync(file, 0, KeptBytes / 2);
                    RandomAccess.SetLength(file, KeptBytes);
                    await context.Response.SendFileAsync(file, KeptBytes / 2, _content.Length - (KeptBytes / 2));
                });
                app.MapGet("/chunked", (HttpContext context) => context.Response.SendFileAsync(_path));
                app.MapGet("/mixed", async (HttpContext context) =>
                {
                    context.Response.ContentLength = _content.Length + 11;
                    await context.Response.WriteAsync("before");
                    await context.Response.SendFileAsync(_path);
                    await context.Response.WriteAsync("after");
                });
                app.MapGet("/pending", async (HttpContext context) =>
                {
                    context.Response.ContentLength = _content.Length + 11;
                    "before"u8.CopyTo(context.Response.BodyWriter.GetSpan(6));
                    context.Response.BodyWriter.Advance(6);
                    await context.Response.SendFileAsync(_path);
                    await context.Response.WriteAsync("after");
                });
                app.MapGet("/excess", (HttpContext context) =>
                {
                    context.Response.ContentLength = 100;
                    return context.Response.SendFileAsync(_path);
                });
                app.MapGet("/instead", async (HttpContext context) =>
                {
                    context.Response.ContentLength = KeptBytes;
                    context.Response.Headers.Connection = "close";
                    await Assert.ThrowsAsync<InvalidOperationException>(() => context.Response.SendFileAsync(_path));
                    byte[] rest = new byte[KeptBytes % SocketOutput.LendableBytes];
                    rest.AsSpan().Fill((byte)'x');
                    await context.Response.Body.WriteAsync(rest);
                });
                app.MapPost("/echo", async (HttpContext context) =>
                {
                    using var all = new MemoryStream();
                    await context.Request.Body.CopyToAsync(all);
                    await context.Response.Body.WriteAsync(all.GetBuffer().AsMemory(0, (int)all.Length));
                });
            },
            kestrel,
            sockets);
}
