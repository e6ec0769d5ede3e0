using System.Net.Http.Json;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Builder;

namespace Millrace.Transfer.Server.Tests.Access;

/// <summary>The page in an application: below a path, and beside other authentication.</summary>
public sealed class SessionInApplicationTests : FolderTests
{
    private TokenStore Tokens => new(Folder["tokens.json"]);

    [Fact]
    public async Task Page_below_a_path_names_that_path_everywhere()
    {
        string token = (await Tokens.AddAsync("one", TransferScope.All)).Secret;
        await using RunningServer server = await StartAsync(application => application.UsePathBase("/share").UseRouting());
        await server.WriteAsync("a b", new byte[] { 1 });

        using HttpResponseMessage listing = await SendAsync(server, HttpMethod.Get, "share/files/", token, ("Accept", "text/html"));
        string html = await listing.Content.ReadAsStringAsync();
        Assert.Contains("data-files=\"/share/files/\" data-session=\"/share/session\" data-links=\"/share/links\"", html, StringComparison.Ordinal);
        using HttpResponseMessage described = await SendAsync(server, HttpMethod.Get, "share/session", token);
        using JsonDocument session = JsonDocument.Parse(await described.Content.ReadAsStringAsync());
        string uploads = session.RootElement.GetProperty("uploads").GetString()!;
        Assert.Equal("/share/uploads", uploads);
        using HttpResponseMessage started = await SendAsync(
            server, HttpMethod.Post, uploads[1..], token,
            ("Tus-Resumable", "1.0.0"), ("Upload-Length", "1"), ("Upload-Metadata", "filename eA=="));
        Assert.StartsWith("/share/uploads/", started.Headers.Location!.OriginalString, StringComparison.Ordinal);

        await AssertLinkWorksAsync(server, "share/links", token, "/share/files/a%20b?");
    }

    [Fact]
    public async Task Link_to_files_at_the_root_has_one_slash()
    {
        string token = (await Tokens.AddAsync("one", TransferScope.All)).Secret;
        await using RunningServer server = await StartAsync(static _ => { }, files: "/");
        await server.WriteAsync("a b", new byte[] { 1 });

        await AssertLinkWorksAsync(server, "links", token, "/a%20b?");
    }

    [Fact]
    public async Task Sign_in_with_a_living_session_works_where_sessions_are_the_default_scheme()
    {
        string token = (await Tokens.AddAsync("one", TransferScope.All)).Secret;
        await using RunningServer server = await StartAsync(static application => application.UseAuthentication());
        using HttpResponseMessage first = await SignInAsync(server, token);
        string cookie = first.Headers.GetValues("Set-Cookie").Single().Split(';')[0];

        using HttpResponseMessage second = await SignInAsync(server, token, cookie);

        Assert.Equal(HttpStatusCode.NoContent, second.StatusCode);
        Assert.NotEqual(cookie, second.Headers.GetValues("Set-Cookie").Single().Split(';')[0]);
        using HttpResponseMessage old = await SendAsync(server, HttpMethod.Get, "files/", null, ("Cookie", cookie));
        Assert.Equal(HttpStatusCode.Unauthorized, old.StatusCode);
    }

    private Task<RunningServer> StartAsync(Action<WebApplication> use, string files = "/files") => RunningServer.StartAsync(new()
    {
        Server = new TransferServerOptions { FilesPath = files },
        Services = services =>
        {
            services.Configure<TransferAccessOptions>(access => access.Tokens = Tokens);
            services.AddAuthentication(SessionCookie.SchemeName);
        },
        Middleware = use,
        Map = static (application, store, options) =>
        {
            application.MapMillraceFiles(options.FilesPath, store, options);
            application.MapMillraceUploads(options.UploadsPath, store, options);
            application.MapMillracePage(store, options);
        },
    });

    private static async Task AssertLinkWorksAsync(RunningServer server, string path, string token, string start)
    {
        using HttpResponseMessage linked = await SendAsync(server, HttpMethod.Post, path, token);
        using JsonDocument link = JsonDocument.Parse(await linked.Content.ReadAsStringAsync());
        string url = link.RootElement.GetProperty("url").GetString()!;
        Assert.StartsWith(start, url, StringComparison.Ordinal);
        Assert.Equal(HttpStatusCode.OK, await server.StatusAsync(HttpMethod.Get, url[1..]));
    }

    private static Task<HttpResponseMessage> SignInAsync(RunningServer server, string token, string cookie = "") =>
        SendAsync(server, HttpMethod.Post, "session", null, JsonContent.Create(new { token }), ("Cookie", cookie));

    private static Task<HttpResponseMessage> SendAsync(
        RunningServer server, HttpMethod method, string path, string? token, params (string Name, string Value)[] fields) =>
        SendAsync(
            server, method, path, token,
            path.EndsWith("links", StringComparison.Ordinal) ? JsonContent.Create(new { name = "a b", method = "GET", seconds = 60 }) : null,
            fields);

    private static async Task<HttpResponseMessage> SendAsync(
        RunningServer server, HttpMethod method, string path, string? token, HttpContent? content, params (string Name, string Value)[] fields)
    {
        using var request = new HttpRequestMessage(method, server.Url(path)) { Content = content };
        request.Headers.Authorization = token is null ? null : new("Bearer", token);
        foreach ((string name, string value) in fields)
        {
            Assert.True(request.Headers.TryAddWithoutValidation(name, value));
        }

        return await server.Client.SendAsync(request);
    }
}
