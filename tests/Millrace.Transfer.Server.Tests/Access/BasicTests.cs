using System.Diagnostics;

namespace Millrace.Transfer.Server.Tests.Access;

/// <summary>Basic authentication: where it is accepted, and who is asked for it.</summary>
[NeedsLocalFolder]
public sealed class BasicTests
{
    private static readonly IPNetwork Loopback = new(IPAddress.Loopback, 32);

    private static string Basic(string password, string name = "anyone") =>
        "Basic " + Convert.ToBase64String(Encoding.UTF8.GetBytes($"{name}:{password}"));

    private static async Task<(ServedFolder Served, string Token)> ServeAsync(
        Action<TransferHostOptions>? configure = null, TransferScope scopes = TransferScope.All)
    {
        ServedFolder served = await ServedFolder.StartAsync(configure);
        string token = (await new TokenStore(TokenStore.DefaultPath(served.Folder)).AddAsync("one", scopes)).Secret;
        await served.WriteAsync("a", new byte[] { 1 });
        return (served, token);
    }

    private static async Task<HttpResponseMessage> AskAsync(
        ServedFolder served, string method, string path, params (string Name, string Value)[] fields)
    {
        using var request = new HttpRequestMessage(new HttpMethod(method), path);
        if (method == "PUT")
        {
            request.Content = new ByteArrayContent([2]);
        }

        foreach ((string name, string value) in fields)
        {
            Assert.True(request.Headers.TryAddWithoutValidation(name, value));
        }

        return await served.Client.SendAsync(request);
    }

    private static async Task<int> StatusAsync(ServedFolder served, string method, string path, params (string Name, string Value)[] fields)
    {
        using HttpResponseMessage response = await AskAsync(served, method, path, fields);
        return (int)response.StatusCode;
    }

    [Fact]
    public async Task Password_is_a_token_and_the_name_does_not_matter()
    {
        (ServedFolder served, string token) = await ServeAsync(scopes: TransferScope.Read);
        await using ServedFolder _ = served;
        Assert.Equal(200, await StatusAsync(served, "GET", "files/a", ("Authorization", Basic(token))));
        Assert.Equal(200, await StatusAsync(served, "GET", "files/a", ("Authorization", Basic(token, "").Replace("Basic", "basic", StringComparison.Ordinal))));
        Assert.Equal(403, await StatusAsync(served, "PUT", "files/b", ("Authorization", Basic(token))));
        foreach (string wrong in new[]
            {
                Basic("mr_wrong"), Basic(""), "Basic", "Basic !", "Basic " + Convert.ToBase64String("no colon"u8),
                Basic(token + "x"), Basic(new string('x', 10_000)), "Basic " + token, "Digest " + token,
            })
        {
            Assert.Equal(401, await StatusAsync(served, "GET", "files/a", ("Authorization", wrong)));
        }
    }

    [Fact]
    public async Task Wrong_passwords_of_one_address_are_limited_and_the_right_one_still_gets_in()
    {
        (ServedFolder served, string token) = await ServeAsync();
        await using ServedFolder _ = served;
        var answers = new List<int>();
        var time = Stopwatch.StartNew();
        for (int i = 0; i < 25; i++)
        {
            answers.Add(await StatusAsync(served, "GET", "files/a", ("Authorization", Basic("mr_guess"))));
        }

        // A try is given back every three seconds.
        Assert.InRange(answers.Count(static status => status == 401), 20, 20 + (int)(time.Elapsed.TotalSeconds / 3));
        Assert.Equal(25, answers.Count(static status => status is 401 or 429));
        Assert.Equal(200, await StatusAsync(served, "GET", "files/a", ("Authorization", Basic(token))));
    }

    [Theory]
    [InlineData(false, null, null, 200)]
    [InlineData(false, "X-Forwarded-Proto", "https", 403)]
    [InlineData(false, "X-Forwarded-For", "203.0.113.7", 403)]
    [InlineData(false, "Forwarded", "proto=https", 403)]
    [InlineData(true, null, null, 200)]
    [InlineData(true, "X-Forwarded-Proto", "https", 200)]
    [InlineData(true, "X-Forwarded-Proto", "http", 403)]
    [InlineData(true, "X-Forwarded-For", "203.0.113.7", 403)]
    [InlineData(true, "X-Forwarded-For", "127.0.0.1", 403)]
    public async Task Token_is_not_taken_from_where_the_network_can_read_it(bool trusted, string? field, string? value, int status)
    {
        (ServedFolder served, string token) = await ServeAsync(options => options.TrustedProxies = trusted ? [Loopback] : []);
        await using ServedFolder _ = served;
        (string, string)[] fields = field is null ? [] : [(field, value!)];
        Assert.Equal(status, await StatusAsync(served, "GET", "files/a", [("Authorization", Basic(token)), .. fields]));
        using HttpResponseMessage stranger = await AskAsync(served, "GET", "files/a", fields);
        Assert.Equal(status == 200, stranger.Headers.WwwAuthenticate.Any(static one => one.Scheme == "Basic"));
        Assert.Contains(stranger.Headers.WwwAuthenticate, static one => one.Scheme == "Bearer");
    }

    [Fact]
    public async Task Owner_can_allow_it_without_tls()
    {
        (ServedFolder served, string token) = await ServeAsync(static options =>
        {
            options.TrustedProxies = [Loopback];
            options.AllowBasicWithoutTls = true;
        });
        await using ServedFolder _ = served;
        (string, string) client = ("X-Forwarded-For", "203.0.113.7");
        Assert.Equal(200, await StatusAsync(served, "GET", "files/a", ("Authorization", Basic(token)), client));
        Assert.Equal(403, await StatusAsync(served, "PUT", "files/a", ("Authorization", Basic(token)), client, ("Origin", "https://evil.example")));
        Assert.Equal(204, await StatusAsync(served, "PUT", "files/a", ("Authorization", Basic(token)), client));
    }

    [Theory]
    [InlineData("GET", "cross-site", 403)]
    [InlineData("GET", "same-site", 403)]
    [InlineData("PUT", "cross-site", 403)]
    [InlineData("PUT", "none", 403)]
    [InlineData("GET", "same-origin", 200)]
    [InlineData("PUT", "same-origin", 204)]
    [InlineData("PUT", null, 204)]
    public async Task Password_that_a_browser_sends_again_is_judged_as_a_cookie(string method, string? site, int status)
    {
        // Another site's page may be allowed to send its own token, but not the credentials that the browser remembers.
        (ServedFolder served, string token) = await ServeAsync(static options => options.Endpoints.AllowedOrigins = ["https://evil.example"]);
        await using ServedFolder _ = served;
        (string, string)[] fields = site is null ? [] : [("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", "cors")];
        (string, string)[] origin = site is "cross-site" ? [("Origin", "https://evil.example")] : [];
        Assert.Equal(status, await StatusAsync(served, method, "files/a", [("Authorization", Basic(token)), .. fields, .. origin]));
    }

    [Theory]
    [InlineData("Sec-Fetch-Mode", "cors")]
    [InlineData("Sec-Fetch-Site", "none")]
    [InlineData("Origin", "null")]
    [InlineData("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0")]
    public async Task Browser_is_never_asked_for_a_password(string field, string value)
    {
        (ServedFolder served, _) = await ServeAsync();
        await using ServedFolder closed = served;
        using HttpResponseMessage response = await AskAsync(served, "GET", "files/a", (field, value));
        Assert.Equal((HttpStatusCode.Unauthorized, "Bearer"), (response.StatusCode, response.Headers.WwwAuthenticate.ToString()));
        using HttpResponseMessage program = await AskAsync(served, "GET", "files/a", ("User-Agent", "davfs2/1.7.0"), ("Authorization", Basic("mr_wrong")));
        Assert.Contains(program.Headers.WwwAuthenticate, static one => one.Scheme == "Basic");
    }
}
