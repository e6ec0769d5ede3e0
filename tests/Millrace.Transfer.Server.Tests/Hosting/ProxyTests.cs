using System.Text.Json;
using Microsoft.Extensions.Logging;
using IPNetwork = System.Net.IPNetwork;

namespace Millrace.Transfer.Server.Tests.Hosting;

/// <summary>The fields of proxies that a server trusts, and the URLs that it writes for their clients.</summary>
public sealed class ProxyTests : IDisposable
{
    private readonly CapturedLog _log = new(LogLevel.Information);

    public void Dispose() => _log.Dispose();

    [Theory]
    [InlineData("203.0.113.9", "203.0.113.9")]
    [InlineData("198.51.100.1, 203.0.113.9", "203.0.113.9")]
    [InlineData("198.51.100.1, 203.0.113.9, 127.0.0.5", "203.0.113.9")]
    [InlineData("127.0.0.1, 203.0.113.9, ::ffff:127.0.0.5", "203.0.113.9")]
    [InlineData("2001:db8::7", "2001:db8::7")]
    [InlineData("[2001:db8::7]:4711", "2001:db8::7")]
    [InlineData("198.51.100.1, unknown", "127.0.0.1")]
    [InlineData("198.51.100.1,", "198.51.100.1")]
    [InlineData("", "127.0.0.1")]
    public async Task Client_of_a_trusted_proxy_is_the_last_address_that_is_no_proxy(string field, string expected)
    {
        await using ServedFolder served = await StartAsync(Trust("127.0.0.0/8"));

        await GetAsync(served, ("X-Forwarded-For", field));

        Assert.Contains(_log.Lines, line => line.EndsWith($" at {expected}", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Address_is_the_last_one_of_several_fields()
    {
        await using ServedFolder served = await StartAsync(Trust("127.0.0.0/8"));

        await GetAsync(served, ("X-Forwarded-For", "198.51.100.1"), ("X-Forwarded-For", "203.0.113.9"), ("x-forwarded-for", "127.0.0.5"));

        Assert.Contains(_log.Lines, line => line.EndsWith(" at 203.0.113.9", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Untrusted_senders_are_not_believed()
    {
        await using ServedFolder served = await StartAsync(Trust("192.0.2.0/24", "2001:db8::/32"));

        string answer = await GetAsync(
            served, ("X-Forwarded-For", "192.0.2.1"), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", "files.example.org"), ("X-Forwarded-Prefix", "/share"));
        string description = await served.Client.GetStringAsync("/.well-known/millrace");

        Assert.StartsWith("HTTP/1.1 308 ", answer, StringComparison.Ordinal);
        Assert.Contains(_log.Lines, line => line.EndsWith(" at 127.0.0.1", StringComparison.Ordinal));
        Assert.DoesNotContain("/share", answer + description, StringComparison.Ordinal);
        await AnswerAsync(served, "GET / HTTP/1.1", "Location: /files/", ("X-Forwarded-Prefix", "/share"));
    }

    [Fact]
    public async Task Host_of_a_trusted_proxy_is_checked_as_any_other()
    {
        await using ServedFolder served = await StartAsync(Trust("127.0.0.1/32"));

        await AnswerAsync(served, "GET /files/ HTTP/1.1", "HTTP/1.1 421 ", ("X-Forwarded-Host", "evil.example.org"));
        await AnswerAsync(served, "GET /files/ HTTP/1.1", "HTTP/1.1 200 ", ("X-Forwarded-Host", "localhost"));
    }

    [Fact]
    public async Task Prefix_of_a_trusted_proxy_is_in_every_URL()
    {
        await using ServedFolder served = await StartAsync(Trust("127.0.0.1/32"));
        (string, string) prefix = ("X-Forwarded-Prefix", "/share/x");
        await served.WriteAsync("folder/one.txt", "one"u8.ToArray());

        await AnswerAsync(served, "GET / HTTP/1.1", "Location: /share/x/files/", prefix);
        await AnswerAsync(served, "GET /files/folder/one.txt HTTP/1.1", "HTTP/1.1 200 ", prefix);
        await AnswerAsync(served, $"GET http://localhost:{served.Server.Address.Port}/files/folder/one.txt HTTP/1.1", "HTTP/1.1 200 ", prefix);
        await AnswerAsync(served, "POST /uploads HTTP/1.1", "Location: /share/x/uploads/", prefix,
            ("Tus-Resumable", "1.0.0"), ("Upload-Length", "3"), ("Upload-Metadata", "filename YQ=="));
        await AnswerAsync(served, "GET /.well-known/millrace HTTP/1.1", "\"root\":\"/share/x\",\"files\":\"/share/x/files\",\"uploads\":\"/share/x/uploads\"", prefix);
        await AnswerAsync(served, "GET /files/ HTTP/1.1", "data-session=\"/share/x/session\"", prefix, ("Accept", "text/html"));
        await AnswerAsync(served, "MOVE /files/folder/one.txt HTTP/1.1", "Location: /share/x/files/two.txt", prefix, ("Destination", "/share/x/files/two.txt"));
        Assert.True(File.Exists(served.PathOf("two.txt")));
    }

    [Theory]
    [InlineData("//evil.example.org")]
    [InlineData("/a/../b")]
    [InlineData("/a%2Fb")]
    [InlineData("/a\\b")]
    [InlineData("/a?b")]
    [InlineData("/ü")]
    public async Task Prefix_that_is_no_path_is_refused_and_in_no_URL(string prefix)
    {
        await using ServedFolder served = await StartAsync(Trust("127.0.0.1/32"));

        string answer = await AnswerAsync(served, "GET / HTTP/1.1", "HTTP/1.1 400 ", ("X-Forwarded-Prefix", prefix));

        Assert.DoesNotContain("Location:", answer, StringComparison.OrdinalIgnoreCase);
    }

    [Theory]
    [InlineData("/share/files/one.txt", "200")]
    [InlineData("/share/files/share/one.txt", "200")]
    [InlineData("/sh%61re/files/one.txt", "200")]
    [InlineData("/share", "302")]
    [InlineData("/share/", "302")]
    [InlineData("/share/health", "200")]
    [InlineData("/files/one.txt", "404")]
    [InlineData("/shareholders/files/one.txt", "404")]
    [InlineData("/SHARE/files/one.txt", "404")]
    [InlineData("//share/files/one.txt", "404")]
    [InlineData("/share%2Ffiles/one.txt", "404")]
    [InlineData("/share%2F..%2Fshare/files/one.txt", "404")]
    [InlineData("/share/files%2Fone.txt", "400")]
    [InlineData("/share/files/share%2Fone.txt", "400")]
    [InlineData("/share/../files/one.txt", "404")]
    [InlineData("/share/share/files/one.txt", "404")]
    public async Task Only_paths_below_the_path_base_are_served(string path, string status)
    {
        await using ServedFolder served = await StartAsync(static options => options.PathBase = "/share/");
        await served.WriteAsync("one.txt", "one"u8.ToArray());
        await served.WriteAsync("share/one.txt", "one"u8.ToArray());

        await AnswerAsync(served, $"GET {path} HTTP/1.1", $"HTTP/1.1 {status} ");
    }

    [Theory]
    [InlineData("/share//files/one.txt")]
    [InlineData("/share/files//one.txt")]
    [InlineData("/x/../share/files/one.txt")]
    [InlineData("/share/x/../files/one.txt")]
    public async Task Path_that_another_server_could_read_differently_reads_nothing(string path)
    {
        await using ServedFolder served = await StartAsync(static options => options.PathBase = "/share");
        await served.WriteAsync("one.txt", "one"u8.ToArray());

        string answer = await AnswerAsync(served, $"GET {path} HTTP/1.1", "HTTP/1.1 4");

        Assert.DoesNotContain("\r\n\r\none", answer, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("127.0.0.1/32", true)]
    [InlineData("192.0.2.1/32", true)]
    [InlineData(null, false)]
    public async Task Scheme_of_HTTP2_does_not_end_requests_of_proxies_and_is_not_believed(string? trusted, bool isServed)
    {
        await using ServedFolder served = await StartAsync(options =>
        {
            (options.OfferHttp2Port, options.Http2Port) = (true, 0);
            options.TrustedProxies = trusted is null ? [] : [IPNetwork.Parse(trusted)];
        });

        // GET, https, the path, the authority, each as HPACK has it, in a request as HAProxy sends it without TLS.
        byte[] fields = [0x82, 0x87, 0x44, 21, .. "/.well-known/millrace"u8, 0x41, 9, .. "localhost"u8];
        using RawConnection connection = await RawConnection.OpenAsync(served.Server.Http2Address!);
        await connection.SendAsync(
            [.. "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, (byte)fields.Length, 1, 5, 0, 0, 0, 1, .. fields]);

        if (isServed)
        {
            Assert.EndsWith("\"scheme\":\"http\"", await connection.ReadUntilAsync("\"scheme\":\"http\""), StringComparison.Ordinal);
        }
        else
        {
            // RST_STREAM: PROTOCOL_ERROR
            const string reset = "\0\0\u0004\u0003\0\0\0\0\u0001\0\0\0\u0001";
            Assert.EndsWith(reset, await connection.ReadUntilAsync(reset), StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("files.example.org", "\"scheme\":\"https\",\"port\":8443}")]
    [InlineData("files.example.org:8443", "\"scheme\":\"https\",\"port\":8443}")]
    [InlineData("127.0.0.1", "\"scheme\":\"http\",\"port\":{0}}")]
    [InlineData("files.example.org:80", "\"scheme\":\"http\",\"port\":{0}}")]
    public async Task Description_names_the_public_address_to_those_who_use_it(string host, string expected)
    {
        await using ServedFolder served = await StartAsync(static options => options.PublicUrl = new Uri("https://files.example.org:8443"));
        string[] names = ["http1", "tus", "grpc-web", "grpc-web-text"];

        using RawConnection connection = await RawConnection.OpenAsync(
            served.Server.Address, $"GET /.well-known/millrace HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        string answer = await connection.ReadToEndAsync();

        Assert.All(names, name => Assert.Contains(
            $"{{\"name\":\"{name}\",{expected.Replace("{0}", $"{served.Server.Address.Port}", StringComparison.Ordinal)}", answer, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("share")]
    [InlineData("//share")]
    [InlineData("/share//x")]
    [InlineData("/..")]
    [InlineData("/a b")]
    [InlineData("/%41")]
    public void Path_base_that_is_no_path_is_rejected(string path) =>
        Assert.Throws<ArgumentException>(() => new TransferHostOptions { PathBase = path });

    [Theory]
    [InlineData("/a/b", "!a!b")]
    [InlineData("/a-b", "!a-b")]
    public async Task Cookie_of_a_session_is_that_of_the_path(string path, string end)
    {
        using var folder = new TemporaryFolder();
        var tokens = new TokenStore(folder["tokens.json"]);
        string secret = (await tokens.AddAsync("one", TransferScope.All)).Secret;
        await using ServedFolder served = await ServedFolder.StartAsync(options =>
        {
            options.PathBase = path;
            options.TokensPath = tokens.Path;
        });

        string answer = await AnswerAsync(
            served, $"POST {path}/session HTTP/1.1", "Set-Cookie: ", $$"""{"token":"{{secret}}"}""", ("Content-Type", "application/json"));

        Assert.Contains($"Set-Cookie: millrace-{served.Server.Address.Port}{end}=", answer, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("/files/folder/one.txt")]
    [InlineData("/files/folder/?archive=zip")]
    [InlineData("/files/folder/?archive=tar")]
    public async Task Downloads_ask_nginx_not_to_store_them(string path)
    {
        await using ServedFolder served = await ServedFolder.StartAsync();
        await served.WriteAsync("folder/one.txt", "one"u8.ToArray());

        await AnswerAsync(served, $"GET {path} HTTP/1.1", "X-Accel-Buffering: no\r\n");
    }

    [Theory]
    [InlineData("GET /files/", "inner:8080", "X-Forwarded-Host: files.example.org", 421)]
    [InlineData("DELETE /files/one", "localhost", "Origin: https://files.example.org|X-Forwarded-For: 203.0.113.9", 403)]
    [InlineData("DELETE /files/one", "localhost", "Origin: https://files.example.org|X-Forwarded-Prefix: /share", 403)]
    [InlineData("POST /session", "localhost", "Origin: https://localhost|X-Forwarded-Proto: https", 403)]
    [InlineData("DELETE /session", "localhost", "Origin: https://files.example.org|X-Forwarded-Host: files.example.org", 403)]
    public async Task Refusal_that_trusting_the_proxy_would_avoid_says_so(string line, string host, string fields, int status)
    {
        await using ServedFolder served = await StartAsync(Trust("192.0.2.0/24"));

        string answer = await RefuseAsync(served, line, host, fields, status);

        Assert.Contains(
            "came through a proxy that this server does not believe: if it is yours, name its address, which is in the server's log, with TransferHostOptions.TrustedProxies, and let it send X-Forwarded-Host and X-Forwarded-Proto.",
            answer,
            StringComparison.Ordinal);
        Assert.Contains(_log.Lines, static entry => entry.EndsWith(": refused, Forbidden, 127.0.0.1", StringComparison.Ordinal));
        Assert.DoesNotContain("127.0.0.1", answer, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("GET /files/", "inner:8080", "Via: 1.1 other", 421)]
    [InlineData("GET /files/", "files.example.org", "X-Forwarded-Host: files.example.org|X-Forwarded-For: 203.0.113.9", 421)]
    [InlineData("DELETE /files/one", "localhost", "Origin: https://files.example.org", 403)]
    [InlineData("DELETE /files/one", "localhost", "Sec-Fetch-Site: cross-site|Origin: https://files.example.org|X-Forwarded-For: 203.0.113.9", 403)]
    [InlineData("POST /session", "localhost", "Origin: https://localhost", 403)]
    [InlineData("DELETE /files/one", "localhost", "Origin: https://files.example.org|X-Forwarded-For: 203.0.113.9", 403, "127.0.0.1/32")]
    [InlineData("GET /files/", "localhost", "X-Forwarded-Host: files.example.org|X-Forwarded-For: 198.51.100.1, 203.0.113.9", 421, "127.0.0.1/32")]
    public async Task Refusal_that_trusting_the_proxy_would_not_avoid_does_not_say_so(
        string line, string host, string fields, int status, string trusted = "192.0.2.0/24")
    {
        await using ServedFolder served = await StartAsync(Trust(trusted));

        Assert.DoesNotContain("a proxy that this server does not believe", await RefuseAsync(served, line, host, fields, status), StringComparison.Ordinal);
    }

    private static async Task<string> RefuseAsync(ServedFolder served, string line, string host, string fields, int status)
    {
        using RawConnection connection = await RawConnection.OpenAsync(
            served.Server.Address,
            $"{line} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{fields.Replace("|", "\r\n", StringComparison.Ordinal)}\r\n\r\n");
        string answer = await connection.ReadToEndAsync();
        Assert.StartsWith($"HTTP/1.1 {status} ", answer, StringComparison.Ordinal);
        using JsonDocument problem = JsonDocument.Parse(answer[answer.IndexOf('{', StringComparison.Ordinal)..(answer.LastIndexOf('}') + 1)]);
        return problem.RootElement.GetProperty("detail").GetString()!;
    }

    private static Action<TransferHostOptions> Trust(params string[] networks) =>
        options => options.TrustedProxies = [.. networks.Select(IPNetwork.Parse)];

    private async Task<ServedFolder> StartAsync(Action<TransferHostOptions> configure) => await ServedFolder.StartAsync(options =>
    {
        options.Logging = logging => logging.SetMinimumLevel(LogLevel.Debug).AddProvider(_log);
        configure(options);
    });

    /// <summary>Downloads a file, and waits for its line in the log.</summary>
    private async Task<string> GetAsync(ServedFolder served, params (string Name, string Value)[] fields)
    {
        await served.WriteAsync("folder/one.txt", "one"u8.ToArray());
        await AnswerAsync(served, "GET /files/folder/one.txt HTTP/1.1", "HTTP/1.1 200 ", fields);
        await Bounded.UntilAsync(() => _log.Lines.Any(line => line.StartsWith("GET folder/one.txt: completed", StringComparison.Ordinal)));
        return await AnswerAsync(served, "GET /files/folder HTTP/1.1", "HTTP/1.1 308 ", fields);
    }

    private static Task<string> AnswerAsync(ServedFolder served, string line, string expected, params (string Name, string Value)[] fields) =>
        AnswerAsync(served, line, expected, "", fields);

    private static async Task<string> AnswerAsync(
        ServedFolder served, string line, string expected, string body, params (string Name, string Value)[] fields)
    {
        string text = $"{line}\r\nHost: localhost:{served.Server.Address.Port}\r\nConnection: close\r\n"
            + string.Concat(fields.Select(field => $"{field.Name}: {field.Value}\r\n"))
            + (body.Length > 0 ? $"Content-Length: {body.Length}\r\n" : "") + "\r\n" + body;
        using RawConnection connection = await RawConnection.OpenAsync(served.Server.Address, text);
        string answer = await connection.ReadToEndAsync();
        Assert.Contains(expected, answer, StringComparison.Ordinal);
        return answer;
    }
}
