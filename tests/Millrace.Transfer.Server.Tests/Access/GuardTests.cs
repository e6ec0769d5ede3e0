namespace Millrace.Transfer.Server.Tests.Access;

/// <summary>Tokens and links, asked for by a real client.</summary>
public sealed class GuardTests : IAsyncLifetime
{
    private readonly string _tokens = Path.Combine(Path.GetTempPath(), $"millrace-{Guid.NewGuid():N}.json");
    private readonly ManualClock _clock = new();
    private TokenStore _store = null!;
    private RunningServer _server = null!;

    public async Task InitializeAsync()
    {
        _store = new TokenStore(_tokens, _clock);
        _server = await RunningServer.StartAsync(new RunningServerOptions
        {
            Services = services => services.AddSingleton<TimeProvider>(_clock).AddMillraceTransfer(access => access.Tokens = _store),
        });
        await _server.WriteAsync("a/one.txt", "one"u8.ToArray());
        await _server.WriteAsync("b/two.txt", "two"u8.ToArray());
    }

    public async Task DisposeAsync()
    {
        await _server.DisposeAsync();
        File.Delete(_tokens);
        File.Delete(_tokens + ".lock");
    }

    private async Task<string> TokenAsync(TransferScope scopes, string? prefix = null, TimeSpan? lifetime = null) =>
        (await _store.AddAsync(
            Guid.NewGuid().ToString("N"), scopes, prefix is null ? default : TransferName.Parse(prefix), lifetime)).Secret;

    [Fact]
    public async Task Everything_is_allowed_until_the_first_token()
    {
        Assert.Equal(HttpStatusCode.OK, await _server.StatusAsync(HttpMethod.Get, "files/a/one.txt"));
        Assert.Equal(HttpStatusCode.NoContent, await _server.StatusAsync(HttpMethod.Delete, "files/a/one.txt"));
    }

    [Fact]
    public async Task Request_without_the_required_token_gets_401()
    {
        await TokenAsync(TransferScope.All);
        using HttpResponseMessage response = await _server.SendAsync(HttpMethod.Get, "files/a/one.txt");

        Assert.Equal(HttpStatusCode.Unauthorized, response.StatusCode);
        Assert.Equal("Bearer, Basic realm=\"Millrace\", charset=\"UTF-8\"", response.Headers.WwwAuthenticate.ToString());
    }

    [Theory, InlineData("mr_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"), InlineData("x")]
    public async Task An_unknown_token_is_refused(string token)
    {
        await TokenAsync(TransferScope.All);
        Assert.Equal(HttpStatusCode.Unauthorized, await _server.StatusAsync(HttpMethod.Get, "files/a/one.txt", token));
    }

    [Fact]
    public async Task An_expired_token_is_refused()
    {
        string token = await TokenAsync(TransferScope.All, lifetime: TimeSpan.FromHours(1));
        Assert.Equal(HttpStatusCode.OK, await _server.StatusAsync(HttpMethod.Get, "files/a/one.txt", token));
        _clock.Now += TimeSpan.FromHours(2);
        Assert.Equal(HttpStatusCode.Unauthorized, await _server.StatusAsync(HttpMethod.Get, "files/a/one.txt", token));
    }

    [Fact]
    public async Task Removed_token_is_refused_and_the_server_stays_closed()
    {
        CreatedToken made = await _store.AddAsync("one", TransferScope.All);
        Assert.Equal(HttpStatusCode.OK, await _server.StatusAsync(HttpMethod.Get, "files/a/one.txt", made.Secret));

        await new TokenStore(_tokens).RemoveAsync("one");
        Assert.Equal(HttpStatusCode.Unauthorized, await _server.StatusAsync(HttpMethod.Get, "files/a/one.txt", made.Secret));
        Assert.Equal(HttpStatusCode.Unauthorized, await _server.StatusAsync(HttpMethod.Get, "files/a/one.txt"));
    }

    [Theory]
    [InlineData(TransferScope.Read, "GET", 200)]
    [InlineData(TransferScope.Read, "HEAD", 200)]
    [InlineData(TransferScope.Read, "PUT", 403)]
    [InlineData(TransferScope.Read, "DELETE", 403)]
    [InlineData(TransferScope.Write, "GET", 403)]
    [InlineData(TransferScope.Write | TransferScope.List, "DELETE", 403)]
    [InlineData(TransferScope.Delete, "DELETE", 204)]
    public async Task A_token_allows_its_scopes(TransferScope scopes, string method, int expected)
    {
        string token = await TokenAsync(scopes);
        Assert.Equal(
            expected,
            (int)await _server.StatusAsync(new HttpMethod(method), "files/a/one.txt", token, method == "PUT" ? "new" : null));
    }

    [Fact]
    public async Task Listing_needs_its_own_scope()
    {
        Assert.Equal(HttpStatusCode.Forbidden, await _server.StatusAsync(HttpMethod.Get, "files/a/", await TokenAsync(TransferScope.Read)));
        Assert.Equal(HttpStatusCode.OK, await _server.StatusAsync(HttpMethod.Get, "files/a/", await TokenAsync(TransferScope.List)));
    }

    [Theory]
    [InlineData("files/a/one.txt", 200)]
    [InlineData("files/a/missing.txt", 404)]
    [InlineData("files/b/two.txt", 403)]
    [InlineData("files/b/missing.txt", 403)]
    [InlineData("files/ab", 403)]
    public async Task Prefix_allows_files_below_it_and_reveals_nothing_else(string path, int expected)
    {
        string token = await TokenAsync(TransferScope.All, "a");
        Assert.Equal(expected, (int)await _server.StatusAsync(HttpMethod.Get, path, token));
    }

    [Fact]
    public async Task Forbidden_file_and_missing_file_get_the_same_response()
    {
        string token = await TokenAsync(TransferScope.All, "a");
        using HttpResponseMessage there = await _server.SendAsync(HttpMethod.Get, "files/b/two.txt", token);
        using HttpResponseMessage missing = await _server.SendAsync(HttpMethod.Get, "files/b/six.txt", token);

        Assert.Equal(
            (await there.Content.ReadAsStringAsync()).Replace("two", "six", StringComparison.Ordinal),
            await missing.Content.ReadAsStringAsync());
    }

    [Fact]
    public async Task Link_grants_access_without_a_token()
    {
        await TokenAsync(TransferScope.All);
        string query = SignedLink.CreateQuery(
            await _store.GetLinkKeyAsync(), "GET", TransferName.Parse("a/one.txt"), _clock.Now + TimeSpan.FromHours(1));

        Assert.Equal(HttpStatusCode.OK, await _server.StatusAsync(HttpMethod.Get, "files/a/one.txt?" + query));
        Assert.Equal(HttpStatusCode.OK, await _server.StatusAsync(HttpMethod.Get, "files/a/%6Fne.txt?" + query));
        Assert.Equal(HttpStatusCode.Forbidden, await _server.StatusAsync(HttpMethod.Get, "files/b/two.txt?" + query));
        Assert.Equal(HttpStatusCode.Forbidden, await _server.StatusAsync(HttpMethod.Put, "files/a/one.txt?" + query, body: "new"));
        await _store.RevokeLinksAsync();
        Assert.Equal(HttpStatusCode.Forbidden, await _server.StatusAsync(HttpMethod.Get, "files/a/one.txt?" + query));
    }

    [Fact]
    public async Task Link_for_PUT_accepts_the_file()
    {
        await TokenAsync(TransferScope.All);
        string query = SignedLink.CreateQuery(
            await _store.GetLinkKeyAsync(), "PUT", TransferName.Parse("in/new.txt"), _clock.Now + TimeSpan.FromHours(1));

        Assert.Equal(HttpStatusCode.Created, await _server.StatusAsync(HttpMethod.Put, "files/in/new.txt?" + query, body: "new"));
        Assert.Equal("new", await File.ReadAllTextAsync(_server.PathOf("in/new.txt")));
    }

    [Fact]
    public async Task Damaged_token_file_refuses_everybody_and_its_path_is_not_revealed()
    {
        string token = await TokenAsync(TransferScope.All);
        await File.WriteAllTextAsync(_tokens, "{");
        using HttpResponseMessage response = await _server.SendAsync(HttpMethod.Get, "files/a/one.txt", token);

        Assert.Equal(HttpStatusCode.InternalServerError, response.StatusCode);
        Assert.DoesNotContain(_tokens, await response.Content.ReadAsStringAsync(), StringComparison.Ordinal);
        Assert.Contains(_server.Complaints, line => line.Contains(_tokens, StringComparison.Ordinal));
    }
}
