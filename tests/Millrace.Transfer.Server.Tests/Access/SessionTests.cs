using System.Diagnostics;
using System.Net.Http.Json;
using Millrace.Transfer.Messages;
using Millrace.Transfer.Server.Tests.Grpc;

namespace Millrace.Transfer.Server.Tests.Access;

/// <summary>A browser's session: what its cookie is, where it is accepted, and when it ends.</summary>
[NeedsLocalFolder]
public sealed class SessionTests : GrpcTest
{
    private static readonly (string, string) SameOrigin = ("Sec-Fetch-Site", "same-origin");

    /// <summary>Without a memory for cookies: every request brings the one that the test means.</summary>
    private static readonly HttpClient WithoutCookies = new(new SocketsHttpHandler { UseCookies = false });

    private TokenStore Tokens => new(TokenStore.DefaultPath(Server.Folder));

    private string Origin => Server.Server.Address.GetLeftPart(UriPartial.Authority);

    [Fact]
    public async Task Token_is_exchanged_for_a_random_id()
    {
        string token = (await Tokens.AddAsync("one", TransferScope.All)).Secret;
        using HttpResponseMessage first = await SignInAsync(token);
        using HttpResponseMessage second = await SignInAsync(token);

        Assert.Equal((HttpStatusCode.NoContent, true), (first.StatusCode, first.Headers.CacheControl?.NoStore));
        string field = first.Headers.GetValues("Set-Cookie").Single();
        Assert.Matches($"^millrace-{Server.Server.Address.Port}=[A-Za-z0-9_-]{{43}}; path=/; samesite=strict; httponly$", field);
        Assert.DoesNotContain(token, field, StringComparison.Ordinal);
        Assert.NotEqual(CookieOf(first), CookieOf(second));
    }

    [Fact]
    public async Task Session_does_what_its_token_may_and_no_more()
    {
        Directory.CreateDirectory(PathOf("in"));
        Put("in/a", [1]);
        Put("out", [2]);
        string cookie = await SessionAsync((await Tokens.AddAsync("one", TransferScope.Read | TransferScope.List, TransferName.Parse("in"))).Secret);

        Assert.Equal(200, await AskAsync("GET", "files/in/a", cookie));
        Assert.Equal(200, await AskAsync("GET", "files/in/", cookie));
        Assert.Equal(403, await AskAsync("GET", "files/out", cookie));
        Assert.Equal(403, await AskAsync("DELETE", "files/in/a", cookie, SameOrigin));
        Assert.Equal(401, await AskAsync("GET", "files/in/a", null));
        Assert.Equal(401, await AskAsync("GET", "files/in/a", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"));
        Assert.Equal(401, await AskAsync("GET", "files/in/a", "x y"));
    }

    [Fact]
    public async Task Description_says_what_the_page_may_do()
    {
        using JsonDocument open = await DescribeAsync(null);
        Assert.Equal((false, false), (Flag(open, "required"), Flag(open, "signedIn")));
        string token = (await Tokens.AddAsync("one", TransferScope.Read | TransferScope.List, TransferName.Parse("in"), TimeSpan.FromHours(1))).Secret;
        using JsonDocument stranger = await DescribeAsync(null);
        Assert.Equal((true, false, 0), (Flag(stranger, "required"), Flag(stranger, "signedIn"), stranger.RootElement.GetProperty("scopes").GetArrayLength()));

        using JsonDocument signedIn = await DescribeAsync(await SessionAsync(token));
        JsonElement root = signedIn.RootElement;
        Assert.Equal((true, true, false, true), (Flag(signedIn, "required"), Flag(signedIn, "signedIn"), Flag(signedIn, "canLink"), Flag(signedIn, "archives")));
        Assert.Equal(!TestedStore.IsBucket, Flag(signedIn, "folderMoves"));
        Assert.Equal(("one", "in", "/uploads"), (root.GetProperty("name").GetString(), root.GetProperty("prefix").GetString(), root.GetProperty("uploads").GetString()));
        Assert.Equal(["read", "list"], root.GetProperty("scopes").EnumerateArray().Select(static scope => scope.GetString()));
        Assert.True(root.GetProperty("expires").GetDateTimeOffset() < DateTimeOffset.UtcNow + TimeSpan.FromHours(2));
    }

    [Fact]
    public async Task Wrong_token_and_wrong_request_get_no_session()
    {
        await Tokens.AddAsync("one", TransferScope.All);
        using HttpResponseMessage wrong = await SignInAsync("mr_wrong");
        Assert.Equal((HttpStatusCode.Unauthorized, false), (wrong.StatusCode, wrong.Headers.Contains("Set-Cookie")));
        foreach ((HttpContent content, HttpStatusCode status) in new (HttpContent, HttpStatusCode)[]
            {
                (new StringContent("{}", Encoding.UTF8, "application/json"), HttpStatusCode.BadRequest),
                (new StringContent("{\"token\":1}", Encoding.UTF8, "application/json"), HttpStatusCode.BadRequest),
                (new StringContent("x", Encoding.UTF8, "application/json"), HttpStatusCode.BadRequest),
                (new StringContent("{\"token\":\"x\"}", Encoding.UTF8, "text/plain"), HttpStatusCode.UnsupportedMediaType),
                (new FormUrlEncodedContent([new("token", "x")]), HttpStatusCode.UnsupportedMediaType),
                (new StringContent($"{{\"token\":\"{new string('x', 20_000)}\"}}", Encoding.UTF8, "application/json"), HttpStatusCode.RequestEntityTooLarge),
            })
        {
            using HttpResponseMessage response = await Server.Client.PostAsync("session", content);
            Assert.Equal(status, response.StatusCode);
        }

        Assert.Equal(405, await AskAsync("PUT", "session", null));
    }

    [Fact]
    public async Task Wrong_tokens_of_one_address_are_limited_and_the_right_one_still_signs_in()
    {
        string token = (await Tokens.AddAsync("one", TransferScope.All)).Secret;
        var answers = new List<HttpStatusCode>();
        var time = Stopwatch.StartNew();
        for (int i = 0; i < 25; i++)
        {
            using HttpResponseMessage response = await SignInAsync("mr_guess");
            answers.Add(response.StatusCode);
            Assert.Equal(response.StatusCode == HttpStatusCode.TooManyRequests, response.Headers.RetryAfter is not null);
        }

        // A try is given back every three seconds.
        Assert.InRange(answers.Count(static status => status == HttpStatusCode.Unauthorized), 20, 20 + (int)(time.Elapsed.TotalSeconds / 3));
        Assert.Equal(25, answers.Count(static status => status is HttpStatusCode.Unauthorized or HttpStatusCode.TooManyRequests));
        using HttpResponseMessage late = await SignInAsync(token);
        Assert.Equal(HttpStatusCode.NoContent, late.StatusCode);
    }

    [Fact]
    public async Task Session_ends_when_its_token_is_removed_even_if_another_gets_the_name()
    {
        Put("a", [1]);
        string cookie = await SessionAsync((await Tokens.AddAsync("one", TransferScope.All)).Secret);
        await Tokens.AddAsync("other", TransferScope.All);
        Assert.Equal(200, await AskAsync("GET", "files/a", cookie));
        await Tokens.RemoveAsync("one");
        Assert.Equal(401, await AskAsync("GET", "files/a", cookie));
        await Tokens.AddAsync("one", TransferScope.All);
        Assert.Equal(401, await AskAsync("GET", "files/a", cookie));
    }

    [Fact]
    public async Task Session_ends_with_sign_out_and_not_before()
    {
        Put("a", [1]);
        string cookie = await SessionAsync((await Tokens.AddAsync("one", TransferScope.All)).Secret);
        Assert.Equal(403, await AskAsync("DELETE", "session", cookie, ("Sec-Fetch-Site", "same-site")));
        Assert.Equal(403, await AskAsync("DELETE", "session", cookie));
        Assert.Equal(200, await AskAsync("GET", "files/a", cookie));

        using HttpResponseMessage response = await SendAsync("DELETE", "session", cookie, SameOrigin);
        Assert.Equal(HttpStatusCode.NoContent, response.StatusCode);
        Assert.Contains("expires=Thu, 01 Jan 1970", response.Headers.GetValues("Set-Cookie").Single(), StringComparison.Ordinal);
        Assert.Equal("\"cache\"", response.Field("Clear-Site-Data"));
        Assert.Equal(401, await AskAsync("GET", "files/a", cookie));
        Assert.Equal(204, await AskAsync("DELETE", "session", null));
    }

    [Fact]
    public async Task Session_ends_with_sign_out_although_the_tokens_cannot_be_read()
    {
        Put("a", [1]);
        string cookie = await SessionAsync((await Tokens.AddAsync("one", TransferScope.All)).Secret);
        byte[] tokens = await File.ReadAllBytesAsync(Tokens.Path);
        await File.WriteAllTextAsync(Tokens.Path, "damaged");

        using HttpResponseMessage response = await SendAsync("DELETE", "session", cookie, SameOrigin);

        Assert.Equal(HttpStatusCode.NoContent, response.StatusCode);
        Assert.Contains("expires=Thu, 01 Jan 1970", response.Headers.GetValues("Set-Cookie").Single(), StringComparison.Ordinal);
        await File.WriteAllBytesAsync(Tokens.Path, tokens);
        Assert.Equal(401, await AskAsync("GET", "files/a", cookie));
    }

    [Theory]
    [InlineData(13, 0, 401)]
    [InlineData(11, 0, 200)]
    [InlineData(11, 17, 401)]
    public async Task Session_ends_when_it_is_idle_or_after_a_week(int hours, int more, int status)
    {
        var clock = new ManualClock();
        await ServeAsync(host: options => options.TimeProvider = clock);
        Put("a", [1]);
        string cookie = await SessionAsync((await Tokens.AddAsync("one", TransferScope.All)).Secret);
        for (int i = 0; i <= more; i++)
        {
            clock.Advance(TimeSpan.FromHours(hours));
            int answer = await AskAsync("GET", "files/a", cookie);
            Assert.True(i < more ? answer is 200 or 401 : answer == status, $"{answer} after {i + 1} times {hours} hours");
        }
    }

    [Fact]
    public async Task Signing_in_never_keeps_an_id_that_the_request_brought()
    {
        Put("a", [1]);
        string mine = (await Tokens.AddAsync("mine", TransferScope.Read)).Secret;
        string victims = (await Tokens.AddAsync("victims", TransferScope.All)).Secret;
        string planted = await SessionAsync(mine);

        using HttpResponseMessage response = await SignInAsync(victims, ("Cookie", CookieField(planted)));

        Assert.NotEqual(planted, CookieOf(response));
        Assert.Equal(401, await AskAsync("GET", "files/a", planted));
        Assert.Equal(204, await AskAsync("DELETE", "files/a", CookieOf(response), SameOrigin));
    }

    [Fact]
    public async Task Sessions_of_a_token_are_limited_and_do_not_end_those_of_another()
    {
        Put("a", [1]);
        var store = new SessionStore(Microsoft.Extensions.Options.Options.Create(new TransferAccessOptions { Tokens = Tokens }), TimeProvider.System);
        CreatedToken one = await Tokens.AddAsync("one", TransferScope.All);
        CreatedToken other = await Tokens.AddAsync("other", TransferScope.All);
        string kept = store.Begin(other.Secret, other.Token);
        string[] ids = [.. Enumerable.Range(0, 51).Select(_ => store.Begin(one.Secret, one.Token))];

        Assert.NotNull(await store.RetrieveAsync(kept));
        int living = 0;
        foreach (string id in ids)
        {
            living += await store.RetrieveAsync(id) is null ? 0 : 1;
        }

        Assert.Equal(50, living);
        Assert.NotNull(await store.RetrieveAsync(ids[^1]));
    }

    [Theory]
    [InlineData("Sec-Fetch-Site", "cross-site")]
    [InlineData("Sec-Fetch-Site", "same-site")]
    [InlineData("Sec-Fetch-Site", "none")]
    [InlineData("Origin", "http://localhost:1")]
    [InlineData("Origin", "http://example.org")]
    [InlineData("Origin", "null")]
    [InlineData("X-Nothing", "x")]
    public async Task Changes_by_cookie_need_a_proof_of_their_origin(string field, string value)
    {
        Put("a", [1]);
        string cookie = await SessionAsync((await Tokens.AddAsync("one", TransferScope.All)).Secret);
        foreach ((string method, string path) in new[]
            { ("PUT", "files/b"), ("DELETE", "files/a"), ("MOVE", "files/a"), ("MKCOL", "files/c/"), ("POST", "uploads"), ("POST", "links") })
        {
            using HttpResponseMessage refused = await SendAsync(
                method, path, cookie, (field, value), ("Destination", "/files/b"), ("Tus-Resumable", "1.0.0"), ("Upload-Length", "1"),
                ("Upload-Metadata", "filename eA=="));
            Assert.True(refused.StatusCode == HttpStatusCode.Forbidden, $"{method} {path}: {refused.StatusCode}");
        }

        Assert.Equal(["a"], Directory.GetFiles(Server.Folder).Select(Path.GetFileName));
        Assert.Equal(403, await AskAsync("POST", "session", null, ("Sec-Fetch-Site", "cross-site")));
        using HttpResponseMessage foreign = await SignInAsync("x", ("Origin", "http://example.org"));
        Assert.Equal(HttpStatusCode.Forbidden, foreign.StatusCode);
    }

    [Fact]
    public async Task Page_of_the_server_may_change_by_cookie()
    {
        Put("a", [1]);
        string cookie = await SessionAsync((await Tokens.AddAsync("one", TransferScope.All)).Secret);
        Assert.Equal(201, await AskAsync("MOVE", "files/a", cookie, SameOrigin, ("Destination", "/files/b")));
        Assert.Equal(201, await AskAsync("MOVE", "files/b", cookie, ("Origin", Origin), ("Destination", "/files/c")));
        Assert.Equal(201, await AskAsync("POST", "uploads", cookie, SameOrigin, ("Tus-Resumable", "1.0.0"), ("Upload-Length", "1"), ("Upload-Metadata", "filename eA==")));
        Assert.Equal(200, await AskAsync("GET", "files/c", cookie));
        Assert.Equal(200, await AskAsync("GET", "files/c", cookie, ("Sec-Fetch-Site", "none"), ("Sec-Fetch-Mode", "navigate")));
    }

    [Theory]
    [InlineData("same-site", "no-cors")]
    [InlineData("cross-site", "cors")]
    [InlineData("same-site", "navigate", "iframe")]
    [InlineData("same-site", "navigate", "embed")]
    [InlineData("same-site", "navigate")]
    public async Task Foreign_pages_read_nothing_by_cookie(string site, string mode, string destination = "")
    {
        Put("a", [1]);
        string cookie = await SessionAsync((await Tokens.AddAsync("one", TransferScope.All)).Secret);
        Assert.Equal(403, await AskAsync("GET", "files/a", cookie, ("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", mode), ("Sec-Fetch-Dest", destination)));
    }

    [Theory]
    [InlineData("same-site")]
    [InlineData("cross-site")]
    public async Task Link_of_a_foreign_page_opens_a_file(string site)
    {
        Put("a", [1]);
        string cookie = await SessionAsync((await Tokens.AddAsync("one", TransferScope.All)).Secret);
        Assert.Equal(200, await AskAsync("GET", "files/a", cookie, ("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")));
    }

    [Fact]
    public async Task Cookie_of_another_port_or_form_is_no_session()
    {
        Put("a", [1]);
        string cookie = await SessionAsync((await Tokens.AddAsync("one", TransferScope.All)).Secret);
        int port = Server.Server.Address.Port;
        foreach (string name in new[] { $"millrace-{port + 1}", "millrace", $"__Host-millrace-{port}", $"Millrace-{port}x" })
        {
            using HttpResponseMessage response = await SendAsync("GET", "files/a", null, ("Cookie", $"{name}={cookie}"));
            Assert.Equal(HttpStatusCode.Unauthorized, response.StatusCode);
        }
    }

    [Fact]
    public async Task Grpc_accepts_no_session()
    {
        Put("a", [1]);
        string cookie = await SessionAsync((await Tokens.AddAsync("one", TransferScope.All)).Secret);
        foreach (GrpcForm form in Enum.GetValues<GrpcForm>())
        {
            (await CallAsync(form, "Stat", Frames.Of(new StatRequest { Name = "a" }), ("cookie", CookieField(cookie)), ("sec-fetch-site", "same-origin")))
                .Failed(16, TransferError.Unauthorized);
        }
    }

    [Fact]
    public async Task Grpc_call_does_not_keep_a_session_alive()
    {
        var clock = new ManualClock();
        await ServeAsync(host: options => options.TimeProvider = clock);
        Put("a", [1]);
        string cookie = await SessionAsync((await Tokens.AddAsync("one", TransferScope.All)).Secret);
        clock.Advance(TimeSpan.FromHours(11));
        (await CallAsync("QueryUpload", new QueryUploadRequest { Upload = UploadId.Next().Value }, ("cookie", CookieField(cookie)), ("sec-fetch-site", "same-origin")))
            .Failed(16, TransferError.Unauthorized);
        clock.Advance(TimeSpan.FromHours(2));
        Assert.Equal(401, await AskAsync("GET", "files/a", cookie));
    }

    [Fact]
    public async Task Token_comes_before_the_cookie()
    {
        Put("a", [1]);
        string cookie = await SessionAsync((await Tokens.AddAsync("one", TransferScope.All)).Secret);
        Assert.Equal(401, await AskAsync("GET", "files/a", cookie, ("Authorization", "Bearer mr_wrong")));
        using HttpResponseMessage response = await SendAsync("GET", "session", cookie, ("Authorization", "Bearer mr_wrong"));
        using JsonDocument description = JsonDocument.Parse(await response.Content.ReadAsStringAsync());
        Assert.False(Flag(description, "signedIn"));
    }

    [Theory]
    [InlineData("GET", 3600, 200)]
    [InlineData("PUT", 604_800, 200)]
    [InlineData("GET", 0, 400)]
    [InlineData("GET", 604_801, 400)]
    [InlineData("DELETE", 60, 400)]
    public async Task Link_is_signed_for_a_method_and_a_time(string method, long seconds, int status)
    {
        Put("a b", [1]);
        string token = (await Tokens.AddAsync("one", TransferScope.All)).Secret;
        using HttpResponseMessage response = await LinkAsync(token, "a b", method, seconds);
        Assert.Equal(status, (int)response.StatusCode);
        if (status == 200)
        {
            using JsonDocument link = JsonDocument.Parse(await response.Content.ReadAsStringAsync());
            string url = link.RootElement.GetProperty("url").GetString()!;
            Assert.StartsWith("/files/a%20b?", url, StringComparison.Ordinal);
            using HttpResponseMessage got = await Server.Client.GetAsync(url);
            Assert.Equal(method == "GET" ? HttpStatusCode.OK : HttpStatusCode.Forbidden, got.StatusCode);
        }
    }

    [Theory]
    [InlineData(TransferScope.Read | TransferScope.Write | TransferScope.List | TransferScope.Delete, "in/a", "GET")]
    [InlineData(TransferScope.Link | TransferScope.Write, "in/a", "GET")]
    [InlineData(TransferScope.Link | TransferScope.Read, "in/a", "PUT")]
    [InlineData(TransferScope.All, "out", "GET")]
    public async Task Link_needs_its_scope_and_what_it_allows(TransferScope scopes, string name, string method)
    {
        string token = (await Tokens.AddAsync("one", scopes, TransferName.Parse("in"))).Secret;
        using HttpResponseMessage response = await LinkAsync(token, name, method, 60);
        Assert.Equal(HttpStatusCode.Forbidden, response.StatusCode);
    }

    [Fact]
    public async Task Link_ends_with_its_token_and_is_not_for_servers_without_tokens()
    {
        using HttpResponseMessage open = await LinkAsync(null, "a", "GET", 60);
        Assert.Equal(HttpStatusCode.Forbidden, open.StatusCode);
        CreatedToken token = await Tokens.AddAsync("one", TransferScope.All, lifetime: TimeSpan.FromMinutes(1));
        using HttpResponseMessage response = await LinkAsync(token.Secret, "a", "GET", 3600);
        using JsonDocument link = JsonDocument.Parse(await response.Content.ReadAsStringAsync());
        Assert.True(link.RootElement.GetProperty("expires").GetDateTimeOffset() <= token.Token.Expires);
        using HttpResponseMessage anonymous = await LinkAsync(null, "a", "GET", 60);
        Assert.Equal(HttpStatusCode.Unauthorized, anonymous.StatusCode);
    }

    [Fact]
    public async Task Link_is_signed_with_the_key_that_exists_while_somebody_changes_the_tokens()
    {
        string token = (await Tokens.AddAsync("one", TransferScope.All)).Secret;
        await Tokens.GetLinkKeyAsync();
        using FileStream held = new(Tokens.Path + ".lock", FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);

        using HttpResponseMessage response = await LinkAsync(token, "a", "GET", 60);

        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
    }

    [Fact]
    public async Task Key_that_cannot_be_made_names_no_path_of_the_server()
    {
        string token = (await Tokens.AddAsync("one", TransferScope.All)).Secret;
        File.Delete(Tokens.Path + ".lock");
        Directory.CreateDirectory(Tokens.Path + ".lock");

        using HttpResponseMessage response = await LinkAsync(token, "a", "GET", 60);

        string body = await response.Content.ReadAsStringAsync();
        Assert.Equal(HttpStatusCode.InternalServerError, response.StatusCode);
        Assert.Contains("cannot create the key for signing links", body, StringComparison.Ordinal);
        Assert.DoesNotContain("tokens.json", body, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Copy_of_shared_tokens_signs_only_with_the_key_that_it_brings()
    {
        using var folder = new TemporaryFolder();
        var shared = new TokenStore(folder["tokens.json"]);
        string token = (await shared.AddAsync("one", TransferScope.All)).Secret;
        byte[] before = await File.ReadAllBytesAsync(shared.Path);
        await ServeAsync(host: options => (options.TokensPath, options.TokensReadOnly) = (shared.Path, true));
        string cookie = await SessionAsync(token);

        using JsonDocument without = await DescribeAsync(cookie);
        Assert.False(Flag(without, "canLink"));
        using HttpResponseMessage refused = await LinkAsync(token, "a", "GET", 60);
        Assert.Equal(HttpStatusCode.Forbidden, refused.StatusCode);
        Assert.Contains("TokenStore.GetLinkKeyAsync", await refused.Content.ReadAsStringAsync(), StringComparison.Ordinal);
        Assert.Equal(before, await File.ReadAllBytesAsync(shared.Path));

        await shared.GetLinkKeyAsync();
        using JsonDocument with = await DescribeAsync(cookie);
        Assert.True(Flag(with, "canLink"));
        using HttpResponseMessage signed = await LinkAsync(token, "a", "GET", 60);
        Assert.Equal(HttpStatusCode.OK, signed.StatusCode);
    }

    [Fact]
    public async Task Behind_https_the_cookie_is_secure_and_bound_to_the_host()
    {
        await ServeAsync(host: static options => options.PublicUrl = new Uri("https://files.example.org"));
        string token = (await Tokens.AddAsync("one", TransferScope.All)).Secret;
        using HttpResponseMessage response = await SignInAsync(token, ("Origin", "https://files.example.org"));
        Assert.Matches(
            "^__Host-millrace-443=[A-Za-z0-9_-]{43}; path=/; secure; samesite=strict; httponly$",
            response.Headers.GetValues("Set-Cookie").Single());
        using HttpResponseMessage linked = await LinkAsync(token, "a", "GET", 60);
        using JsonDocument link = JsonDocument.Parse(await linked.Content.ReadAsStringAsync());
        Assert.StartsWith("https://files.example.org/files/a?", link.RootElement.GetProperty("url").GetString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("files.example.org", "https://files.example.org", "https://files.example.org")]
    [InlineData("files.example.org:8443", "https://files.example.org:8443", "https://files.example.org:8443")]
    [InlineData("inner:8080", "https://files.example.org", "https://files.example.org", "same-origin")]
    public async Task Sign_in_behind_a_proxy_that_ends_TLS_needs_the_public_url(string host, string origin, string named, string? site = null)
    {
        string token = (await Tokens.AddAsync("one", TransferScope.All)).Secret;
        (string, string)[] fields = [("Host", host), ("Origin", origin), .. site is null ? [] : new[] { ("Sec-Fetch-Site", site) }];
        using HttpResponseMessage response = await SignInAsync(token, fields);
        Assert.Equal((HttpStatusCode.Forbidden, false), (response.StatusCode, response.Headers.Contains("Set-Cookie")));
        Assert.Contains($"TransferAccessOptions.PublicUrl {named}", await response.Content.ReadAsStringAsync(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Sign_in_without_TLS_is_refused_where_the_cookie_would_be_lost()
    {
        await ServeAsync(host: static options => options.PublicUrl = new Uri("https://files.example.org"));
        string token = (await Tokens.AddAsync("one", TransferScope.All)).Secret;
        using HttpResponseMessage response = await SignInAsync(token, ("Origin", Origin), SameOrigin);
        Assert.Equal((HttpStatusCode.Forbidden, false), (response.StatusCode, response.Headers.Contains("Set-Cookie")));
        Assert.Contains("https://files.example.org", await response.Content.ReadAsStringAsync(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("files.example.org", 80)]
    [InlineData("files.example.org:8081", 8081)]
    public async Task Cookie_has_the_port_that_the_browser_asks(string host, int port)
    {
        Put("a", [1]);
        string token = (await Tokens.AddAsync("one", TransferScope.All)).Secret;
        using HttpResponseMessage response = await SignInAsync(token, ("Host", host));
        string cookie = response.Headers.GetValues("Set-Cookie").Single().Split(';')[0];
        Assert.StartsWith($"millrace-{port}=", cookie, StringComparison.Ordinal);
        Assert.Equal(200, await AskAsync("GET", "files/a", null, ("Host", host), ("Cookie", cookie)));
        Assert.Equal(401, await AskAsync("GET", "files/a", null, ("Cookie", cookie)));
        using HttpResponseMessage ended = await SendAsync("DELETE", "session", null, ("Host", host), ("Cookie", cookie), SameOrigin);
        Assert.StartsWith($"millrace-{port}=;", ended.Headers.GetValues("Set-Cookie").Single(), StringComparison.Ordinal);
    }

    private static bool Flag(JsonDocument document, string name) => document.RootElement.GetProperty(name).GetBoolean();

    private static string CookieOf(HttpResponseMessage response) =>
        response.Headers.GetValues("Set-Cookie").Single().Split(';')[0].Split('=')[1];

    private string CookieField(string id) => $"millrace-{Server.Server.Address.Port}={id}";

    private async Task<string> SessionAsync(string token)
    {
        using HttpResponseMessage response = await SignInAsync(token);
        Assert.Equal(HttpStatusCode.NoContent, response.StatusCode);
        return CookieOf(response);
    }

    private async Task<HttpResponseMessage> SignInAsync(string token, params (string Name, string Value)[] fields)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, new Uri(Server.Server.Address, "session"))
        {
            Content = JsonContent.Create(new { token }),
        };
        return await SendAsync(request, fields);
    }

    private async Task<HttpResponseMessage> LinkAsync(string? token, string name, string method, long seconds)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, new Uri(Server.Server.Address, "links"))
        {
            Content = JsonContent.Create(new { name, method, seconds }),
        };
        return await SendAsync(request, token is null ? [] : [("Authorization", $"Bearer {token}")]);
    }

    private async Task<JsonDocument> DescribeAsync(string? cookie)
    {
        using HttpResponseMessage response = await SendAsync("GET", "session", cookie);
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        return JsonDocument.Parse(await response.Content.ReadAsStringAsync());
    }

    private async Task<int> AskAsync(string method, string path, string? cookie, params (string Name, string Value)[] fields)
    {
        using HttpResponseMessage response = await SendAsync(method, path, cookie, fields);
        return (int)response.StatusCode;
    }

    private async Task<HttpResponseMessage> SendAsync(
        string method, string path, string? cookie, params (string Name, string Value)[] fields)
    {
        using var request = new HttpRequestMessage(new HttpMethod(method), new Uri(Server.Server.Address, path));
        if (path == "links")
        {
            request.Content = JsonContent.Create(new { name = "a", method = "GET", seconds = 60 });
        }

        return await SendAsync(request, cookie is null ? fields : [("Cookie", CookieField(cookie)), .. fields]);
    }

    private static async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, (string Name, string Value)[] fields)
    {
        foreach ((string name, string value) in fields)
        {
            Assert.True(request.Headers.TryAddWithoutValidation(name, value));
        }

        return await WithoutCookies.SendAsync(request);
    }
}
