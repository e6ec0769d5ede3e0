using System.Net.Http.Headers;

namespace Millrace.Transfer.Server.Tests.Access;

/// <summary>What callers without a token may do where the owner allows it.</summary>
[NeedsLocalFolder]
public sealed class PublicTests
{
    private const TransferScope Both = TransferScope.Read | TransferScope.List;

    private static async Task<ServedFolder> ServeAsync(TransferScope scopes, Action<TransferHostOptions>? configure = null)
    {
        ServedFolder served = await ServedFolder.StartAsync(options =>
        {
            options.PublicScopes = scopes;
            configure?.Invoke(options);
        });
        Directory.CreateDirectory(served.PathOf("in"));
        await served.WriteAsync("a", new byte[] { 1 });
        await served.WriteAsync("in/b", new byte[] { 2 });
        return served;
    }

    private static TokenStore TokensOf(ServedFolder served) => new(TokenStore.DefaultPath(served.Folder));

    private static async Task<int> StatusAsync(
        ServedFolder served, string method, string path, string? token = null, params (string Name, string Value)[] fields)
    {
        using var request = new HttpRequestMessage(new HttpMethod(method), path);
        request.Headers.Authorization = token is null ? null : new AuthenticationHeaderValue("Bearer", token);
        request.Content = method == "PUT" ? new ByteArrayContent([2]) : null;
        foreach ((string name, string value) in fields)
        {
            Assert.True(request.Headers.TryAddWithoutValidation(name, value));
        }

        using HttpResponseMessage response = await served.Client.SendAsync(request);
        return (int)response.StatusCode;
    }

    [Theory]
    [InlineData(TransferScope.Read, 200, 401, 401)]
    [InlineData(TransferScope.List, 401, 200, 401)]
    [InlineData(Both, 200, 200, 200)]
    public async Task Nothing_else_is_allowed_without_a_token(TransferScope scopes, int read, int list, int archive)
    {
        await using ServedFolder served = await ServeAsync(scopes);
        Assert.True(served.Server.NeedsToken);
        Assert.Equal(read, await StatusAsync(served, "GET", "files/a"));
        Assert.Equal(read, await StatusAsync(served, "HEAD", "files/a"));
        Assert.Equal(list, await StatusAsync(served, "GET", "files/"));
        Assert.Equal(archive, await StatusAsync(served, "GET", "files/?archive=zip"));
        Assert.Equal(204, await StatusAsync(served, "OPTIONS", "files/a"));
        foreach ((string method, string path) in new[]
            {
                ("PUT", "files/a"), ("DELETE", "files/a"), ("MKCOL", "files/new"), ("POST", "uploads"), ("PUT", "files/c"),
                ("POST", "links"), ("HEAD", "uploads/AAAAAAAAAAAAAAAAAAAAAA"),
            })
        {
            Assert.True(await StatusAsync(served, method, path) is 401 or 415 or 400 or 404 and not 200, $"{method} {path}");
        }

        Assert.Equal([1], await File.ReadAllBytesAsync(served.PathOf("a")));
        Assert.False(File.Exists(served.PathOf("c")));
    }

    [Fact]
    public async Task Token_adds_its_scopes_and_a_wrong_one_is_refused()
    {
        await using ServedFolder served = await ServeAsync(Both);
        string token = (await TokensOf(served).AddAsync("one", TransferScope.Write, TransferName.Parse("in"))).Secret;
        Assert.Equal(201, await StatusAsync(served, "PUT", "files/in/c", token));
        Assert.Equal(403, await StatusAsync(served, "PUT", "files/c", token));
        Assert.Equal(200, await StatusAsync(served, "GET", "files/a", token));
        Assert.Equal(200, await StatusAsync(served, "GET", "files/in/", token));
        Assert.Equal(403, await StatusAsync(served, "DELETE", "files/in/c", token));
        Assert.Equal(401, await StatusAsync(served, "GET", "files/a", "mr_wrong"));
        Assert.Equal(403, await StatusAsync(served, "GET", "files/a?mr-expires=9999999999&mr-key=1&mr-signature=AAAA"));
    }

    [Fact]
    public async Task Server_beyond_this_machine_starts_without_tokens()
    {
        await using ServedFolder served = await ServeAsync(Both, static options => options.Host = "0.0.0.0");
        var at = new Uri($"http://127.0.0.1:{served.Server.Address.Port}/files/");
        using var client = new HttpClient();
        await client.GetAsync(new Uri(at, "a")).AnswersAsync(HttpStatusCode.OK);
        await client.PutAsync(new Uri(at, "c"), new ByteArrayContent([1])).AnswersAsync(HttpStatusCode.Unauthorized);
    }

    [Theory]
    [InlineData("evil.example", null, 421)]
    [InlineData("evil.example", "millrace-80=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", 421)]
    [InlineData("files.example", null, 200)]
    [InlineData("localhost", null, 200)]
    public async Task Page_under_a_name_of_its_own_reads_nothing(string host, string? cookie, int status)
    {
        await using ServedFolder served = await ServeAsync(Both, static options => options.HostNames = ["files.example"]);
        (string, string)[] fields = cookie is null ? [] : [("Cookie", cookie)];
        Assert.Equal(status, await StatusAsync(served, "GET", "files/a", null, [("Host", host), .. fields]));
        string token = (await TokensOf(served).AddAsync("one", Both)).Secret;
        Assert.Equal(200, await StatusAsync(served, "GET", "files/a", token, ("Host", host)));
    }

    [Fact]
    public async Task Session_describes_it()
    {
        await using ServedFolder served = await ServeAsync(Both);
        using JsonDocument session = JsonDocument.Parse(await served.Client.GetStringAsync("session"));
        Assert.Equal((true, false), (session.RootElement.GetProperty("required").GetBoolean(), session.RootElement.GetProperty("signedIn").GetBoolean()));
        Assert.Equal(["read", "list"], session.RootElement.GetProperty("scopes").EnumerateArray().Select(static scope => scope.GetString()));
        Assert.Equal(["read", "list"], session.RootElement.GetProperty("public").EnumerateArray().Select(static scope => scope.GetString()));
        Assert.NotEqual("", session.RootElement.GetProperty("title").GetString());
    }

    [Fact]
    public void Only_reading_and_listing_can_be_public()
    {
        Assert.Throws<ArgumentException>(static () => new TransferHostOptions { PublicScopes = TransferScope.Write });
        Assert.Throws<ArgumentException>(static () => new TransferAccessOptions { PublicScopes = TransferScope.All });
        Assert.Equal(TransferScope.None, new TransferHostOptions().PublicScopes);
    }
}
