namespace Millrace.Transfer.Server.Tests.Files;

public sealed class DownloadTests : ServerTest
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(1_024)]
    [InlineData(16_384)]
    [InlineData(16_385)]
    [InlineData(65_535)]
    [InlineData(65_536)]
    [InlineData(65_537)]
    [InlineData(1_000_000)]
    public async Task Whole_file_is_sent_with_its_metadata(int length)
    {
        byte[] content = Content.Of(length);
        string path = await Server.WriteAsync("a/b.bin", content);
        using HttpResponseMessage response = await GetAsync("files/a/b.bin");
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal(length, response.Content.Headers.ContentLength);
        Assert.Equal("application/octet-stream", response.Content.Headers.ContentType?.ToString());
        Assert.Equal("bytes", response.Headers.AcceptRanges.Single());
        Assert.False(response.Headers.ETag?.IsWeak);
        Assert.Equal("no-cache", response.Headers.CacheControl?.ToString());
        Assert.Equal("nosniff", response.Headers.GetValues("X-Content-Type-Options").Single());
        Assert.Equal(
            DigestField.Format(Sha256Digest.Compute(content)), response.Headers.GetValues(TransferHeaders.ReprDigest).Single());
        Assert.Equal(
            new DateTimeOffset(File.GetLastWriteTimeUtc(path)).ToUnixTimeSeconds(),
            response.Content.Headers.LastModified?.ToUnixTimeSeconds());
        Assert.Equal(content, await response.Content.ReadAsByteArrayAsync());
    }

    [Fact]
    public async Task Small_file_that_was_changed_in_place_is_sent_with_the_fields_of_its_new_version()
    {
        await Server.WriteAsync("a.txt", "before"u8.ToArray());
        using HttpResponseMessage first = await GetAsync("files/a.txt");
        using HttpResponseMessage again = await GetAsync("files/a.txt");
        Assert.Equal(first.Headers.ETag, again.Headers.ETag);

        await Server.WriteAsync("a.txt", "longer!"u8.ToArray());
        using HttpResponseMessage changed = await GetAsync("files/a.txt");

        Assert.NotEqual(first.Headers.ETag, changed.Headers.ETag);
        Assert.Equal("longer!", await changed.Content.ReadAsStringAsync());
        Assert.Equal(
            DigestField.Format(Sha256Digest.Compute("longer!"u8)), changed.Headers.GetValues(TransferHeaders.ReprDigest).Single());
    }

    [Fact]
    public async Task Responses_about_a_hot_file_are_those_about_a_cold_one()
    {
        const string Path = "files/folder/a.txt";
        await Server.WriteAsync("folder/a.txt", "0123456789"u8.ToArray());
        using HttpResponseMessage first = await GetAsync(Path);
        string tag = first.Headers.ETag!.ToString();
        (HttpMethod Method, string Path, (string, string)[] Fields)[] requests =
        [
            (HttpMethod.Get, Path, []),
            (HttpMethod.Head, Path, []),
            (HttpMethod.Get, Path + "?download", []),
            (HttpMethod.Get, Path, [("Range", "bytes=2-4")]),
            (HttpMethod.Get, Path, [("Range", "bytes=-3")]),
            (HttpMethod.Get, Path, [("Range", "bytes=0-1,8-9")]),
            (HttpMethod.Get, Path, [("Range", "bytes=10-")]),
            (HttpMethod.Get, Path, [("Range", "bytes=2-4"), ("If-Range", tag)]),
            (HttpMethod.Get, Path, [("If-None-Match", tag)]),
            (HttpMethod.Get, Path, [("If-Match", "\"another\"")]),
            (HttpMethod.Get, Path, [("Want-Repr-Digest", "sha-256=0")]),
            (HttpMethod.Get, "files/folder/?archive=tar", []),
            (HttpMethod.Get, "files/folder/?archive=zip", []),
        ];
        var cold = new List<string>();
        foreach ((HttpMethod method, string path, (string, string)[] fields) in requests)
        {
            cold.Add(await AnswerAsync(method, path, fields));
        }

        for (int i = 0; i < 5; i++)
        {
            var hot = new List<string>();
            foreach ((HttpMethod method, string path, (string, string)[] fields) in requests)
            {
                using HttpResponseMessage again = await GetAsync(Path);
                hot.Add(await AnswerAsync(method, path, fields));
            }

            Assert.Equal(cold, hot);
        }

        async Task<string> AnswerAsync(HttpMethod method, string path, (string, string)[] fields)
        {
            using HttpResponseMessage response = await SendAsync(method, path, null, fields);
            response.Headers.Date = null;
            string boundary = response.Content.Headers.ContentType?.Parameters.FirstOrDefault(item => item.Name == "boundary")?.Value ?? "boundary";
            string body = Convert.ToHexString(await response.Content.ReadAsByteArrayAsync());
            return $"{response.StatusCode}\n{response.Headers}{response.Content.Headers}{body}"
                .Replace(boundary, "", StringComparison.Ordinal)
                .Replace(Convert.ToHexString(Encoding.UTF8.GetBytes(boundary)), "", StringComparison.Ordinal);
        }
    }

    [Fact]
    [NeedsLocalFolder]
    public async Task File_that_shrinks_meanwhile_ends_the_connection_before_other_bytes()
    {
        const int Kept = 1_000_000;
        byte[] content = Content.Of(32 * 1024 * 1024);
        string path = await Server.WriteAsync("a", content);
        using RawConnection connection = await RawConnection.OpenAsync(
            Server.Address, "GET /files/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        await connection.ReadHeadAsync();
        using (FileStream file = File.Open(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite))
        {
            file.SetLength(Kept);
        }

        byte[] received = Encoding.Latin1.GetBytes(await connection.ReadToEndAsync());
        Assert.InRange(received.Length, 0, content.Length - 1);

        // A page that the kernel lent to the socket shows the changed file: zeros after its new end.
        for (int i = 0; i < received.Length; i++)
        {
            Assert.True(received[i] == content[i] || (i >= Kept && received[i] == 0), $"Byte {i} is another one.");
        }

        // Each has the connection that ended and the reason; none is an unhandled exception.
        Assert.DoesNotContain(Server.Complaints, line => line.Contains("   at ", StringComparison.Ordinal));
    }

    [Fact]
    public async Task HEAD_has_the_headers_of_GET()
    {
        await Server.WriteAsync("b.txt", Content.Text(5000));
        using HttpResponseMessage get = await GetAsync("files/b.txt");
        using HttpResponseMessage head = await SendAsync(HttpMethod.Head, "files/b.txt");
        Assert.Equal(get.StatusCode, head.StatusCode);
        Assert.Equal(Fields(get), Fields(head));
        Assert.Empty(await head.Content.ReadAsByteArrayAsync());

        static IEnumerable<string> Fields(HttpResponseMessage response) =>
            response.Headers.Concat(response.Content.Headers)
                .Where(static field => field.Key != "Date")
                .Select(static field => $"{field.Key}: {string.Join(',', field.Value)}").Order(StringComparer.Ordinal);
    }

    [Fact]
    public async Task Range_in_HEAD_is_ignored()
    {
        await Server.WriteAsync("b", Content.Of(100));
        using HttpResponseMessage head = await SendAsync(HttpMethod.Head, "files/b", null, ("Range", "bytes=0-9"));
        Assert.Equal(HttpStatusCode.OK, head.StatusCode);
        Assert.Equal(100, head.Content.Headers.ContentLength);
    }

    [Fact]
    public async Task Missing_file_is_answered_with_a_problem_document()
    {
        using HttpResponseMessage response = await GetAsync("files/a/none.txt");
        Assert.Equal(HttpStatusCode.NotFound, response.StatusCode);
        ErrorDocument problem = await ProblemOf(response);
        Assert.Equal("NotFound", problem.Error);
        Assert.Equal("a/none.txt", problem.Name);
        Assert.Contains("a/none.txt", problem.Detail);
    }

    [Theory]
    [InlineData("a.html", "text/html", true)]
    [InlineData("a.svg", "image/svg+xml", true)]
    [InlineData("a.xml", "text/xml", true)]
    [InlineData("a.xhtml", "application/xhtml+xml", true)]
    [InlineData("a.txt", "text/plain", false)]
    [InlineData("a.pdf", "application/pdf", false)]
    [InlineData("a.png", "image/png", false)]
    [InlineData("a.md", "text/markdown", false)]
    [InlineData("a", "application/octet-stream", false)]
    public async Task A_page_that_was_stored_cannot_act_for_the_site(string name, string type, bool isActive)
    {
        await Server.WriteAsync(name, "<script>alert(1)</script>"u8.ToArray());
        using HttpResponseMessage response = await GetAsync($"files/{name}");
        Assert.Equal(type, response.Content.Headers.ContentType?.ToString());
        string policy = response.Headers.GetValues("Content-Security-Policy").Single();
        Assert.Equal(isActive, policy.StartsWith("sandbox; default-src 'none'; ", StringComparison.Ordinal));
        Assert.EndsWith("frame-ancestors 'self'", policy, StringComparison.Ordinal);
    }

    [Theory, InlineData("", "inline"), InlineData("?download", "attachment")]
    public async Task Disposition_follows_the_query_and_names_the_file(string query, string kind)
    {
        await Server.WriteAsync("größe 日本.txt", "x"u8.ToArray());
        using HttpResponseMessage response = await GetAsync($"files/gr%C3%B6%C3%9Fe%20%E6%97%A5%E6%9C%AC.txt{query}");
        Assert.Equal(
            $"{kind}; filename=\"gr__e __.txt\"; filename*=UTF-8''gr%C3%B6%C3%9Fe%20%E6%97%A5%E6%9C%AC.txt",
            response.Content.Headers.NonValidated["Content-Disposition"].ToString());
    }

    [Fact]
    public async Task Folder_without_a_trailing_slash_is_redirected()
    {
        await Server.WriteAsync("a b/c/d.txt", "x"u8.ToArray());
        using HttpResponseMessage nested = await GetAsync("files/a%20b/c?limit=5");
        Assert.Equal(HttpStatusCode.PermanentRedirect, nested.StatusCode);
        Assert.Equal("no-cache", nested.Field("Cache-Control"));
        Assert.Equal("c/?limit=5", nested.Headers.Location?.OriginalString);
        using HttpResponseMessage root = await GetAsync("files");
        Assert.Equal(HttpStatusCode.PermanentRedirect, root.StatusCode);
        Assert.Equal("files/", root.Headers.Location?.OriginalString);
    }

    [Fact]
    public async Task File_path_with_a_trailing_slash_is_not_a_folder()
    {
        await Server.WriteAsync("a.txt", "x"u8.ToArray());
        await GetAsync("files/a.txt/").AnswersAsync(HttpStatusCode.NotFound);
    }

    [Theory]
    [InlineData("sha-256=0", false)]
    [InlineData("sha-256=10, sha-512=1", true)]
    [InlineData("!!", true)]
    public async Task Digest_is_omitted_if_the_client_does_not_want_it(string wanted, bool expected)
    {
        await Server.WriteAsync("a", "x"u8.ToArray());
        using HttpResponseMessage response = await GetAsync("files/a", ("Want-Repr-Digest", wanted));
        Assert.Equal(expected, response.Headers.Contains(TransferHeaders.ReprDigest));
    }

    [Theory]
    [InlineData("head", "files/a")]
    [InlineData("HEaD", "files/none")]
    [InlineData("Get", "files/a")]
    [InlineData("pUT", "files/b")]
    [InlineData("mkcol", "files/b")]
    [InlineData("post", "uploads")]
    [InlineData("get", "files/")]
    public async Task Methods_are_case_sensitive(string method, string path)
    {
        await Server.WriteAsync("a", "x"u8.ToArray());
        RawResponse response = await RawConnection.ExchangeAsync(
            Server.Address, $"{method} /{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");

        Assert.Equal(501, response.Status);
        Assert.Contains("methods are written in capital letters", response.Body, StringComparison.Ordinal);
        Assert.Equal(["a"], Server.VisibleFiles());
        Assert.Empty(Server.Complaints);
    }

    [Theory, InlineData("POST"), InlineData("PATCH"), InlineData("SEARCH")]
    public async Task An_unknown_method_is_told_which_are_known(string method)
    {
        using HttpResponseMessage response = await SendAsync(new HttpMethod(method), "files/a");
        Assert.Equal(HttpStatusCode.MethodNotAllowed, response.StatusCode);
        Assert.Equal(["COPY", "DELETE", "GET", "HEAD", "LOCK", "MKCOL", "MOVE", "OPTIONS", "PROPFIND", "PROPPATCH", "PUT", "UNLOCK"], response.Content.Headers.Allow.Order());
    }

    [Fact]
    public async Task OPTIONS_lists_the_allowed_methods()
    {
        using HttpResponseMessage response = await SendAsync(HttpMethod.Options, "files/a");
        Assert.Equal(HttpStatusCode.NoContent, response.StatusCode);
        Assert.Equal(["COPY", "DELETE", "GET", "HEAD", "LOCK", "MKCOL", "MOVE", "OPTIONS", "PROPFIND", "PROPPATCH", "PUT", "UNLOCK"], response.Content.Headers.Allow.Order());
    }

    [Fact]
    public async Task Client_disconnect_is_not_logged_and_closes_the_file()
    {
        await Server.WriteAsync("large", Content.Of(20_000_000));
        for (int i = 0; i < 5; i++)
        {
            using RawConnection connection = await RawConnection.OpenAsync(Server.Address);
            await connection.SendAsync("GET /files/large HTTP/1.1\r\nHost: x\r\n\r\n");
            await connection.ReadUntilAsync("\r\n\r\n");
            connection.Reset();
        }

        using HttpResponseMessage response = await GetAsync("files/large");
        Assert.Equal(20_000_000, (await response.Content.ReadAsByteArrayAsync()).Length);
        Assert.Empty(Server.Complaints);
    }
}
