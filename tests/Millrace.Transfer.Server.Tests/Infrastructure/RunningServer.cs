using System.Net.Http.Headers;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Logging;
using Millrace.Kestrel;

namespace Millrace.Transfer.Server.Tests.Infrastructure;

/// <summary>A real Kestrel on a free port of loopback, with a store in a new folder or bucket.</summary>
public sealed class RunningServer : IAsyncDisposable
{
    private readonly WebApplication _application;
    private readonly TestedStore _files;
    private readonly CapturedLog _log;

    private RunningServer(WebApplication application, IFileStore store, TestedStore files, CapturedLog log)
    {
        _application = application;
        _files = files;
        _log = log;
        Store = store;
        Address = new Uri(application.Urls.First());
        Client = new HttpClient(new SocketsHttpHandler { AllowAutoRedirect = false, UseCookies = false })
        {
            BaseAddress = Address,
            Timeout = TimeSpan.FromMinutes(5),
        };
    }

    /// <summary>For example <c>http://127.0.0.1:41234/</c>.</summary>
    public Uri Address { get; }

    /// <summary>The folder that is served.</summary>
    public string Root => _files.Root;

    public IFileStore Store { get; }

    /// <summary>Follows no redirects and decodes nothing.</summary>
    public HttpClient Client { get; }

    /// <summary>Log entries that are warnings or worse.</summary>
    public IReadOnlyCollection<string> Complaints => _log.Lines;

    public static async Task<RunningServer> StartAsync(RunningServerOptions? options = null)
    {
        options ??= new RunningServerOptions();
        TestedStore files = await TestedStore.CreateAsync(options.Root);
        IFileStore store = files.Open(options.Store);
        var log = new CapturedLog(LogLevel.Warning);
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders().AddProvider(log).SetMinimumLevel(LogLevel.Warning);
        builder.Services.AddRoutingCore();
        builder.Services.AddMillraceTransfer(static access => access.OpenWithoutTokens = true);
        options.Services?.Invoke(builder.Services);
        builder.WebHost.UseKestrel(kestrel => options.Kestrel?.Invoke(kestrel));
        if (!TestedTransport.IsKestrel)
        {
            builder.WebHost.UseMillraceSockets();
        }

        builder.WebHost.UseUrls("http://127.0.0.1:0");
        WebApplication application = builder.Build();
        options.Middleware?.Invoke(application);
        if (options.Map is { } map)
        {
            map(application, store, options.Server);
        }
        else
        {
            application.MapMillraceFiles(options.Server.FilesPath, store, options.Server);
            application.MapMillraceUploads(options.Server.UploadsPath, store, options.Server);
        }

        await application.StartAsync();
        return new RunningServer(application, store, files, log);
    }

    /// <summary>The URL of a file, <c>files/NAME</c>; the name is put there as it is.</summary>
    public Uri Url(string pathAndQuery) => new($"{Address.GetLeftPart(UriPartial.Authority)}/{pathAndQuery}");

    /// <summary>Sends a request with a token, and with a text as its body.</summary>
    public async Task<HttpResponseMessage> SendAsync(HttpMethod method, string path, string? token = null, string? body = null)
    {
        using var request = new HttpRequestMessage(method, Url(path));
        request.Headers.Authorization = token is null ? null : new AuthenticationHeaderValue("Bearer", token);
        request.Content = body is null ? null : new StringContent(body);
        return await Client.SendAsync(request);
    }

    /// <summary>The status of the response to that.</summary>
    public async Task<HttpStatusCode> StatusAsync(HttpMethod method, string path, string? token = null, string? body = null)
    {
        using HttpResponseMessage response = await SendAsync(method, path, token, body);
        return response.StatusCode;
    }

    /// <inheritdoc cref="TestedStore.PathOf"/>
    public string PathOf(string name) => _files.PathOf(name);

    /// <inheritdoc cref="TestedStore.WriteAsync"/>
    public Task<string> WriteAsync(string name, ReadOnlyMemory<byte> content) => _files.WriteAsync(name, content);

    /// <inheritdoc cref="TestedStore.VisibleFiles"/>
    public IReadOnlyList<string> VisibleFiles() => _files.VisibleFiles();

    /// <inheritdoc cref="TestedStore.Leftovers"/>
    public IReadOnlyList<string> Leftovers() => _files.Leftovers();

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        using (var bound = new CancellationTokenSource(TimeSpan.FromSeconds(5)))
        {
            await _application.StopAsync(bound.Token);
        }

        await _application.DisposeAsync();
        await _files.DisposeAsync();
    }
}
