using System.Net.Http.Headers;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Logging;
using Millrace.Kestrel;

namespace Millrace.Transfer.Server.Tests.Infrastructure;

/// <summary>A real Kestrel on a free port of loopback, with a <see cref="LocalFileStore"/> in a new folder.</summary>
public sealed class RunningServer : IAsyncDisposable
{
    private readonly WebApplication _application;
    private readonly bool _ownsRoot;
    private readonly CapturedLog _log;

    private RunningServer(WebApplication application, LocalFileStore store, string root, bool ownsRoot, CapturedLog log)
    {
        _application = application;
        _ownsRoot = ownsRoot;
        _log = log;
        Store = store;
        Root = root;
        Address = new Uri(application.Urls.First());
        Client = new HttpClient(new SocketsHttpHandler { AllowAutoRedirect = false, UseCookies = false })
        {
            BaseAddress = Address,
            Timeout = TimeSpan.FromMinutes(2),
        };
    }

    /// <summary>For example <c>http://127.0.0.1:41234/</c>.</summary>
    public Uri Address { get; }

    /// <summary>The folder that is served.</summary>
    public string Root { get; }

    public LocalFileStore Store { get; }

    /// <summary>Follows no redirects and decodes nothing.</summary>
    public HttpClient Client { get; }

    /// <summary>What was logged as a warning or worse.</summary>
    public IReadOnlyCollection<string> Complaints => _log.Lines;

    public static async Task<RunningServer> StartAsync(RunningServerOptions? options = null)
    {
        options ??= new RunningServerOptions();
        string root = options.Root ?? Directory.CreateTempSubdirectory("millrace-server-").FullName;
        var store = new LocalFileStore(root, options.Store);
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
        return new RunningServer(application, store, root, options.Root is null, log);
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

    /// <summary>Where a file is on the disk.</summary>
    public string PathOf(string name) => Path.Combine(Root, name);

    /// <summary>Puts a file there behind the store's back.</summary>
    public async Task<string> WriteAsync(string name, ReadOnlyMemory<byte> content)
    {
        string path = PathOf(name);
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        await File.WriteAllBytesAsync(path, content);
        return path;
    }

    /// <summary>Files below the root that a client could see.</summary>
    public IReadOnlyList<string> VisibleFiles() =>
        [.. Directory.EnumerateFiles(Root, "*", SearchOption.AllDirectories)
            .Select(path => Path.GetRelativePath(Root, path).Replace('\\', '/'))
            .Where(name => !name.Split('/').Any(part => part.StartsWith(".millrace", StringComparison.Ordinal)))
            .Order(StringComparer.Ordinal)];

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        using (var bound = new CancellationTokenSource(TimeSpan.FromSeconds(5)))
        {
            await _application.StopAsync(bound.Token);
        }

        await _application.DisposeAsync();
        await Store.DisposeAsync();
        if (_ownsRoot)
        {
            Directory.Delete(Root, recursive: true);
        }
    }
}
