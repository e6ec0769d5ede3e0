using System.Diagnostics;
using System.Net.Http.Headers;
using System.Net.Http.Json;
using Millrace.Transfer.Messages;
using Millrace.Transfer.Server.Tests.Grpc;

namespace Millrace.Transfer.Server.Tests.Access;

/// <summary>Links to folders: their rights, limits and expiry.</summary>
[NeedsLocalFolder]
public sealed class FolderLinkTests : GrpcTest
{
    private static readonly byte[] Small = Content.Of(1000);

    private TokenStore Tokens => new(TokenStore.DefaultPath(Server.Folder));

    private FolderLinks Links => new(FolderLinks.OpenDocuments(Server.Folder), Tokens);

    private async Task<string> PrepareAsync(
        bool drop = false, string? password = null, long? uses = null, long? bytes = null, bool asks = false, string folder = "share")
    {
        if (Tokens.List().Count == 0)
        {
            await Tokens.AddAsync("one", TransferScope.All);
            Directory.CreateDirectory(PathOf("share/sub"));
            Put("share/a", Small);
            Put("share/sub/b", Small);
            Put("secret", Small);
        }

        return (await Links.CreateAsync(new FolderLinkOptions
        {
            Folder = folder.Length == 0 ? default : TransferName.Parse(folder),
            IsDrop = drop,
            Lifetime = TimeSpan.FromDays(1),
            Password = password,
            MaxUses = uses,
            MaxBytes = bytes,
            AsksName = asks,
        })).Secret;
    }

    private async Task<HttpResponseMessage> SendAsync(
        string method, string path, string? secret, HttpContent? content = null, params (string Name, string Value)[] fields)
    {
        using var request = new HttpRequestMessage(new HttpMethod(method), path) { Content = content };
        request.Headers.Authorization = secret is null ? null : new AuthenticationHeaderValue("Bearer", secret);
        foreach ((string name, string value) in fields)
        {
            Assert.True(request.Headers.TryAddWithoutValidation(name, value));
        }

        return await Server.Client.SendAsync(request);
    }

    private async Task<int> StatusAsync(
        string method, string path, string? secret, HttpContent? content = null, params (string Name, string Value)[] fields)
    {
        using HttpResponseMessage response = await SendAsync(method, path, secret, content, fields);
        return (int)response.StatusCode;
    }

    private static ByteArrayContent Body(int length = 3) => new(Content.Of(length));

    private async Task<FolderLink> OnlyAsync()
    {
        var links = new List<FolderLink>();
        await foreach (FolderLink link in Links.ListAsync())
        {
            links.Add(link);
        }

        return Assert.Single(links);
    }

    [Fact]
    public async Task Read_link_allows_its_folder_and_nothing_else()
    {
        string link = await PrepareAsync();
        foreach (string given in new[] { "?mr-link=" + link, "" })
        {
            string? bearer = given.Length == 0 ? link : null;
            string and = given.Length == 0 ? "?" : given + "&";
            Assert.Equal(200, await StatusAsync("GET", $"files/share/{given}", bearer));
            Assert.Equal(200, await StatusAsync("GET", $"files/share/a{given}", bearer));
            Assert.Equal(200, await StatusAsync("HEAD", $"files/share/sub/b{given}", bearer));
            Assert.Equal(200, await StatusAsync("GET", $"files/share/{and}archive=zip", bearer));
            foreach ((string method, string path) in new[]
                {
                    ("GET", "secret"), ("GET", ""), ("GET", "shared"), ("PUT", "share/new"), ("DELETE", "share/a"), ("MKCOL", "share/new"), ("GET", ".millrace/tokens.json"),
                })
            {
                int status = await StatusAsync(method, $"files/{path}{given}", bearer, method == "PUT" ? Body() : null);
                Assert.True(status is 403 or 400, $"{method} {path}: {status}");
            }
        }

        (string, string) metadata = ("authorization", $"Bearer {link}");
        (await CallAsync("Stat", new StatRequest { Name = "share/a" }, metadata)).Only(FileVersion.Parser);
        (await CallAsync("Stat", new StatRequest { Name = "secret" }, metadata)).Failed(7, TransferError.Forbidden);
        (await CallAsync("Upload", Frames.Upload("share/new", [1]), metadata)).Failed(7, TransferError.Forbidden);
        (await CallAsync("CreateLink", new CreateLinkRequest { Folder = "share", Seconds = 60 }, metadata)).Failed(7, TransferError.Forbidden);
        (await CallAsync("ListLinks", new ListLinksRequest(), metadata)).Failed(7, TransferError.Forbidden);
        Assert.Equal(403, await StatusAsync("GET", "links", link));
    }

    [Fact]
    public async Task Link_is_a_password_for_programs_that_mount_its_folder()
    {
        string link = await PrepareAsync();
        string locked = await PrepareAsync(password: "s3:cret");
        string drop = await PrepareAsync(drop: true);
        (string, string)[] depth = [("Depth", "1")];
        Assert.Equal(207, await StatusAsync("PROPFIND", "files/share/", null, null, [Basic("anyone", link), .. depth]));
        Assert.Equal(200, await StatusAsync("GET", "files/share/a", null, null, Basic("", link)));
        Assert.Equal(200, await StatusAsync("GET", "files/share/a", null, null, Basic(link, "")));
        Assert.Equal(403, await StatusAsync("GET", "files/secret", null, null, Basic("anyone", link)));
        Assert.Equal(403, await StatusAsync("PUT", "files/share/new", null, Body(), Basic("anyone", link)));
        Assert.Equal(403, await StatusAsync("LOCK", "files/share/a", null, null, Basic("anyone", link)));
        Assert.Equal(403, await StatusAsync("GET", "files/share/a", null, null, Basic("anyone", link + "x")));

        // The name is the link where it has a password of its own.
        Assert.Equal(200, await StatusAsync("GET", "files/share/a", null, null, Basic(locked, "s3:cret")));
        Assert.Equal(401, await StatusAsync("GET", "files/share/a", null, null, Basic(locked, "other")));
        Assert.Equal(401, await StatusAsync("GET", "files/share/a", null, null, Basic("anyone", locked)));
        Assert.Equal(201, await StatusAsync("PUT", "files/share/dropped", null, Body(), Basic("anyone", drop)));
        Assert.Equal(403, await StatusAsync("PROPFIND", "files/share/", null, null, [Basic("anyone", drop), .. depth]));

        // As any password by Basic: not from another machine in the clear, and not from another site's page.
        Assert.Equal(403, await StatusAsync("GET", "files/share/a", null, null, Basic("anyone", link), ("X-Forwarded-For", "192.0.2.1")));
        Assert.Equal(403, await StatusAsync("GET", "files/share/a", null, null, Basic("anyone", link), ("Sec-Fetch-Site", "cross-site")));

        static (string, string) Basic(string name, string password) =>
            ("Authorization", "Basic " + Convert.ToBase64String(Encoding.UTF8.GetBytes($"{name}:{password}")));
    }

    [Fact]
    public async Task Links_send_no_batches()
    {
        string[] links = [await PrepareAsync(), await PrepareAsync(drop: true)];
        string signed = SignedLink.CreateQuery(await Tokens.GetLinkKeyAsync(), "PUT", TransferName.Parse("share"), DateTimeOffset.UtcNow.AddHours(1));
        byte[] body = Batch.Joined(Batch.File("new", [1]));
        foreach (string query in (string[])[$"batch&mr-link={links[0]}", $"batch&mr-link={links[1]}", $"batch&{signed}"])
        {
            using HttpResponseMessage response = await Batch.PostAsync(Server.Client, $"files/share/?{query}", body);
            Assert.Equal(HttpStatusCode.Forbidden, response.StatusCode);
        }

        foreach (string link in links)
        {
            using HttpResponseMessage response = await Batch.PostAsync(Server.Client, "files/share/?batch", body, ("Authorization", $"Bearer {link}"));
            Assert.Equal(HttpStatusCode.Forbidden, response.StatusCode);
            await Batch.AskAsync(Server.Client, "files/share/?batch=get", Batch.Name("a"), ("Authorization", $"Bearer {link}")).AnswersAsync(HttpStatusCode.Forbidden);
            await Batch.AskAsync(Server.Client, $"files/share/?batch=get&mr-link={link}", Batch.Name("a")).AnswersAsync(HttpStatusCode.Forbidden);
        }

        Assert.False(File.Exists(PathOf("share/new")));
    }

    [Fact]
    public async Task Drop_link_takes_new_files_in_every_protocol_and_shows_nothing()
    {
        string link = await PrepareAsync(drop: true);
        Assert.Equal(201, await StatusAsync("PUT", "files/share/new", link, Body()));
        Assert.Equal(201, await StatusAsync("PUT", $"files/share/Anna/new?mr-link={link}", null, Body()));
        Assert.Equal(409, await StatusAsync("PUT", "files/share/new", link, Body()));
        Assert.Equal(409, await StatusAsync("PUT", "files/share/a", link, Body(), ("If-Match", "*")));
        Assert.Equal(Small, await File.ReadAllBytesAsync(PathOf("share/a")));
        foreach ((string method, string path) in new[]
            {
                ("GET", "share/"), ("GET", "share/a"), ("HEAD", "share/a"), ("GET", "share/new"), ("DELETE", "share/new"), ("MKCOL", "share/made"), ("MOVE", "share/new"), ("GET", "share/?archive=zip"),
                ("GET", "share/a?blocks"), ("PUT", "other"), ("PROPFIND", "share/"), ("PROPPATCH", "share/a"), ("LOCK", "share/free"), ("COPY", "share/a"),
            })
        {
            Assert.Equal(403, await StatusAsync(method, $"files/{path}", link, method == "PUT" ? Body() : null, method is "MOVE" or "COPY" ? [("Destination", "/files/share/moved")] : method == "PROPFIND" ? [("Depth", "1")] : []));
        }

        (string, string)[] tus = [("Tus-Resumable", "1.0.0"), ("Upload-Length", "3")];
        using HttpResponseMessage started = await SendAsync("POST", "uploads", link, null, [.. tus, Metadata("share/tus")]);
        Assert.Equal(HttpStatusCode.Created, started.StatusCode);
        string upload = started.Headers.Location!.ToString();
        Assert.Equal(412, await StatusAsync("POST", "uploads", link, null, [.. tus, Metadata("share/a")]));
        Assert.Equal(403, await StatusAsync("POST", "uploads", link, null, [.. tus, Metadata("other")]));
        Assert.Equal(403, await StatusAsync("POST", "uploads", link, null, [.. tus, ("Upload-Concat", "partial")]));
        var part = Body();
        part.Headers.ContentType = new MediaTypeHeaderValue("application/offset+octet-stream");
        Assert.Equal(403, await StatusAsync("HEAD", upload, await PrepareAsync(drop: true), null, ("Tus-Resumable", "1.0.0")));
        Assert.Equal(204, await StatusAsync("PATCH", upload, link, part, ("Tus-Resumable", "1.0.0"), ("Upload-Offset", "0")));
        Assert.Equal(201, await StatusAsync("PUT", "files/share/draft", link, Body(), ("Upload-Complete", "?1")));

        (string, string) metadata = ("authorization", $"Bearer {link}");
        (await CallAsync("Upload", Frames.Upload("share/grpc", [1]), metadata)).Only(Messages.UploadStatus.Parser);
        (await CallAsync("Upload", Frames.Upload("share/a", [1]), metadata)).Failed(6, TransferError.AlreadyExists);
        (await CallAsync("StartUpload", new StartUploadRequest { Name = "share/a", Length = 1 }, metadata)).Failed(6, TransferError.AlreadyExists);
        (await CallAsync("List", new ListRequest { Folder = "share" }, metadata)).Failed(7, TransferError.Forbidden);
        Assert.Equal(
            ["Anna/new", "a", "draft", "grpc", "new", "sub/b", "tus"],
            Directory.GetFiles(PathOf("share"), "*", SearchOption.AllDirectories).Select(path => Path.GetRelativePath(PathOf("share"), path)).Order(StringComparer.Ordinal));
    }

    private static (string, string) Metadata(string name) => ("Upload-Metadata", "filename " + Convert.ToBase64String(Encoding.UTF8.GetBytes(name)));

    [Fact]
    public async Task Wrong_secrets_open_nothing()
    {
        string link = await PrepareAsync();
        string changed = link[..^1] + (link[^1] == 'A' ? 'B' : 'A');
        foreach (string wrong in new[] { changed, link + ".1.x", link + ".9999999999.AAAAAAAAAAAAAAAAAAAAAA", "ml_", "", link[3..], link + "x", link.ToUpperInvariant() })
        {
            int status = await StatusAsync("GET", $"files/share/a?mr-link={wrong}", null);
            Assert.True(status == 403 || wrong.StartsWith(link + ".", StringComparison.Ordinal), $"{wrong}: {status}");
        }

        Assert.Equal(403, await StatusAsync("GET", $"files/share/a?mr-link={link}&mr-link={link}", null));
        Assert.Equal(403, await StatusAsync("GET", $"files/share/a?mr-link={link}", (await Tokens.AddAsync("two", TransferScope.All)).Secret));
        await Tokens.RevokeLinksAsync();
        Assert.Equal(403, await StatusAsync("GET", $"files/share/a?mr-link={link}", null));
    }

    [Fact]
    public async Task Revoked_link_opens_nothing_from_the_next_request_on()
    {
        string link = await PrepareAsync();
        string token = (await Tokens.AddAsync("two", TransferScope.All, TransferName.Parse("share"))).Secret;
        string elsewhere = (await Tokens.AddAsync("three", TransferScope.All, TransferName.Parse("other"))).Secret;
        Assert.Equal(200, await StatusAsync("GET", "files/share/a", link));
        using JsonDocument listed = JsonDocument.Parse(await (await SendAsync("GET", "links", token)).Content.ReadAsStringAsync());
        JsonElement only = listed.RootElement.GetProperty("links").EnumerateArray().Single();
        string id = only.GetProperty("id").GetString()!;
        Assert.Equal(("share", "read", 1), (only.GetProperty("folder").GetString(), only.GetProperty("kind").GetString(), only.GetProperty("uses").GetInt32()));
        Assert.DoesNotContain(id, link, StringComparison.Ordinal);
        Assert.Equal(404, await StatusAsync("DELETE", $"links/{id}", elsewhere));
        Assert.Equal(401, await StatusAsync("DELETE", $"links/{id}", null));
        Assert.Equal(404, await StatusAsync("DELETE", "links/..%2Ftokens", token));
        Assert.Equal(204, await StatusAsync("DELETE", $"links/{id}", token));
        Assert.Equal(404, await StatusAsync("DELETE", $"links/{id}", token));
        Assert.Equal(403, await StatusAsync("GET", "files/share/a", link));
    }

    [Fact]
    public async Task Link_expires_and_no_later_than_its_token()
    {
        await PrepareAsync();
        var clock = new ManualClock();
        await ServeAsync(host: options => options.TimeProvider = clock);
        string token = (await new TokenStore(TokenStore.DefaultPath(Server.Folder), clock).AddAsync("two", TransferScope.All, lifetime: TimeSpan.FromHours(1))).Secret;
        Directory.CreateDirectory(PathOf("share"));
        Put("share/a", Small);
        (string url, _) = await MakeAsync(token, new { name = "share/", kind = "read", seconds = 7200 });
        Assert.Equal(200, await StatusAsync("GET", url, null));
        clock.Now += TimeSpan.FromMinutes(61);
        Assert.Equal(403, await StatusAsync("GET", url, null));
    }

    private async Task<(string Url, string Id)> MakeAsync(string token, object wanted)
    {
        using HttpResponseMessage response = await SendAsync("POST", "links", token, JsonContent.Create(wanted));
        string text = await response.Content.ReadAsStringAsync();
        Assert.True(response.StatusCode == HttpStatusCode.OK, text);
        using JsonDocument made = JsonDocument.Parse(text);
        return (made.RootElement.GetProperty("url").GetString()!, made.RootElement.GetProperty("id").GetString()!);
    }

    [Theory]
    [InlineData(TransferScope.Link | TransferScope.Read | TransferScope.List, "share/", "read", 200)]
    [InlineData(TransferScope.Link | TransferScope.Read, "share/", "read", 403)]
    [InlineData(TransferScope.Read | TransferScope.List, "share/", "read", 403)]
    [InlineData(TransferScope.Link | TransferScope.Write, "share", "drop", 200)]
    [InlineData(TransferScope.Link | TransferScope.Read | TransferScope.List, "share", "drop", 403)]
    [InlineData(TransferScope.All, "share/none", "read", 404)]
    [InlineData(TransferScope.All, "", "read", 403)]
    [InlineData(TransferScope.All, "secret", "read", 403)]
    [InlineData(TransferScope.All, "share", "write", 400)]
    public async Task Token_makes_links_to_what_it_may_do_itself(TransferScope scopes, string name, string kind, int status)
    {
        await PrepareAsync();
        string token = (await Tokens.AddAsync("two", scopes, TransferName.Parse("share"))).Secret;
        Assert.Equal(status, await StatusAsync("POST", "links", token, JsonContent.Create(new { name, kind, seconds = 60 })));
        Assert.Equal(status == 400 ? 400 : 401, await StatusAsync("POST", "links", null, JsonContent.Create(new { name, kind, seconds = 60 })));
    }

    [Fact]
    public async Task Grpc_makes_lists_and_revokes()
    {
        await PrepareAsync();
        foreach (FolderLink old in new[] { await OnlyAsync() })
        {
            await Links.RevokeAsync(old.Id);
        }

        (string, string) token = ("authorization", $"Bearer {(await Tokens.AddAsync("two", TransferScope.All)).Secret}");
        CreateLinkResponse made = (await CallAsync(
            "CreateLink", new CreateLinkRequest { Folder = "share", IsDrop = true, Seconds = 60, MaxUses = 2, MaxBytes = 10, Password = "x", AsksName = true }, token))
            .Only(CreateLinkResponse.Parser);
        Assert.StartsWith("/files/share/?mr-link=ml_", made.Url, StringComparison.Ordinal);
        GrpcReply listed = await CallAsync("ListLinks", new ListLinksRequest(), token);
        Link link = Assert.Single(listed.Messages.Select(static one => Link.Parser.ParseFrom(one)));
        Assert.Equal(made.Link, link);
        Assert.Equal((true, true, true, 2L, 10L, "two"), (link.IsDrop, link.HasPassword, link.AsksName, link.MaxUses, link.MaxBytes, link.Owner));
        (await CallAsync("RevokeLink", new RevokeLinkRequest { Id = link.Id }, token)).Only(RevokeLinkResponse.Parser);
        (await CallAsync("RevokeLink", new RevokeLinkRequest { Id = link.Id }, token)).Failed(5, TransferError.NotFound);
    }

    [Fact]
    public async Task Downloads_at_once_never_exceed_the_number()
    {
        string link = await PrepareAsync(uses: 5);
        int[] answers = await Task.WhenAll(Enumerable.Range(0, 40).Select(i => StatusAsync("GET", $"files/share/{(i % 2 == 0 ? "a" : "sub/b")}", link)));
        Assert.Equal((5, 35), (answers.Count(static status => status == 200), answers.Count(static status => status == 403)));
        FolderLink counted = await OnlyAsync();
        Assert.Equal((5, 5000), (counted.Uses, counted.Bytes));
        Assert.Equal(403, await StatusAsync("GET", "files/share/?archive=tar", link));
        Assert.Equal(200, await StatusAsync("GET", "files/share/", link));
        (await CallAsync("Download", new DownloadRequest { Name = "share/a" }, ("authorization", $"Bearer {link}"))).Failed(7, TransferError.Forbidden);
    }

    [Fact]
    public async Task Bytes_at_once_never_exceed_the_number()
    {
        string link = await PrepareAsync(bytes: 4500);
        int[] answers = await Task.WhenAll(Enumerable.Range(0, 20).Select(_ => StatusAsync("GET", "files/share/a", link)));
        Assert.Equal(4, answers.Count(static status => status == 200));
        Assert.Equal(4000, (await OnlyAsync()).Bytes);
        Assert.Equal(206, await StatusAsync("GET", "files/share/a", link, null, ("Range", "bytes=0-499")));
        Assert.Equal(403, await StatusAsync("GET", "files/share/a", link, null, ("Range", "bytes=0-0")));
        Assert.Equal(403, await StatusAsync("GET", "files/share/a", link, null, ("Range", "bytes=0-0,5-5")));
        Assert.Equal(200, await StatusAsync("HEAD", "files/share/a", link));
    }

    [Fact]
    public async Task Parts_of_a_download_count_once_and_no_more_than_the_file_twice()
    {
        string link = await PrepareAsync(uses: 2);
        foreach (string range in new[] { "bytes=500-", "bytes=0-499", "bytes=900-", "bytes=100-199,300-399" })
        {
            Assert.Equal(206, await StatusAsync("GET", "files/share/a", link, null, ("Range", range)));
        }

        Assert.Equal(1, (await OnlyAsync()).Uses);
        Assert.Equal(200, await StatusAsync("GET", "files/share/a", link));
        Assert.Equal(2, (await OnlyAsync()).Uses);

        // What broke off is sent once more, and no whole file is.
        Assert.Equal(206, await StatusAsync("GET", "files/share/a", link, null, ("Range", "bytes=1-")));
        Assert.Equal(403, await StatusAsync("GET", "files/share/a", link, null, ("Range", "bytes=0-")));
        Assert.Equal(403, await StatusAsync("GET", "files/share/sub/b", link, null, ("Range", "bytes=1-")));
        int more = 0;
        while (await StatusAsync("GET", "files/share/a", link, null, ("Range", "bytes=1-")) == 206)
        {
            Assert.True(++more < 3);
        }

        Assert.True((await OnlyAsync()).Bytes <= 2 * 2 * Small.Length);
    }

    [Fact]
    public async Task Archive_counts_once_and_each_byte_of_its_files()
    {
        string link = await PrepareAsync(uses: 2, bytes: 2500);
        Assert.Equal(200, await StatusAsync("HEAD", "files/share/?archive=zip", link));
        Assert.Equal(200, await StatusAsync("GET", "files/share/?archive=zip", link));
        await Bounded.UntilAsync(() => OnlyAsync().GetAwaiter().GetResult() is { Uses: 1, Bytes: 2000 });

        // The second one breaks off where the bytes end: it is not taken for whole.
        await Assert.ThrowsAnyAsync<Exception>(async () =>
        {
            using HttpResponseMessage cut = await SendAsync("GET", "files/share/?archive=tar", link);
            cut.EnsureSuccessStatusCode();
            await cut.Content.ReadAsByteArrayAsync();
        });
        Assert.True((await OnlyAsync()).Bytes <= 2500);
    }

    [Fact]
    public async Task Drops_at_once_never_exceed_the_limits_and_failed_ones_do_not_count()
    {
        string link = await PrepareAsync(drop: true, uses: 4, bytes: 300);
        Assert.Equal(411, await StatusAsync("PUT", "files/share/chunked", link, new StreamContent(new OneWay(Content.Of(10)))));
        Assert.Equal(409, await StatusAsync("PUT", "files/share/a", link, Body(50)));
        Assert.Equal(400, await StatusAsync("PUT", "files/share/bad", link, Body(50), ("Repr-Digest", "sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:")));
        Assert.Equal((0, 0), (await OnlyAsync() is var none ? (none.Uses, none.Bytes) : default));
        int[] answers = await Task.WhenAll(Enumerable.Range(0, 20).Select(i => StatusAsync("PUT", $"files/share/new{i}", link, Body(50))));
        Assert.Equal(4, answers.Count(static status => status == 201));
        Assert.Equal((4, 200), (await OnlyAsync() is var four ? (four.Uses, four.Bytes) : default));

        string other = await PrepareAsync(drop: true, bytes: 100);
        Assert.Equal(403, await StatusAsync("PUT", "files/share/large", other, Body(101)));
        (string, string)[] tus = [("Tus-Resumable", "1.0.0"), Metadata("share/tus")];
        Assert.Equal(411, await StatusAsync("POST", "uploads", other, null, [.. tus, ("Upload-Defer-Length", "1")]));
        Assert.Equal(403, await StatusAsync("POST", "uploads", other, null, [.. tus, ("Upload-Length", "101")]));
        using HttpResponseMessage started = await SendAsync("POST", "uploads", other, null, [.. tus, ("Upload-Length", "100")]);
        Assert.Equal(HttpStatusCode.Created, started.StatusCode);
        Assert.Equal(403, await StatusAsync("PUT", "files/share/tiny", other, Body(1)));
        Assert.Equal(204, await StatusAsync("DELETE", started.Headers.Location!.ToString(), other, null, ("Tus-Resumable", "1.0.0")));
        Assert.Equal(201, await StatusAsync("PUT", "files/share/tiny", other, Body(100)));
    }

    /// <summary>A body of unknown length.</summary>
    private sealed class OneWay(byte[] content) : MemoryStream(content)
    {
        public override bool CanSeek => false;
    }

    [Fact]
    public async Task Password_is_needed_limited_and_remembered_for_hours_only()
    {
        string link = await PrepareAsync(password: "correct horse");
        var time = Stopwatch.StartNew();
        string Basic(string password) => "Basic " + Convert.ToBase64String(Encoding.UTF8.GetBytes($"x:{password}"));
        Assert.Equal(401, await StatusAsync("GET", $"files/share/a?mr-link={link}", null));
        Assert.Equal(401, await StatusAsync("GET", "files/share/a", link));
        Assert.Equal(401, await StatusAsync("GET", $"files/share/a?mr-link={link}", null, null, ("Authorization", Basic("wrong"))));
        Assert.Equal(200, await StatusAsync("GET", $"files/share/a?mr-link={link}", null, null, ("Authorization", Basic("correct horse"))));
        using HttpResponseMessage opened = await SendAsync("POST", "links/open", null, JsonContent.Create(new { secret = link, password = "correct horse" }));
        string secret = JsonDocument.Parse(await opened.Content.ReadAsStringAsync()).RootElement.GetProperty("secret").GetString()!;
        Assert.Equal(200, await StatusAsync("GET", $"files/share/a?mr-link={secret}", null));
        string[] parts = secret.Split('.');
        Assert.Equal(401, await StatusAsync("GET", $"files/share/a?mr-link={parts[0]}.{long.Parse(parts[1]) + 1}.{parts[2]}", null));
        string other = await PrepareAsync(password: "correct horse");
        Assert.Equal(401, await StatusAsync("GET", $"files/share/a?mr-link={other}.{parts[1]}.{parts[2]}", null));

        // A try is given back every six seconds, and comparing takes long on a slow machine, also before all have come.
        int[] answers = await Task.WhenAll(Enumerable.Range(0, 15).Select(
            i => StatusAsync("POST", "links/open", null, JsonContent.Create(new { secret = link, password = $"guess {i}" }))));
        Assert.InRange(answers.Count(static status => status == 401), 1, 10 + (int)(time.Elapsed.TotalSeconds / 6));
        Assert.Equal(15, answers.Count(static status => status is 401 or 429));

        // Those who have given it are not stopped by others who guess.
        Assert.Equal(200, await StatusAsync("GET", $"files/share/a?mr-link={secret}", null));
        string stored = string.Concat(Directory.GetFiles(Path.Combine(Server.Folder, ".millrace/links"), "*", SearchOption.AllDirectories).Select(File.ReadAllText));
        Assert.DoesNotContain("correct horse", stored, StringComparison.Ordinal);
        Assert.DoesNotContain(link[3..25], stored, StringComparison.Ordinal);
        Assert.Contains("600000", stored, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Session_describes_the_link_to_a_page()
    {
        string link = await PrepareAsync(drop: true, asks: true, uses: 3);
        string locked = await PrepareAsync(password: "x");
        using JsonDocument session = JsonDocument.Parse(await Server.Client.GetStringAsync($"session?mr-link={link}"));
        JsonElement root = session.RootElement;
        JsonElement of = root.GetProperty("link");
        Assert.Equal(("valid", "drop", true, true), (of.GetProperty("state").GetString(), of.GetProperty("kind").GetString(), of.GetProperty("asksName").GetBoolean(), of.GetProperty("limited").GetBoolean()));
        Assert.Equal(("share", "share", false), (root.GetProperty("prefix").GetString(), root.GetProperty("title").GetString(), root.GetProperty("signedIn").GetBoolean()));
        Assert.Equal(["write"], root.GetProperty("scopes").EnumerateArray().Select(static scope => scope.GetString()));
        foreach ((string secret, string state) in new[] { (locked, "locked"), ("ml_x", "invalid") })
        {
            using JsonDocument other = JsonDocument.Parse(await Server.Client.GetStringAsync($"session?mr-link={secret}"));
            Assert.Equal((state, "", 0), (
                other.RootElement.GetProperty("link").GetProperty("state").GetString(), other.RootElement.GetProperty("prefix").GetString(), other.RootElement.GetProperty("scopes").GetArrayLength()));
        }
    }

    [NeedsFact(Need.Links)]
    public async Task Links_in_the_folder_lead_no_further_than_it_and_than_its_maker()
    {
        string link = await PrepareAsync();
        File.CreateSymbolicLink(PathOf("share/out"), "../secret");
        Assert.Equal(403, await StatusAsync("GET", "files/share/out", link));
        string token = (await Tokens.AddAsync("two", TransferScope.All, TransferName.Parse("share"))).Secret;
        (string url, _) = await MakeAsync(token, new { name = "share/sub", kind = "read", seconds = 60 });
        Assert.Equal(200, await StatusAsync("GET", url, null));
        Directory.Delete(PathOf("share/sub"), recursive: true);
        Directory.CreateDirectory(PathOf("hidden"));
        Directory.CreateSymbolicLink(PathOf("share/sub"), "../hidden");
        Assert.Equal(403, await StatusAsync("GET", url, null));
    }

    [Fact]
    public async Task Pages_of_other_sites_drop_nothing()
    {
        string link = await PrepareAsync(drop: true);
        Assert.Equal(403, await StatusAsync("PUT", $"files/share/new?mr-link={link}", null, Body(), ("Sec-Fetch-Site", "cross-site"), ("Origin", "https://evil.example")));
        Assert.Equal(201, await StatusAsync("PUT", $"files/share/new?mr-link={link}", null, Body(), ("Sec-Fetch-Site", "same-origin")));
        Assert.Equal(403, await StatusAsync("POST", "links/open", null, JsonContent.Create(new { secret = link }), ("Sec-Fetch-Site", "cross-site"), ("Origin", "https://evil.example")));
    }

    [Fact]
    public async Task Browser_with_a_link_gets_the_page()
    {
        string drop = await PrepareAsync(drop: true);
        string locked = await PrepareAsync(password: "x");
        (string, string)[] browser = [("Accept", "text/html"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")];
        foreach ((string path, string secret, int status) in new[] { ("share/", drop, 200), ("", drop, 403), ("share/a", drop, 403), ("share/", locked, 401), ("share/a", locked, 401) })
        {
            using HttpResponseMessage response = await SendAsync("GET", $"files/{path}?mr-link={secret}", null, null, browser);
            string text = await response.Content.ReadAsStringAsync();
            Assert.Equal((status, "text/html"), ((int)response.StatusCode, response.Content.Headers.ContentType?.MediaType));
            Assert.Contains("/app.js", text, StringComparison.Ordinal);
            Assert.DoesNotContain("sub", text, StringComparison.Ordinal);
            Assert.DoesNotContain(response.Headers.WwwAuthenticate, static one => one.Scheme == "Basic");
        }
    }

    [Fact]
    public async Task Counts_and_links_outlive_the_server_and_signed_links_stay_valid()
    {
        string link = await PrepareAsync(uses: 2);
        string token = (await Tokens.AddAsync("two", TransferScope.All)).Secret;
        using HttpResponseMessage signed = await SendAsync("POST", "links", token, JsonContent.Create(new { name = "share/a", method = "GET", seconds = 60 }));
        string url = JsonDocument.Parse(await signed.Content.ReadAsStringAsync()).RootElement.GetProperty("url").GetString()!;
        Assert.Equal(200, await StatusAsync("GET", "files/share/a", link));
        await using (TransferServer second = await RestartAsync())
        {
            using var client = new HttpClient { BaseAddress = second.Address };
            client.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", link);
            await client.GetAsync("files/share/a").AnswersAsync(HttpStatusCode.OK);
            await client.GetAsync("files/share/a").AnswersAsync(HttpStatusCode.Forbidden);
            client.DefaultRequestHeaders.Authorization = null;
            await client.GetAsync(url).AnswersAsync(HttpStatusCode.OK);
            await second.StopAsync();
        }
    }

    private async Task<TransferServer> RestartAsync()
    {
        await Server.Server.StopAsync();
        return await TransferServer.StartAsync(new TransferHostOptions { Folder = Server.Folder, Port = 0, OfferHttp2Port = false });
    }

    [Theory]
    [InlineData("{}")]
    [InlineData("nonsense")]
    [InlineData("{\"version\":1,\"id\":\"ID\",\"folder\":\"../x\"}")]
    [InlineData("{\"version\":1,\"id\":\"ID\",\"folder\":\"share\",\"expires\":\"2999-01-01T00:00:00Z\",\"maxUses\":-1}")]
    [InlineData("{\"version\":1,\"id\":\"ID\",\"folder\":\"share\",\"expires\":\"2999-01-01T00:00:00Z\",\"password\":{\"rounds\":2000000000,\"salt\":\"AA==\",\"pbkdf2Sha256\":\"AA==\"}}")]
    [InlineData("{\"version\":2,\"id\":\"ID\",\"folder\":\"share\",\"expires\":\"2999-01-01T00:00:00Z\"}")]
    public async Task Damaged_document_opens_nothing_and_hides_no_other_link(string text)
    {
        string link = await PrepareAsync();
        FolderLink of = await OnlyAsync();
        await PrepareAsync();
        await File.WriteAllTextAsync(Path.Combine(Server.Folder, ".millrace/links", of.Id, ".millrace"), text.Replace("ID", of.Id, StringComparison.Ordinal));
        Assert.Equal(500, await StatusAsync("GET", "files/share/a", link));
        Assert.NotEqual(of.Id, (await OnlyAsync()).Id);
    }
}
