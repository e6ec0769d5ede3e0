using System.Net.Http.Json;

namespace Millrace.Transfer.Server.Tests.Access;

/// <summary>Signing in with a PIN: who may, how often, and for how long.</summary>
public sealed class PinTests
{
    private static readonly HttpClient WithoutCookies = new(new SocketsHttpHandler { UseCookies = false });

    private readonly ManualClock _clock = new();

    private Task<ServedFolder> StartAsync() => ServedFolder.StartAsync(options =>
    {
        options.AllowPin = true;
        options.TimeProvider = _clock;
        options.TrustedProxies = [System.Net.IPNetwork.Parse("127.0.0.1/32")];
    });

    [Fact]
    public async Task Pin_signs_one_browser_in_once()
    {
        await using ServedFolder served = await StartAsync();
        await served.WriteAsync("a", new byte[] { 1 });
        string pin = served.Server.CreatePin();
        Assert.Matches("^[0-9]{6}$", pin);
        Assert.True(served.Server.NeedsToken);

        using (JsonDocument before = JsonDocument.Parse(await served.Client.GetStringAsync("/session")))
        {
            Assert.True(before.RootElement.GetProperty("pin").GetBoolean());
            Assert.Equal(0, before.RootElement.GetProperty("scopes").GetArrayLength());
        }

        Assert.Equal(HttpStatusCode.Unauthorized, await GetAsync(served, cookie: null));
        (HttpStatusCode status, string? cookie) = await SignInAsync(served, pin);
        Assert.Equal(HttpStatusCode.NoContent, status);
        Assert.Equal(HttpStatusCode.OK, await GetAsync(served, cookie));
        Assert.Equal(HttpStatusCode.Unauthorized, (await SignInAsync(served, pin)).Status);

        // A PIN is not a token.
        using var request = new HttpRequestMessage(HttpMethod.Get, new Uri(served.Server.Address, "/files/a"));
        request.Headers.Authorization = new("Bearer", served.Server.CreatePin());
        Assert.Equal(HttpStatusCode.Unauthorized, (await WithoutCookies.SendAsync(request)).StatusCode);
        Assert.Equal(HttpStatusCode.OK, await GetAsync(served, cookie));
    }

    [Fact]
    public async Task Five_wrong_tries_of_all_clients_end_the_pin()
    {
        await using ServedFolder served = await StartAsync();
        string pin = served.Server.CreatePin();
        string wrong = pin == "000000" ? "000001" : "000000";

        HttpStatusCode[] tries = await Task.WhenAll(Enumerable.Range(0, 5).Select(async i => (await SignInAsync(served, wrong, $"192.168.1.{i}")).Status));
        Assert.All(tries, status => Assert.Equal(HttpStatusCode.Unauthorized, status));
        Assert.Equal(HttpStatusCode.Unauthorized, (await SignInAsync(served, pin)).Status);

        string next = served.Server.CreatePin();
        for (int i = 0; i < 4; i++)
        {
            await SignInAsync(served, next == "000000" ? "000001" : "000000");
        }

        Assert.Equal(HttpStatusCode.NoContent, (await SignInAsync(served, next)).Status);
    }

    [Theory]
    [InlineData(599, HttpStatusCode.NoContent)]
    [InlineData(600, HttpStatusCode.Unauthorized)]
    public async Task Pin_is_valid_for_ten_minutes(int seconds, HttpStatusCode expected)
    {
        await using ServedFolder served = await StartAsync();
        string pin = served.Server.CreatePin();
        _clock.Advance(TimeSpan.FromSeconds(seconds));

        Assert.Equal(expected, (await SignInAsync(served, pin)).Status);
    }

    [Theory]
    [InlineData("8.8.8.8", HttpStatusCode.Forbidden)]
    [InlineData("172.32.0.1", HttpStatusCode.Forbidden)]
    [InlineData("2001:db8::1", HttpStatusCode.Forbidden)]
    [InlineData("172.31.255.1", HttpStatusCode.NoContent)]
    [InlineData("192.168.7.7", HttpStatusCode.NoContent)]
    [InlineData("fd00::7", HttpStatusCode.NoContent)]
    [InlineData("::ffff:10.0.0.1", HttpStatusCode.NoContent)]
    public async Task Without_TLS_the_pin_is_for_private_networks(string from, HttpStatusCode expected)
    {
        await using ServedFolder served = await StartAsync();
        string pin = served.Server.CreatePin();

        Assert.Equal(expected, (await SignInAsync(served, pin, from)).Status);

        // A refused one was not used up.
        Assert.Equal(expected == HttpStatusCode.Forbidden ? HttpStatusCode.NoContent : HttpStatusCode.Unauthorized, (await SignInAsync(served, pin)).Status);
    }

    [Fact]
    public async Task New_pin_ends_the_one_before_and_keeps_sessions()
    {
        await using ServedFolder served = await StartAsync();
        await served.WriteAsync("a", new byte[] { 1 });
        (_, string? cookie) = await SignInAsync(served, served.Server.CreatePin());
        string old = served.Server.CreatePin();
        string next = served.Server.CreatePin();

        Assert.True(old == next || (await SignInAsync(served, old)).Status == HttpStatusCode.Unauthorized);
        Assert.Equal(HttpStatusCode.OK, await GetAsync(served, cookie));
        _clock.Advance(TimeSpan.FromHours(13));
        Assert.Equal(HttpStatusCode.Unauthorized, await GetAsync(served, cookie));
    }

    [Fact]
    public async Task Without_the_option_there_is_no_pin()
    {
        await using ServedFolder served = await ServedFolder.StartAsync();

        Assert.Contains("AllowPin", Assert.Throws<InvalidOperationException>(() => served.Server.CreatePin()).Message, StringComparison.Ordinal);
        Assert.Equal(HttpStatusCode.Unauthorized, (await SignInAsync(served, "123456")).Status);
    }

    private static async Task<HttpStatusCode> GetAsync(ServedFolder served, string? cookie)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, new Uri(served.Server.Address, "/files/a"));
        if (cookie is not null)
        {
            request.Headers.Add("Cookie", cookie);
        }

        using HttpResponseMessage response = await WithoutCookies.SendAsync(request);
        return response.StatusCode;
    }

    private static async Task<(HttpStatusCode Status, string? Cookie)> SignInAsync(ServedFolder served, string pin, string? from = null)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, new Uri(served.Server.Address, "/session")) { Content = JsonContent.Create(new { token = pin }) };
        await request.Content.LoadIntoBufferAsync();
        if (from is not null)
        {
            request.Headers.Add("X-Forwarded-For", from);
        }

        using HttpResponseMessage response = await WithoutCookies.SendAsync(request);
        return (response.StatusCode, response.Headers.TryGetValues("Set-Cookie", out IEnumerable<string>? fields) ? fields.Single().Split(';')[0] : null);
    }
}
