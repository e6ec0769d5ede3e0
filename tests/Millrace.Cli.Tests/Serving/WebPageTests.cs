using System.Net;
using System.Net.Http.Headers;
using System.Text;

namespace Millrace.Cli.Tests.Serving;

/// <summary>The requests that a web page in a browser on this machine can make to `millrace serve`: by every protocol, against the process.</summary>
[Trait("Tier", "All")]
public sealed class WebPageTests : CommandTests
{
    private const string Page = "https://app.example.org";

    // A message of gRPC whose field 1 is "kept.txt": Stat and Delete of that file.
    private static readonly byte[] Kept = [0, 0, 0, 0, 10, 10, 8, .. "kept.txt"u8];

    private static readonly string[] Reading =
        ["list", "get", "head", "health", "description", "root", "options", "missing", "stat", "grpc-stat"];

    private static readonly string[] Changing =
        ["put", "delete", "tus", "override", "draft", "draft-put", "grpc-web", "grpc-web-text", "grpc"];

    [Fact]
    public async Task Request_for_a_foreign_host_gets_421_without_tokens()
    {
        using ServedCommand serve = await ServeKeptAsync("--host-name", "files.test");
        foreach (string host in (string[])
            ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:8080", "files.test.evil.example", "test", "xfiles.test"])
        {
            foreach (string kind in Reading.Concat(Changing))
            {
                using HttpResponseMessage answer = await SendAsync(serve, kind, host);

                Assert.True(answer.StatusCode == HttpStatusCode.MisdirectedRequest, $"{host} {kind}: {answer}");
                string text = answer.Headers.TryGetValues("grpc-message", out IEnumerable<string>? message)
                    ? message.Single()
                    : await answer.Content.ReadAsStringAsync();
                Assert.True(kind == "head" || text.Contains("--host-name", StringComparison.Ordinal), $"{host} {kind}: {text}");
                Assert.Equal(kind is "stat" or "grpc-stat" || kind.StartsWith("grpc", StringComparison.Ordinal), message is not null);
            }
        }

        ThrowIfChanged();
    }

    [Fact]
    public async Task Request_with_an_unclear_host_reads_nothing_without_tokens()
    {
        using ServedCommand serve = await ServeKeptAsync();
        foreach (string head in (string[])
        [
            "GET http://evil.example/files/kept.txt HTTP/1.1\r\nHost: localhost\r\n",
            "GET http://evil.example/files/kept.txt HTTP/1.1\r\nHost: evil.example\r\n",
            "GET /files/kept.txt HTTP/1.1\r\nHost:\r\n",
            "GET /files/kept.txt HTTP/1.0\r\n",
            "GET /files/kept.txt HTTP/1.1\r\nHost: localhost, evil.example\r\n",
            "GET /files/kept.txt HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n",
            "GET /files/kept.txt HTTP/1.1\r\nHost: localhost@evil.example\r\n",
            "GET /files/kept.txt HTTP/1.1\r\nHost: [evil\r\n",
            "GET /files/kept.txt HTTP/1.1\r\nHost: [::1]evil\r\n",
            "GET /files/kept.txt HTTP/1.1\r\nHost: xn--localhost-.evil\r\n",
            "GET /files/kept.txt HTTP/1.1\r\nHost: 127.1\r\n",
            "GET /files/kept.txt HTTP/1.1\r\nHost: 2130706433\r\n",
            "GET /files/kept.txt HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: localhost\r\n",
        ])
        {
            string answer = await ExchangeAsync(serve.Port, head + "Connection: close\r\n\r\n");

            Assert.True(answer.StartsWith("HTTP/1.1 400 ", StringComparison.Ordinal) || answer.StartsWith("HTTP/1.1 421 ", StringComparison.Ordinal), head + answer);
            Assert.DoesNotContain("secret", answer, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Addresses_and_names_of_the_server_are_accepted_without_tokens()
    {
        using ServedCommand serve = await ServeKeptAsync(
            "--host-name", "files.test", "--host-name", "*.lan.test", "--public-url", "https://public.test");
        foreach (string host in (string[])
        [
            "127.0.0.1", "127.0.0.1:1", "192.0.2.7", "[::1]", "[2001:db8::1]:80", "localhost", "LocalHost:99", Environment.MachineName,
            "files.test", "FILES.test:443", "a.b.lan.test", "public.test",
        ])
        {
            foreach (string kind in (string[])["get", "stat", "grpc-stat"])
            {
                using HttpResponseMessage answer = await SendAsync(serve, kind, host);
                Assert.True(answer.StatusCode == HttpStatusCode.OK, $"{host} {kind}: {answer}");
            }
        }
    }

    [Fact]
    public async Task Insecure_server_checks_the_host_and_one_with_tokens_does_not()
    {
        using ServedCommand serve = await ServeKeptAsync("--host", "0.0.0.0", "--insecure");
        using HttpResponseMessage open = await SendAsync(serve, "get", "evil.example", port: serve.Port);
        Assert.Equal(HttpStatusCode.MisdirectedRequest, open.StatusCode);

        await SucceedAsync("token", "add", "one", "--folder", Folder["served"]);
        using HttpResponseMessage closed = await SendAsync(serve, "get", "evil.example", port: serve.Port);
        Assert.Equal(HttpStatusCode.Unauthorized, closed.StatusCode);
    }

    [Fact]
    public async Task Only_pages_of_the_server_change_something()
    {
        using ServedCommand serve = await ServeKeptAsync();
        foreach ((string? site, string? origin, bool allowed) in ((string?, string?, bool)[])
        [
            ("cross-site", Page, false), ("same-site", Page, false), ("cross-site", null, false), ("", null, false),
            ("cross-site", "http://localhost:PORT", false), ("same-origin, cross-site", null, false), ("Same-Origin", null, false),
            ("same-origin", Page, true), ("none", null, true),
            (null, Page, false), (null, "null", false), (null, "", false), (null, "http://localhost:1", false),
            (null, "http://localhost", false), (null, "http://127.0.0.1:PORT", false), (null, "http://localhost:PORT.evil.example", false),
            (null, "http://localhost:PORT@evil.example", false), (null, "ftp://localhost:PORT", false),
            (null, "http://localhost:PORT", true), (null, "https://LOCALHOST:PORT", true), (null, null, true),
        ])
        {
            foreach (string kind in Changing)
            {
                string host = $"localhost:{(kind == "grpc" ? new Uri(serve.Ready.GetProperty("grpc").GetString()!).Port : serve.Port)}";
                string? from = origin?.Replace("localhost:PORT", host, StringComparison.Ordinal)
                    .Replace("LOCALHOST:PORT", host.ToUpperInvariant(), StringComparison.Ordinal)
                    .Replace("PORT", $"{serve.Port}", StringComparison.Ordinal);
                using HttpResponseMessage answer = await SendAsync(serve, kind, host, site, from);
                string text = await TextOfAsync(answer);

                Assert.True(allowed != IsForbidden(answer, text), $"{site} {from} {kind}: {answer} {text}");
                Assert.True(allowed || text.Contains("--cors", StringComparison.Ordinal), $"{site} {from} {kind}: {text}");
                Assert.True(allowed == Restore(), $"{site} {from} {kind}");
            }
        }
    }

    [Fact]
    public async Task Page_of_another_site_cannot_use_a_token_to_change_something()
    {
        using ServedCommand serve = await ServeKeptAsync();
        string token = (await SucceedAsync("token", "add", "one", "--folder", Folder["served"])).Trim();
        foreach (string kind in Changing)
        {
            using HttpResponseMessage answer = await SendAsync(serve, kind, "files.test", "cross-site", Page, token: token);
            string text = await TextOfAsync(answer);
            Assert.True(IsForbidden(answer, text), $"{kind}: {text}");
        }

        ThrowIfChanged();
        using HttpResponseMessage own = await SendAsync(serve, "delete", "files.test", "same-origin", "https://files.test", token: token);
        Assert.Equal(HttpStatusCode.NoContent, own.StatusCode);
    }

    [Fact]
    public async Task Host_that_is_wrongly_encoded_is_no_fault_of_the_server()
    {
        using ServedCommand serve = await ServeKeptAsync();
        string token = (await SucceedAsync("token", "add", "one", "--folder", Folder["served"])).Trim();
        foreach ((string method, string fields, int status) in ((string, string, int)[])
            [("GET", "", 200), ("DELETE", "Origin: http://xn--a-.evil\r\n", 403), ("DELETE", "Sec-Fetch-Site: same-origin\r\n", 204)])
        {
            string answer = await ExchangeAsync(
                serve.Port,
                $"{method} /files/kept.txt HTTP/1.1\r\nHost: xn--a-.evil\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n{fields}\r\n");
            Assert.StartsWith($"HTTP/1.1 {status} ", answer, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData(Page, true)]
    [InlineData("*", true)]
    [InlineData("https://other.example.org", false)]
    public async Task Cors_names_origins_whose_pages_may_change_something(string allowed, bool expected)
    {
        using ServedCommand serve = await ServeKeptAsync("--cors", allowed);
        foreach (string kind in Changing)
        {
            using HttpResponseMessage answer = await SendAsync(serve, kind, "localhost", "cross-site", Page);

            Assert.Equal(expected, Restore());
            Assert.Equal(
                expected ? allowed : null,
                answer.Headers.TryGetValues("Access-Control-Allow-Origin", out IEnumerable<string>? origins) ? origins.Single() : null);
        }
    }

    [Theory]
    [InlineData("files/kept.txt", "PUT", "if-match,repr-digest,authorization")]
    [InlineData("files/kept.txt", "DELETE", "if-match")]
    [InlineData("uploads", "POST", "tus-resumable,upload-length,upload-metadata")]
    [InlineData("uploads/AAAAAAAAAAAAAAAAAAAAAA", "PATCH", "tus-resumable,upload-offset,content-type")]
    public async Task Browsers_are_told_what_pages_of_allowed_origins_may_send(string path, string method, string fields)
    {
        using ServedCommand serve = await ServeKeptAsync("--cors", Page);
        using var ask = new HttpRequestMessage(HttpMethod.Options, path);
        ask.Headers.Add("Origin", Page);
        ask.Headers.Add("Access-Control-Request-Method", method);
        ask.Headers.Add("Access-Control-Request-Headers", fields);
        using HttpResponseMessage answer = await serve.Client.SendAsync(ask);

        Assert.Equal(HttpStatusCode.NoContent, answer.StatusCode);
        Assert.Equal(Page, Assert.Single(answer.Headers.GetValues("Access-Control-Allow-Origin")));
        Assert.Equal(method, Assert.Single(answer.Headers.GetValues("Access-Control-Allow-Methods")));
        Assert.Equal(fields, Assert.Single(answer.Headers.GetValues("Access-Control-Allow-Headers")));
    }

    [Theory]
    [InlineData("https://files.example.org", true)]
    [InlineData("https://files.example.org:8443", false)]
    [InlineData("http://files.example.org", false)]
    public async Task Public_url_covers_a_proxy_that_changes_the_host(string origin, bool allowed)
    {
        using ServedCommand serve = await ServeKeptAsync("--public-url", "https://files.example.org/");
        foreach (string kind in Changing)
        {
            using HttpResponseMessage answer = await SendAsync(serve, kind, "127.0.0.1:8080", site: null, origin);
            Assert.Equal(allowed, Restore());
        }
    }

    [Theory]
    [InlineData("same-origin")]
    [InlineData(null, "--cors", Page)]
    public async Task Files_cannot_be_embedded_by_other_sites_unless_origins_are_allowed(string? expected, params string[] options)
    {
        using ServedCommand serve = await ServeKeptAsync(options);
        foreach (string path in (string[])["files/kept.txt", "files/", "files/?archive=tar"])
        {
            using HttpResponseMessage answer = await serve.Client.GetAsync(path);
            Assert.Equal(
                expected,
                answer.Headers.TryGetValues("Cross-Origin-Resource-Policy", out IEnumerable<string>? policy) ? policy.Single() : null);
        }
    }

    private async Task<ServedCommand> ServeKeptAsync(params string[] options)
    {
        Directory.CreateDirectory(Folder["served"]);
        await File.WriteAllTextAsync(Folder["served/kept.txt"], "secret");
        return await ServeAsync("served", options);
    }

    private void ThrowIfChanged() => Assert.False(Restore());

    /// <returns>Whether the file was replaced or deleted, or another or an upload was added.</returns>
    private bool Restore()
    {
        string uploads = Folder["served/.millrace/uploads"];
        bool isChanged = !File.Exists(Folder["served/kept.txt"]) || File.ReadAllText(Folder["served/kept.txt"]) != "secret"
            || File.Exists(Folder["served/new.txt"])
            || (Directory.Exists(uploads) && Directory.EnumerateDirectories(uploads).Any());
        File.WriteAllText(Folder["served/kept.txt"], "secret");
        File.Delete(Folder["served/new.txt"]);
        if (Directory.Exists(uploads))
        {
            foreach (string upload in Directory.EnumerateDirectories(uploads))
            {
                Directory.Delete(upload, recursive: true);
            }
        }

        return isChanged;
    }

    private static async Task<HttpResponseMessage> SendAsync(
        ServedCommand serve, string kind, string host, string? site = null, string? origin = null, string? token = null, int? port = null)
    {
        string address = kind is "grpc" or "grpc-stat" ? serve.Ready.GetProperty("grpc").GetString()! : $"http://127.0.0.1:{port ?? serve.Port}";
        HttpRequestMessage Of(HttpMethod method, string path, params (string Name, string Value)[] fields)
        {
            var made = new HttpRequestMessage(method, $"{address}/{path}");
            foreach ((string name, string value) in fields)
            {
                made.Headers.Add(name, value);
            }

            return made;
        }

        HttpRequestMessage Call(string method, string type)
        {
            HttpRequestMessage made = Of(HttpMethod.Post, "millrace.v1.FileTransfer/" + method);
            made.Content = type.EndsWith("text", StringComparison.Ordinal)
                ? new StringContent(Convert.ToBase64String(Kept))
                : new ByteArrayContent(Kept);
            made.Content.Headers.ContentType = new MediaTypeHeaderValue(type);
            if (type == "application/grpc")
            {
                made.Version = HttpVersion.Version20;
                made.VersionPolicy = HttpVersionPolicy.RequestVersionExact;
            }

            return made;
        }

        using HttpRequestMessage request = kind switch
        {
            "list" => Of(HttpMethod.Get, "files/"),
            "get" => Of(HttpMethod.Get, "files/kept.txt"),
            "head" => Of(HttpMethod.Head, "files/kept.txt"),
            "health" => Of(HttpMethod.Get, "health"),
            "description" => Of(HttpMethod.Get, ".well-known/millrace"),
            "root" => Of(HttpMethod.Get, ""),
            "options" => Of(HttpMethod.Options, "uploads"),
            "missing" => Of(HttpMethod.Get, "nothing/here"),
            "stat" => Call("Stat", "application/grpc-web"),
            "grpc-stat" => Call("Stat", "application/grpc"),
            "put" => Of(HttpMethod.Put, "files/kept.txt"),
            "delete" => Of(HttpMethod.Delete, "files/kept.txt"),
            "tus" => Of(HttpMethod.Post, "uploads", ("Tus-Resumable", "1.0.0"), ("Upload-Length", "3"), ("Upload-Metadata", "filename bmV3LnR4dA==")),
            "override" => Of(HttpMethod.Get, "uploads", ("X-HTTP-Method-Override", "POST"), ("Tus-Resumable", "1.0.0"), ("Upload-Length", "3"), ("Upload-Metadata", "filename bmV3LnR4dA==")),
            "draft" => Of(HttpMethod.Post, "files/new.txt", ("Upload-Complete", "?0"), ("Upload-Draft-Interop-Version", "8")),
            "draft-put" => Of(HttpMethod.Put, "files/new.txt", ("Upload-Complete", "?1"), ("Upload-Draft-Interop-Version", "8")),
            "grpc-web" => Call("Delete", "application/grpc-web+proto"),
            "grpc-web-text" => Call("Delete", "application/grpc-web-text"),
            _ => Call("Delete", "application/grpc"),
        };
        if (kind is "put" or "draft" or "draft-put")
        {
            request.Content = new StringContent("new");
        }

        request.Headers.Host = host;
        request.Headers.Authorization = token is null ? null : new AuthenticationHeaderValue("Bearer", token);
        if (site is not null)
        {
            request.Headers.TryAddWithoutValidation("Sec-Fetch-Site", site);
        }

        if (origin is not null)
        {
            request.Headers.TryAddWithoutValidation("Origin", origin);
        }

        return await serve.Client.SendAsync(request);
    }

    private static bool IsForbidden(HttpResponseMessage answer, string text) =>
        answer.StatusCode == HttpStatusCode.Forbidden || text.Contains("grpc-status:7", StringComparison.Ordinal);

    /// <summary>The body, unpacked, with the status and the message of gRPC.</summary>
    private static async Task<string> TextOfAsync(HttpResponseMessage answer)
    {
        string text = await answer.Content.ReadAsStringAsync();
        if (answer.Content.Headers.ContentType?.MediaType == "application/grpc-web-text+proto")
        {
            text = Encoding.UTF8.GetString(Convert.FromBase64String(text));
        }

        foreach (KeyValuePair<string, IEnumerable<string>> field in answer.Headers.Concat(answer.TrailingHeaders))
        {
            text += $"\n{field.Key}:{field.Value.First()}";
        }

        return text;
    }

    private static async Task<string> ExchangeAsync(int port, string request)
    {
        using var client = new System.Net.Sockets.TcpClient();
        await client.ConnectAsync(IPAddress.Loopback, port);
        await client.GetStream().WriteAsync(Encoding.Latin1.GetBytes(request));
        using var reader = new StreamReader(client.GetStream(), Encoding.Latin1);
        return await reader.ReadToEndAsync().WaitAsync(TimeSpan.FromMinutes(5));
    }
}
