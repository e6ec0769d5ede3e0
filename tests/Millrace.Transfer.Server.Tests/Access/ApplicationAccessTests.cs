using System.Security.Claims;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Millrace.Transfer.Server.Tests.Infrastructure;

namespace Millrace.Transfer.Server.Tests.Access;

/// <summary>Access control as part of an ASP.NET Core application: schemes, policies, and what happens without them.</summary>
public sealed class ApplicationAccessTests : IAsyncLifetime, IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private TokenStore _tokens = null!;
    private string _token = "";

    public async Task InitializeAsync()
    {
        Directory.CreateDirectory(Path.Combine(_folder.Path, "a"));
        await File.WriteAllTextAsync(Path.Combine(_folder.Path, "a", "one.txt"), "one");
        _tokens = new TokenStore(TokenStore.DefaultPath(_folder.Path));
        _token = (await _tokens.AddAsync("ci", TransferScope.Read, TransferName.Parse("a"))).Secret;
    }

    public Task DisposeAsync() => Task.CompletedTask;

    public void Dispose() => _folder.Dispose();

    private Task<RunningServer> StartAsync(
        Action<IServiceCollection>? services = null,
        Action<WebApplication, IFileStore, TransferServerOptions>? map = null,
        Action<WebApplication>? middleware = null) =>
        RunningServer.StartAsync(new RunningServerOptions
        {
            Root = _folder.Path,
            Services = added =>
            {
                added.AddMillraceTransfer(access =>
                {
                    access.OpenWithoutTokens = false;
                    access.Tokens = _tokens;
                });
                services?.Invoke(added);
            },
            Middleware = middleware,
            Map = map,
        });

    [Fact]
    public async Task Mapping_without_AddMillraceTransfer_throws_and_names_the_missing_call()
    {
        await using var store = new LocalFileStore(_folder.Path);
        await using WebApplication application = WebApplication.CreateSlimBuilder().Build();
        Action[] mappings =
        [
            () => application.MapMillraceFiles("/files", store),
            () => application.MapMillraceUploads("/uploads", store),
            () => application.MapMillraceGrpc(store),
            () => application.MapMillraceHealth("/health", store),
        ];

        foreach (Action map in mappings)
        {
            InvalidOperationException exception = Assert.Throws<InvalidOperationException>(map);
            Assert.Contains("builder.Services.AddMillraceTransfer(", exception.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Registration_without_options_serves_nobody()
    {
        await using RunningServer server = await RunningServer.StartAsync(new RunningServerOptions
        {
            Root = _folder.Path,
            Services = services => services.Configure<TransferAccessOptions>(access => access.OpenWithoutTokens = false),
        });

        Assert.Equal(HttpStatusCode.Unauthorized, await server.StatusAsync(HttpMethod.Get, "files/a/one.txt"));
        Assert.Equal(HttpStatusCode.Unauthorized, await server.StatusAsync(HttpMethod.Get, "files/a/one.txt", _token));
    }

    [Fact]
    public async Task AllowAnonymous_serves_everyone()
    {
        await using RunningServer server = await StartAsync(
            map: (application, store, options) => application.MapMillraceFiles("/files", store, options).AllowAnonymous());

        Assert.Equal(HttpStatusCode.OK, await server.StatusAsync(HttpMethod.Get, "files/a/one.txt"));
    }

    [Fact]
    public async Task Claims_of_the_token_are_in_the_user_of_the_request()
    {
        ClaimsPrincipal? user = null;
        await using RunningServer server = await StartAsync(middleware: application => application.Use(
            async (context, next) =>
            {
                await next(context);
                user = context.User;
            }));

        Assert.Equal(HttpStatusCode.OK, await server.StatusAsync(HttpMethod.Get, "files/a/one.txt", _token));
        await Bounded.UntilAsync(() => user is not null);
        Assert.Equal("ci", user!.Identity!.Name);
        Assert.Equal("Millrace.Token", user.Identity.AuthenticationType);
        Assert.Equal("read", user.FindFirstValue("millrace:scope"));
        Assert.Equal("a", user.FindFirstValue("millrace:prefix"));
    }

    [Fact]
    public async Task Endpoint_of_the_application_can_require_the_token_scheme()
    {
        await using RunningServer server = await StartAsync(map: (application, _, _) => application
            .MapGet("/whoami", (HttpContext context) => context.User.Identity!.Name!)
            .RequireAuthorization(policy => policy.AddAuthenticationSchemes("Millrace.Token").RequireAuthenticatedUser()));

        using HttpResponseMessage response = await server.SendAsync(HttpMethod.Get, "whoami", _token);
        Assert.Equal("ci", await response.Content.ReadAsStringAsync());
        using HttpResponseMessage refused = await server.SendAsync(HttpMethod.Get, "whoami");
        Assert.Equal(HttpStatusCode.Unauthorized, refused.StatusCode);
        Assert.Equal("Bearer, Basic realm=\"Millrace\", charset=\"UTF-8\"", refused.Headers.WwwAuthenticate.ToString());
    }

    [Theory]
    [InlineData("alice", HttpStatusCode.OK)]
    [InlineData("bob", HttpStatusCode.Forbidden)]
    [InlineData(null, HttpStatusCode.Unauthorized)]
    public async Task Application_can_define_the_policies_with_its_own_scheme(string? name, HttpStatusCode expected)
    {
        await using RunningServer server = await StartAsync(services: services => services
            .AddAuthorization(options => options.AddPolicy("Millrace.Read", policy => policy
                .AddAuthenticationSchemes("Name")
                .RequireUserName("alice")))
            .AddAuthenticationCore(options => options.AddScheme<NameHandler>("Name", displayName: null))
            .AddTransient<NameHandler>());
        using var request = new HttpRequestMessage(HttpMethod.Get, server.Url("files/a/one.txt"));
        request.Headers.Add("X-Name", name);

        using HttpResponseMessage response = await server.Client.SendAsync(request);

        Assert.Equal(expected, response.StatusCode);
        Assert.Equal(HttpStatusCode.Unauthorized, await server.StatusAsync(HttpMethod.Get, "files/a/one.txt", _token));
    }

    [Fact]
    public async Task Policies_of_the_application_decide_about_each_file_of_a_batch()
    {
        await using RunningServer server = await StartAsync(services: services => services
            .AddAuthorization(options => options.AddPolicy("Millrace.Write", policy => policy
                .AddAuthenticationSchemes("Name")
                .RequireAssertion(static context => context.Resource is TransferName name && (name.IsRoot || name.Value.StartsWith("alice", StringComparison.Ordinal)))))
            .AddAuthenticationCore(options => options.AddScheme<NameHandler>("Name", displayName: null))
            .AddTransient<NameHandler>());

        BatchResultDocument[] results = await Batch.ReadAsync(
            await Batch.PostAsync(server.Client, "files/?batch", Batch.Joined(Batch.File("bob/x", [1]), Batch.File("alice/x", [1])), ("X-Name", "alice")), 2);

        Assert.Equal([403, 201], results.Select(static one => one.Status));
        Assert.Equal(["a/one.txt", "alice/x"], server.VisibleFiles());
    }

    [Fact]
    public async Task User_of_another_scheme_is_not_trusted_by_the_default_policies()
    {
        await using RunningServer server = await StartAsync(middleware: application => application.Use((context, next) =>
        {
            // As a cookie scheme of the application would, with claims that look like a token's.
            context.User = new ClaimsPrincipal(new ClaimsIdentity(
                [new Claim(ClaimTypes.Name, "mallory"), new Claim("millrace:scope", "read"), new Claim("millrace:prefix", "")],
                "Cookies"));
            return next(context);
        }));

        Assert.Equal(HttpStatusCode.Unauthorized, await server.StatusAsync(HttpMethod.Get, "files/a/one.txt"));
    }

    private sealed class NameHandler : IAuthenticationHandler
    {
        private HttpContext _context = null!;

        public Task InitializeAsync(AuthenticationScheme scheme, HttpContext context)
        {
            _context = context;
            return Task.CompletedTask;
        }

        public Task<AuthenticateResult> AuthenticateAsync() => Task.FromResult(
            _context.Request.Headers["X-Name"].ToString() is { Length: > 0 } name
                ? AuthenticateResult.Success(new AuthenticationTicket(
                    new ClaimsPrincipal(new ClaimsIdentity([new Claim(ClaimTypes.Name, name)], "Name")), "Name"))
                : AuthenticateResult.NoResult());

        public Task ChallengeAsync(AuthenticationProperties? properties) => throw new NotSupportedException();

        public Task ForbidAsync(AuthenticationProperties? properties) => throw new NotSupportedException();
    }
}
