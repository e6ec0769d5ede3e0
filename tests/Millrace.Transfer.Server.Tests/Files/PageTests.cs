using System.IO.Compression;
using System.Net.Http.Json;
using System.Text.RegularExpressions;

namespace Millrace.Transfer.Server.Tests.Files;

/// <summary>The page as `millrace serve` serves it: its parts, its policy, and what stored files may do.</summary>
[NeedsLocalFolder]
public sealed partial class PageTests : IAsyncLifetime
{
    private ServedFolder? _server;

    private ServedFolder Server => _server!;

    public async Task InitializeAsync() => _server = await ServedFolder.StartAsync();

    public async Task DisposeAsync() => await Server.DisposeAsync();

    [Fact]
    public async Task Listing_loads_the_page_and_its_policy_allows_nothing_else()
    {
        Write("a", "1");
        using HttpResponseMessage response = await GetAsync("files/", ("Accept", "text/html"));
        string html = await response.Content.ReadAsStringAsync();
        string nonce = Nonce().Match(html).Groups["nonce"].Value;
        Assert.Equal(24, nonce.Length);
        Assert.Equal(
            $"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; img-src 'self'; media-src 'self'; connect-src 'self'; "
            + "worker-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'",
            response.Field("Content-Security-Policy"));
        Assert.Equal(("same-origin", "nosniff"), (response.Field("Referrer-Policy"), response.Field("X-Content-Type-Options")));
        Assert.Equal(2, Nonce().Count(html));
        using HttpResponseMessage second = await GetAsync("files/", ("Accept", "text/html"));
        Assert.NotEqual(response.Field("Content-Security-Policy"), second.Field("Content-Security-Policy"));
        Assert.Contains("<html lang=\"en\" data-files=\"/files/\" data-session=\"/session\" data-links=\"/links\" data-languages=\"ar de\">", html);
        Assert.Contains("<a href=\"./a\">a</a>", html);
        Assert.DoesNotMatch("<style|style=|<script>|onload|onclick", html);
        string[] parts = [.. Part().Matches(html).Select(static match => match.Groups["path"].Value)];
        Assert.Equal(["app.css", "icon.svg", "app.js"], parts.Select(static path => path[(path.LastIndexOf('/') + 1)..]));
        foreach (string part in parts)
        {
            using HttpResponseMessage sent = await GetAsync(part);
            Assert.Equal(HttpStatusCode.OK, sent.StatusCode);
        }
    }

    [Theory]
    [InlineData("br")]
    [InlineData("gzip")]
    [InlineData("")]
    public async Task Parts_of_the_page_are_kept_for_good_and_compressed(string coding)
    {
        string hash = await HashAsync();
        long total = 0;
        foreach (string name in new[] { "app.js", "app.css", "worker.js", "tus.js" })
        {
            using HttpResponseMessage response = await GetAsync($"page/{hash}/{name}", ("Accept-Encoding", coding));
            Assert.Equal((coding.Length == 0 ? null : coding, "public, max-age=31536000, immutable"), (response.Field("Content-Encoding"), response.Field("Cache-Control")));
            Assert.Equal(name == "app.css" ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8", response.Content.Headers.ContentType?.ToString());
            byte[] body = await response.Content.ReadAsByteArrayAsync();
            Assert.Equal(await File.ReadAllBytesAsync(Path.Combine(Repository.Root, "src/Millrace.Transfer.Server/Page/Assets", name)), Decode(body, coding));
            total += body.Length;

            using HttpResponseMessage again = await GetAsync(
                $"page/{hash}/{name}", ("Accept-Encoding", coding), ("If-None-Match", response.Headers.ETag!.ToString()));
            Assert.Equal(HttpStatusCode.NotModified, again.StatusCode);
        }

        Assert.True(coding.Length == 0 || total <= 120 * 1024, $"{total} bytes");
    }

    [Theory]
    [InlineData("worker.js", "script-src 'self' 'wasm-unsafe-eval'")]
    [InlineData("thumbnailer.js", "script-src 'self'")]
    [InlineData("app.js", "script-src 'self'")]
    public async Task Only_the_worker_that_computes_digests_may_compile_WebAssembly(string name, string scripts)
    {
        using HttpResponseMessage response = await GetAsync($"page/{await HashAsync()}/{name}");
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal($"default-src 'none'; {scripts}; connect-src 'self'", response.Field("Content-Security-Policy"));
    }

    [Theory]
    [InlineData("page/0000000000000000/app.js")]
    [InlineData("page/{hash}/none.js")]
    [InlineData("page/{hash}/..%2Fapp.js")]
    public async Task Parts_of_no_page_are_not_found(string path)
    {
        using HttpResponseMessage response = await GetAsync(path.Replace("{hash}", await HashAsync()));
        Assert.Equal(HttpStatusCode.NotFound, response.StatusCode);
        Assert.NotEqual("public, max-age=31536000, immutable", response.Field("Cache-Control"));
    }

    [Theory]
    [InlineData("a.html")]
    [InlineData("a.xhtml")]
    [InlineData("a.svg")]
    [InlineData("a.xml")]
    [InlineData("a.xsl")]
    [InlineData("a.mht")]
    public async Task Active_files_are_sandboxed_in_every_form(string name)
    {
        Write(name, "<script>alert(1)</script>");
        string token = (await new TokenStore(TokenStore.DefaultPath(Server.Folder)).AddAsync("one", TransferScope.All)).Secret;
        var key = await new TokenStore(TokenStore.DefaultPath(Server.Folder)).GetLinkKeyAsync();
        string link = SignedLink.CreateQuery(key, "GET", TransferName.Parse(name), DateTimeOffset.UtcNow.AddHours(1));
        foreach ((string path, (string, string)[] fields) in new (string, (string, string)[])[]
            {
                ($"files/{name}", [("Authorization", $"Bearer {token}")]),
                ($"files/{name}", [("Authorization", $"Bearer {token}"), ("Range", "bytes=0-5")]),
                ($"files/{name}", [("Authorization", $"Bearer {token}"), ("Accept-Encoding", "gzip")]),
                ($"files/{name}?download", [("Authorization", $"Bearer {token}")]),
                ($"files/{name}?{link}", []),
            })
        {
            using HttpResponseMessage response = await GetAsync(path, fields);
            Assert.True(response.IsSuccessStatusCode, $"{response.StatusCode}");
            Assert.Equal(
                ("sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; media-src data:; frame-ancestors 'self'", "nosniff", "no-referrer"),
                (response.Field("Content-Security-Policy"), response.Field("X-Content-Type-Options"), response.Field("Referrer-Policy")));
        }
    }

    [Theory]
    [InlineData("script")]
    [InlineData("worker")]
    [InlineData("serviceworker")]
    public async Task Stored_file_is_no_script_of_the_page(string destination)
    {
        Write("a.js", "1");
        using HttpResponseMessage refused = await GetAsync("files/a.js", ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Dest", destination));
        Assert.Equal(HttpStatusCode.Forbidden, refused.StatusCode);
        using HttpResponseMessage fetched = await GetAsync("files/a.js", ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Dest", "empty"));
        Assert.Equal(HttpStatusCode.OK, fetched.StatusCode);
    }

    [Theory]
    [InlineData("text/html", "navigate", "text/html; charset=utf-8")]
    [InlineData("text/html", null, "text/html; charset=utf-8")]
    [InlineData("text/html", "cors", "application/problem+json")]
    [InlineData("application/json", "cors", "application/problem+json")]
    [InlineData(null, null, "application/problem+json")]
    public async Task Browser_without_a_token_is_asked_to_sign_in(string? accept, string? mode, string type)
    {
        Write("a/b", "secret");
        await new TokenStore(TokenStore.DefaultPath(Server.Folder)).AddAsync("one", TransferScope.All);
        foreach (string path in new[] { "files/a/", "files/a/b", "files/none" })
        {
            (string, string)[] fields = [.. accept is null ? [] : new[] { ("Accept", accept) }, .. mode is null ? [] : new[] { ("Sec-Fetch-Mode", mode) }];
            using HttpResponseMessage response = await GetAsync(path, fields);
            Assert.Equal((HttpStatusCode.Unauthorized, type), (response.StatusCode, response.Content.Headers.ContentType?.ToString()));
            Assert.Equal("no-store", response.Field("Cache-Control"));
            string body = await response.Content.ReadAsStringAsync();
            Assert.Equal(type.StartsWith("text", StringComparison.Ordinal), body.Contains("/app.js\"", StringComparison.Ordinal));
            Assert.DoesNotContain("secret", body, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("br")]
    [InlineData("gzip")]
    public async Task Listing_is_compressed_for_those_who_accept_it(string coding)
    {
        for (int i = 0; i < 100; i++)
        {
            Write($"file-{i}", "");
        }

        using HttpResponseMessage plain = await GetAsync("files/", ("Accept", "application/json"));
        using HttpResponseMessage response = await GetAsync("files/", ("Accept", "application/json"), ("Accept-Encoding", coding));
        Assert.Equal((coding, "Accept, Accept-Encoding"), (response.Field("Content-Encoding"), response.Field("Vary")));
        Assert.Equal(await plain.Content.ReadAsByteArrayAsync(), Decode(await response.Content.ReadAsByteArrayAsync(), coding));
    }

    [Theory]
    [InlineData("files/none", 404, "Not found", "There is no file 'none'.")]
    [InlineData("files/a%20%26%20b/", 404, "Not found", "a &amp; b")]
    [InlineData("files/a?mr-expires=1&mr-key=1&mr-signature=A", 403, "Not allowed", "The link has expired")]
    public async Task Browser_gets_the_page_for_a_file_that_is_not_there_or_not_allowed(string path, int status, string title, string sentence)
    {
        Write("a", "secret");
        using HttpResponseMessage response = await GetAsync(path, ("Accept", "text/html"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document"));
        string html = await response.Content.ReadAsStringAsync();
        Assert.Equal((status, "text/html; charset=utf-8", "no-store"), ((int)response.StatusCode, response.Content.Headers.ContentType?.ToString(), response.Field("Cache-Control")));
        Assert.Contains($"data-status=\"{status}\"", html, StringComparison.Ordinal);
        Assert.Contains($"<h1>{title}</h1>", html, StringComparison.Ordinal);
        Assert.Contains(sentence.Replace("'", "&#x27;", StringComparison.Ordinal), html, StringComparison.Ordinal);
        Assert.Contains("/app.js\"", html, StringComparison.Ordinal);

        foreach ((string, string)[] fields in new (string, string)[][]
            {
                [("Accept", "*/*")],
                [("Accept", "text/html"), ("Sec-Fetch-Mode", "cors"), ("Sec-Fetch-Dest", "empty")],
                [("Accept", "text/html"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "iframe")],
            })
        {
            using HttpResponseMessage program = await GetAsync(path, fields);
            Assert.Equal((status, "application/problem+json"), ((int)program.StatusCode, program.Content.Headers.ContentType?.ToString()));
        }
    }

    [Fact]
    public async Task Only_the_page_of_this_server_frames_stored_files_and_no_request_tells_their_url()
    {
        Write("a.pdf", "1");
        using HttpResponseMessage response = await GetAsync("files/a.pdf");
        Assert.Equal(("frame-ancestors 'self'", "no-referrer"), (response.Field("Content-Security-Policy"), response.Field("Referrer-Policy")));
    }

    [Fact]
    public async Task Listing_of_a_session_is_not_kept_by_the_browser()
    {
        Write("a/b", "1");
        string token = (await new TokenStore(TokenStore.DefaultPath(Server.Folder)).AddAsync("one", TransferScope.All)).Secret;
        using HttpResponseMessage signedIn = await Server.Client.PostAsync("session", JsonContent.Create(new { token }));
        string cookie = signedIn.Headers.GetValues("Set-Cookie").Single().Split(';')[0];
        foreach (string type in new[] { "text/html", "application/json" })
        {
            using HttpResponseMessage bySession = await GetAsync("files/a/", ("Accept", type), ("Cookie", cookie));
            using HttpResponseMessage byToken = await GetAsync("files/a/", ("Accept", type), ("Authorization", $"Bearer {token}"), ("Cookie", ""));
            Assert.Equal(("no-store", "no-cache"), (bySession.Field("Cache-Control"), byToken.Field("Cache-Control")));
        }
    }

    private static byte[] Decode(byte[] body, string coding)
    {
        using var plain = new MemoryStream();
        using Stream decoded = coding switch
        {
            "br" => new BrotliStream(new MemoryStream(body), CompressionMode.Decompress),
            "gzip" => new GZipStream(new MemoryStream(body), CompressionMode.Decompress),
            _ => new MemoryStream(body),
        };
        decoded.CopyTo(plain);
        return plain.ToArray();
    }

    private async Task<string> HashAsync()
    {
        using HttpResponseMessage response = await GetAsync("files/", ("Accept", "text/html"));
        return Part().Match(await response.Content.ReadAsStringAsync()).Groups["path"].Value.Split('/')[2];
    }

    private void Write(string name, string content)
    {
        string path = Path.Combine(Server.Folder, name);
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        File.WriteAllText(path, content);
    }

    private async Task<HttpResponseMessage> GetAsync(string path, params (string Name, string Value)[] fields)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, new Uri(Server.Server.Address, path));
        foreach ((string name, string value) in fields.Where(static field => field.Value.Length > 0))
        {
            request.Headers.TryAddWithoutValidation(name, value);
        }

        return await Server.Client.SendAsync(request);
    }

    [GeneratedRegex(" nonce=\"(?<nonce>[^\"]+)\"", RegexOptions.ExplicitCapture)]
    private static partial Regex Nonce();

    [GeneratedRegex("(?:href|src)=\"(?<path>/page/[^\"]+)\"", RegexOptions.ExplicitCapture)]
    private static partial Regex Part();
}
