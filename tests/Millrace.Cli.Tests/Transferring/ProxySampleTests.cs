using System.Collections.Concurrent;
using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Text.Json;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>The configurations of samples/proxies, each with its proxy.</summary>
[Trait("Tier", "All")]
public sealed class ProxySampleTests : CommandTests
{
    private const int Length = 12 * 1024 * 1024;
    private const int Middle = 6 * 1024 * 1024;

    private readonly ConcurrentQueue<string> _errors = new();
    private Process? _proxy;
    private int _port;
    private int _tlsPort;

    private string Plain => $"http://127.0.0.1:{_port}/files/";

    private string Tls => $"https://127.0.0.1:{_tlsPort}/files/";

    private (string Files, Version Version)[] Ways => [(Plain, HttpVersion.Version11), (Tls, HttpVersion.Version11), (Tls, HttpVersion.Version20)];

    private string[] Trust => ["--ca-cert", Folder["proxy/cert.pem"]];

    [NeedsTheory(Need.Nginx | Need.Proxies)]
    [InlineData("nginx", "http1,tus,grpc-web,grpc-web-text", "auto,http1,http2,grpc,tus")]
    [InlineData("caddy", "http1,http2,grpc,tus,grpc-web,grpc-web-text", "auto,http1,http2,grpc,tus")]
    [InlineData("haproxy", "http1,http2,grpc,tus,grpc-web,grpc-web-text", "auto,http1,http2,grpc,tus")]
    [InlineData("apache", "http1,tus,grpc-web,grpc-web-text", "auto,http1,http2,tus")]
    public async Task Files_pass_through_by_every_protocol(string proxy, string plain, string tls)
    {
        byte[] content = Write("one", 3_000_000);
        using ServedCommand server = await ServeAsync("served", "--trusted-proxy", "127.0.0.1");
        await StartProxyAsync(proxy, server.Port);

        foreach ((string files, string protocol) in plain.Split(',').Select(name => (Plain, name)).Concat(tls.Split(',').Select(name => (Tls, name))))
        {
            // '%' is in no file's URL as it is, and some proxies decode it twice.
            string name = $"a 100%25 {protocol}";
            JsonElement put = await RunJsonAsync(["put", "one", files + name, "--via", protocol, .. Trust]);
            await SucceedAsync(["get", files + name, "back", "--via", protocol, .. Trust]);
            string listed = await SucceedAsync(["ls", files, "--via", protocol, .. Trust]);

            Assert.Equal(content, await File.ReadAllBytesAsync(Folder["back"]));
            Assert.Contains($"a 100% {protocol}", listed, StringComparison.Ordinal);
            Assert.Equal(protocol == "auto" ? "http2" : protocol, put.GetProperty("protocol").GetString());
            File.Delete(Folder["back"]);
        }
    }

    [NeedsTheory(Need.Nginx | Need.Proxies)]
    [InlineData("nginx")]
    [InlineData("caddy")]
    [InlineData("haproxy")]
    [InlineData("apache")]
    public async Task Killed_transfers_are_resumed_through_it(string proxy)
    {
        byte[] content = Write("one", Length);
        using ServedCommand server = await ServeAsync("served", "--trusted-proxy", "127.0.0.1");
        await StartProxyAsync(proxy, server.Port);
        await using var relay = new StallingRelay(() => _port);

        relay.Stall(up: Middle);
        JsonElement put = await KillAndResumeAsync(relay, ["put", "one", relay.Files + "one"]);
        relay.Stall(down: Middle);
        JsonElement got = await KillAndResumeAsync(relay, ["get", relay.Files + "one", "back", "--connections", "1"]);

        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["served/one"]));
        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["back"]));
        Assert.InRange(put.GetProperty("sent").GetInt64(), 1, Length - 1);
        Assert.InRange(got.GetProperty("sent").GetInt64(), 1, Length - 1);
    }

    [NeedsTheory(Need.Nginx | Need.Proxies)]
    [InlineData("nginx")]
    [InlineData("caddy")]
    [InlineData("haproxy")]
    [InlineData("apache")]
    public async Task Uploads_of_the_IETF_draft_are_continued_through_it(string proxy)
    {
        byte[] content = Content.Random(3_000_000);
        using ServedCommand server = await ServeAsync("served", "--trusted-proxy", "127.0.0.1");
        await StartProxyAsync(proxy, server.Port);
        foreach ((string files, Version version) in Ways)
        {
            using HttpClient client = ClientOf(version);
            string name = $"draft {new Uri(files).Scheme} {version}";
            using HttpResponseMessage begun = await SendAsync(
                client, HttpMethod.Put, new Uri(files + name), content[..1_000_000], ("Upload-Complete", "?0"), ("Upload-Length", "3000000"));
            Assert.Equal((HttpStatusCode.Created, version), (begun.StatusCode, begun.Version));
            var upload = new Uri(new Uri(files), begun.Headers.Location!);

            using HttpResponseMessage wrong = await SendAsync(client, HttpMethod.Patch, upload, content[..10], ("Upload-Complete", "?0"), ("Upload-Offset", "7"));
            using HttpResponseMessage head = await SendAsync(client, HttpMethod.Head, upload, null);
            using HttpResponseMessage last = await SendAsync(
                client, HttpMethod.Patch, upload, content[1_000_000..], ("Upload-Complete", "?1"), ("Upload-Offset", "1000000"));

            Assert.Equal(HttpStatusCode.Conflict, wrong.StatusCode);
            Assert.Equal("1000000", head.Headers.GetValues("Upload-Offset").Single());
            Assert.Equal(HttpStatusCode.Created, last.StatusCode);
            Assert.Equal(content, await File.ReadAllBytesAsync(Folder["served/" + name]));
        }
    }

    [NeedsTheory(Need.Nginx | Need.Proxies)]
    [InlineData("nginx")]
    [InlineData("caddy")]
    [InlineData("haproxy")]
    [InlineData("apache")]
    public async Task Uploads_whose_file_is_gone_are_unknown_through_it(string proxy)
    {
        using ServedCommand server = await ServeAsync("served", "--trusted-proxy", "127.0.0.1");
        await StartProxyAsync(proxy, server.Port);
        foreach ((string files, Version version) in Ways)
        {
            using HttpClient client = ClientOf(version);
            using HttpResponseMessage put = await SendAsync(client, HttpMethod.Put, new Uri(files + "one"), new byte[1000], ("Upload-Complete", "?1"));
            var upload = new Uri(new Uri(files), put.Headers.Location!);

            using HttpResponseMessage asked = await SendAsync(client, HttpMethod.Get, upload, null);
            File.Delete(Folder["served/one"]);
            using HttpResponseMessage again = await SendAsync(client, HttpMethod.Get, upload, null);
            using HttpResponseMessage head = await SendAsync(client, HttpMethod.Head, upload, null);

            Assert.Equal(HttpStatusCode.Created, put.StatusCode);
            Assert.True(asked.IsSuccessStatusCode, $"{asked}");
            Assert.Equal(("1000", "?1"), (asked.Headers.GetValues("Upload-Offset").Single(), asked.Headers.GetValues("Upload-Complete").Single()));
            Assert.Equal((HttpStatusCode.NotFound, HttpStatusCode.NotFound), (again.StatusCode, head.StatusCode));
        }
    }

    [NeedsTheory(Need.Nginx | Need.Proxies)]
    [InlineData("nginx")]
    [InlineData("caddy")]
    [InlineData("haproxy")]
    [InlineData("apache")]
    public async Task Parts_are_joined_through_it_for_a_client_that_leaves_and_asks_again(string proxy)
    {
        using ServedCommand server = await ServeAsync("served", "--trusted-proxy", "127.0.0.1");
        await StartProxyAsync(proxy, server.Port);
        using HttpClient client = ClientOf(HttpVersion.Version11);
        byte[] content = Content.Random(6_000_000);
        string parts = $"{await PartAsync(content[..3_000_000])} {await PartAsync(content[3_000_000..])}";
        using (var leaving = new TcpClient())
        {
            await leaving.ConnectAsync(IPAddress.Loopback, _port);
            await leaving.GetStream().WriteAsync(Encoding.ASCII.GetBytes(
                $"POST /uploads HTTP/1.1\r\nHost: 127.0.0.1:{_port}\r\nTus-Resumable: 1.0.0\r\nUpload-Concat: final;{parts}\r\n"
                + $"Upload-Metadata: filename b25l\r\nContent-Length: 0\r\n\r\n"));
        }

        using HttpResponseMessage joined = await TusAsync(null, ("Upload-Concat", $"final;{parts}"), ("Upload-Metadata", "filename b25l"));

        Assert.Equal(HttpStatusCode.Created, joined.StatusCode);
        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["served/one"]));

        async Task<string> PartAsync(byte[] part)
        {
            using HttpResponseMessage response = await TusAsync(part, ("Upload-Concat", "partial"), ("Upload-Length", $"{part.Length}"));
            return response.Headers.Location!.OriginalString;
        }

        async Task<HttpResponseMessage> TusAsync(byte[]? body, params (string Name, string Value)[] fields)
        {
            using var request = new HttpRequestMessage(HttpMethod.Post, $"http://127.0.0.1:{_port}/uploads");
            request.Headers.Add("Tus-Resumable", "1.0.0");
            foreach ((string name, string value) in fields)
            {
                request.Headers.Add(name, value);
            }

            request.Content = new ByteArrayContent(body ?? []);
            if (body is not null)
            {
                request.Content.Headers.ContentType = new("application/offset+octet-stream");
            }

            return await client.SendAsync(request);
        }
    }

    [NeedsTheory(Need.Nginx | Need.Proxies)]
    [InlineData("nginx")]
    [InlineData("caddy")]
    [InlineData("haproxy")]
    [InlineData("apache")]
    public async Task Its_pages_are_the_servers_own(string proxy)
    {
        Write("served/folder/one", 1000);
        using ServedCommand server = await ServeAsync("served", "--trusted-proxy", "127.0.0.1");
        await StartProxyAsync(proxy, server.Port);
        foreach ((string files, Version version) in Ways)
        {
            using HttpClient client = ClientOf(version);
            string own = new Uri(files).GetLeftPart(UriPartial.Authority);
            using HttpResponseMessage page = await SendAsync(client, HttpMethod.Get, new Uri(files), null, ("Accept", "text/html"));
            string html = await page.Content.ReadAsStringAsync();
            string script = html.Split("<script type=\"module\" src=\"")[1].Split('"')[0];
            using HttpResponseMessage loaded = await SendAsync(client, HttpMethod.Get, new Uri(new Uri(files), script), null);
            using HttpResponseMessage put = await SendAsync(client, HttpMethod.Put, new Uri(files + "two"), [1, 2], ("Origin", own));
            using HttpResponseMessage foreign = await SendAsync(client, HttpMethod.Put, new Uri(files + "three"), [1, 2], ("Origin", "https://evil.example.org"));
            using HttpResponseMessage archive = await SendAsync(client, HttpMethod.Get, new Uri(files + "folder/?archive=zip"), null);
            byte[] zip = await archive.Content.ReadAsByteArrayAsync();

            Assert.Contains("folder", html, StringComparison.Ordinal);
            Assert.Equal(HttpStatusCode.OK, loaded.StatusCode);
            Assert.Equal("text/javascript", loaded.Content.Headers.ContentType?.MediaType);
            Assert.True(put.IsSuccessStatusCode, $"{files}: {put}");
            Assert.Equal(HttpStatusCode.Forbidden, foreign.StatusCode);
            Assert.Equal("PK"u8, zip.AsSpan(0, 2));
        }
    }

    [NeedsTheory(Need.Nginx | Need.Proxies)]
    [InlineData("nginx")]
    [InlineData("caddy")]
    [InlineData("haproxy")]
    [InlineData("apache")]
    public async Task Fields_that_a_client_makes_up_reach_no_server(string proxy)
    {
        using ServedCommand server = await ServeAsync("served", "--trusted-proxy", "127.0.0.1");
        await StartProxyAsync(proxy, server.Port);
        using var request = new HttpRequestMessage(HttpMethod.Get, $"http://127.0.0.1:{_port}/.well-known/millrace");
        request.Headers.Add("X-Forwarded-Prefix", "/evil");
        request.Headers.Add("X-Forwarded-Host", "localhost:1");
        request.Headers.Add("X-Forwarded-Proto", "ftp");

        using HttpResponseMessage response = await server.Client.SendAsync(request);
        string description = await response.Content.ReadAsStringAsync();

        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Contains($"\"scheme\":\"http\",\"port\":{_port}}}", description, StringComparison.Ordinal);
        Assert.DoesNotContain("evil", description, StringComparison.Ordinal);
        Assert.DoesNotContain("ftp", description, StringComparison.Ordinal);
    }

    [NeedsFact(Need.Nginx)]
    public async Task Nginx_without_settings_passes_requests_up_to_1_MiB_by_every_protocol_of_HTTP1()
    {
        byte[] content = Write("small", 700_000);
        Write("served/folder/one", 1000);
        using ServedCommand server = await ServeAsync("served");
        await StartProxyAsync("nginx-defaults", server.Port);
        foreach (string protocol in (string[])["auto", "http1", "tus", "grpc-web", "grpc-web-text"])
        {
            await SucceedAsync("put", "small", Plain + protocol, "--via", protocol);
            await SucceedAsync("get", Plain + protocol, "back", "--via", protocol);
            Assert.Contains(protocol, await SucceedAsync("ls", Plain, "--via", protocol), StringComparison.Ordinal);
            Assert.Equal(content, await File.ReadAllBytesAsync(Folder["back"]));
            File.Delete(Folder["back"]);
        }

        foreach (string protocol in (string[])["http2", "grpc"])
        {
            Assert.NotEmpty(await FailAsync("put", "small", Plain + "none", "--via", protocol, "--attempts", "1"));
        }

        using var client = new HttpClient { DefaultRequestVersion = HttpVersion.Version11 };
        using HttpResponseMessage archive = await SendAsync(client, HttpMethod.Get, new Uri(Plain + "folder/?archive=zip"), null);
        using HttpResponseMessage large = await SendAsync(client, HttpMethod.Put, new Uri(Plain + "large"), new byte[2_000_000]);
        byte[] zip = await archive.Content.ReadAsByteArrayAsync();
        Assert.Equal("PK"u8, zip.AsSpan(0, 2));
        Assert.Equal(HttpStatusCode.RequestEntityTooLarge, large.StatusCode);
        Assert.False(File.Exists(Folder["served/large"]));

        byte[] parts = Write("parts", 3_000_000);
        await SucceedAsync("put", "parts", Plain + "parts");
        Assert.Equal(parts, await File.ReadAllBytesAsync(Folder["served/parts"]));
    }

    [Trait("Tier", "Soak")]
    [NeedsTheory(Need.Nginx | Need.Proxies)]
    [InlineData("nginx")]
    [InlineData("caddy")]
    [InlineData("haproxy")]
    [InlineData("apache")]
    public async Task Two_gigabytes_pass_through_it(string proxy)
    {
        using (FileStream large = File.Create(Folder["one"]))
        {
            // Beyond what 32 bits count. Holes take no space, and the bytes at the end show that none was lost.
            large.SetLength((1L << 31) + 100);
            large.Position = (1L << 31) + 1;
            large.WriteByte(7);
        }

        using ServedCommand server = await ServeAsync("served", "--trusted-proxy", "127.0.0.1");
        await StartProxyAsync(proxy, server.Port);

        JsonElement put = await RunJsonAsync("put", "one", Plain + "one");
        JsonElement got = await RunJsonAsync(["get", Tls + "one", "back", .. Trust]);

        Assert.Equal((1L << 31) + 100, new FileInfo(Folder["back"]).Length);
        Assert.Equal(put.GetProperty("sha256").GetString(), got.GetProperty("sha256").GetString());
    }

    public override void Dispose()
    {
        EndProxy();
        base.Dispose();
        GC.SuppressFinalize(this);
    }

    private static async Task<HttpResponseMessage> SendAsync(
        HttpClient client, HttpMethod method, Uri url, byte[]? content, params (string Name, string Value)[] fields)
    {
        using var request = new HttpRequestMessage(method, url)
        {
            Version = client.DefaultRequestVersion,
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Content = content is null ? null : new ByteArrayContent(content),
        };
        request.Headers.Add("Upload-Draft-Interop-Version", "8");
        foreach ((string name, string value) in fields)
        {
            request.Headers.Add(name, value);
        }

        if (method == HttpMethod.Patch)
        {
            request.Content!.Headers.ContentType = new("application/partial-upload");
        }

        return await client.SendAsync(request);
    }

    private HttpClient ClientOf(Version version) => new(new SocketsHttpHandler
    {
        SslOptions = new()
        {
            CertificateChainPolicy = new X509ChainPolicy
            {
                TrustMode = X509ChainTrustMode.CustomRootTrust,
                RevocationMode = X509RevocationMode.NoCheck,
                CustomTrustStore = { X509CertificateLoader.LoadCertificateFromFile(Folder["proxy/cert.pem"]) },
            },
        },
    })
    {
        DefaultRequestVersion = version,
        Timeout = Bounded.Patience,
    };

    private async Task<JsonElement> KillAndResumeAsync(StallingRelay relay, string[] arguments)
    {
        Process killed = Start(arguments);
        await Task.WhenAny(relay.StalledAsync(), killed.WaitForExitAsync());
        Assert.False(killed.HasExited, "It ended before its middle.");
        killed.Kill();
        await TestProcess.WaitAsync(killed);
        relay.CutAndRelease();
        return await RunJsonAsync(arguments);
    }

    private void EndProxy()
    {
        if (_proxy is { } proxy)
        {
            _proxy = null;
            if (!proxy.HasExited)
            {
                Command.Signal(proxy, Command.Terminate);
            }

            proxy.WaitForExit();
            proxy.Dispose();
        }
    }

    /// <summary>Starts a proxy with its configuration of samples/proxies; again while another program has its ports.</summary>
    private async Task StartProxyAsync(string name, int server)
    {
        string folder = Directory.CreateDirectory(Folder["proxy"]).FullName;
        TestCertificate.Write(folder);
        (string file, string program, string[] arguments) = name switch
        {
            "caddy" => ("Caddyfile", "caddy", (string[])["run", "--adapter", "caddyfile", "--config"]),
            "haproxy" => ("haproxy.cfg", "haproxy", (string[])["-db", "-f"]),
            "apache" => ("apache.conf", "apache2", (string[])["-D", "FOREGROUND", "-f"]),
            _ => (name + ".conf", "nginx", (string[])["-p", folder, "-c"]),
        };
        string template = await File.ReadAllTextAsync(Path.Combine(Repository.Root, "samples", "proxies", file + ".in"));
        int tries = 0;
        do
        {
            // A configuration that the proxy refuses ends it, too.
            Assert.True(tries++ < 20, $"{name} does not start: {string.Join('\n', _errors)}");
            EndProxy();
            (_port, _tlsPort) = (TestPort.Free(), TestPort.Free());
            string configuration = Folder.Write("proxy/" + file, template
                .Replace("@USER@", Environment.UserName == "root" ? "user root;" : "", StringComparison.Ordinal)
                .Replace("@FOLDER@", folder, StringComparison.Ordinal)
                .Replace("@MODULES@", "/usr/lib/apache2/modules", StringComparison.Ordinal)
                .Replace("@SERVER@", $"{server}", StringComparison.Ordinal)
                .Replace("@TLS_PORT@", $"{_tlsPort}", StringComparison.Ordinal)
                .Replace("@PORT@", $"{_port}", StringComparison.Ordinal));
            var start = new ProcessStartInfo(program, [.. arguments, configuration])
            {
                UseShellExecute = false,
                RedirectStandardError = true,
                RedirectStandardOutput = true,
            };
            start.Environment["XDG_DATA_HOME"] = folder;
            start.Environment["XDG_CONFIG_HOME"] = folder;
            start.Environment["PATH"] += ":/usr/sbin";
            _proxy = Process.Start(start)!;
            _proxy.ErrorDataReceived += (_, line) => _errors.Enqueue(line.Data ?? "");
            _proxy.OutputDataReceived += static (_, _) => { };
            _proxy.BeginErrorReadLine();
            _proxy.BeginOutputReadLine();
        }
        while (!await TestPort.IsListeningAsync(_proxy, _port) || !(name == "nginx-defaults" || await TestPort.IsListeningAsync(_proxy, _tlsPort)));
    }
}
