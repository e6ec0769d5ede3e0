using System.Net.Sockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Millrace.Kestrel;
using Millrace.Lab.Suites.Transfers;
using Millrace.Transfer.Server;

namespace Millrace.Lab.Suites.Serving;

/// <summary>
/// The servers of a run in one process, nginx in its own. Each starts on demand; unused ones take no time.
/// </summary>
internal sealed class WebServers : IServedFiles
{
    public const string FilesPath = "files/";
    public const string TextPath = "text";
    public const string NothingPath = "nothing";
    private const string AskPath = "server";
    private const string MethodKey = "method";

    private static readonly byte[] Text = Encoding.ASCII.GetBytes(ServerCase.Text);

    private readonly Dictionary<string, (IAsyncDisposable Server, ServedAddress Address)> _servers = [];
    private readonly string _folder;
    private readonly WebApplication _app;
    private readonly ServerMeters _meters;

    private WebServers(string folder)
    {
        _folder = folder;
        WebApplicationBuilder builder = ServerEnd.CreateBuilder(options => options.Listen(IPAddress.Loopback, 0));
        builder.Services.AddRoutingCore();
        _app = builder.Build();
        _meters = new ServerMeters(TakeElsewhere);
        _meters.Map(_app);
        _app.MapMethods("/" + AskPath, [HttpMethods.Get], AnswerAsync);
        _app.StartAsync().GetAwaiter().GetResult();
        Address = new Uri(_app.Urls.Single() + "/");
    }

    public Uri Address { get; }

    public static WebServers Start(string folder)
    {
        ServerFolders.Make(folder);
        return new WebServers(folder);
    }

    /// <summary>Where one of the servers answers.</summary>
    public static ServedAddress Find(Uri server, string method) =>
        ServedAddress.Parse(Question.Ask(new Uri(server, AskPath + QueryOf(method))));

    /// <summary>The query of a path that is about one of them.</summary>
    public static string QueryOf(string method) => $"?{MethodKey}={method}";

    public void Dispose()
    {
        _app.DisposeAsync().AsTask().GetAwaiter().GetResult();
        foreach ((IAsyncDisposable server, _) in _servers.Values)
        {
            server.DisposeAsync().AsTask().GetAwaiter().GetResult();
        }

        _meters.Dispose();
    }

    private ServerReading? TakeElsewhere(HttpContext context, bool resets) =>
        OperatingSystem.IsLinux() && context.Request.Query[MethodKey] == WebServer.Nginx
        && Of(WebServer.Nginx).Server is NginxServer nginx
            ? ServerReading.Take(nginx.Id, resets)
            : null;

    private Task AnswerAsync(HttpContext context)
    {
        string answer;
        try
        {
            answer = Of(context.Request.Query[MethodKey]!).Address.ToString();
        }
        catch (LabException exception)
        {
            context.Response.StatusCode = StatusCodes.Status503ServiceUnavailable;
            answer = exception.Message;
        }

        return context.Response.WriteAsync(answer);
    }

    private (IAsyncDisposable Server, ServedAddress Address) Of(string method)
    {
        // Asked for before anything is measured, so it may wait.
        lock (_servers)
        {
            if (!_servers.TryGetValue(method, out (IAsyncDisposable Server, ServedAddress Address) found))
            {
                found = StartAsync(method).GetAwaiter().GetResult();
                _servers.Add(method, found);
            }

            return found;
        }
    }

    private async Task<(IAsyncDisposable Server, ServedAddress Address)> StartAsync(string method)
    {
        switch (method)
        {
            case WebServer.Nginx:
                NginxServer nginx = NginxServer.Start(_folder);
                return (nginx, new ServedAddress(nginx.Address, Http2: null, Grpc: null));
            case WebServer.Serve or WebServer.ServeKestrel:
                TransferServer server = await TransferServer.StartAsync(new TransferHostOptions
                {
                    Folder = TransferFolders.Link(ServerFolders.Files(_folder), ServerFolders.Store(_folder, method)),
                    Port = 0,
                    Http2Port = 0,
                    Transport = method == WebServer.Serve ? ServerTransport.Millrace : ServerTransport.Kestrel,
                }).ConfigureAwait(false);
                return (server, new ServedAddress(server.Address, server.Http2Address, Grpc: null));
            default:
                WebApplication app = BuildApplication(method);
                await app.StartAsync().ConfigureAwait(false);
                Uri[] addresses = [.. app.Urls.Select(address => new Uri(address))];
                GrpcServer grpc = await GrpcServer.StartAsync(
                    TransferFolders.Link(ServerFolders.Files(_folder), ServerFolders.Store(_folder, method)), app, CreateBuilder(method)).ConfigureAwait(false);
                return (grpc, new ServedAddress(addresses[0], addresses[1], grpc.Address));
        }
    }

    /// <summary>A port for each version of HTTP.</summary>
    private static WebApplicationBuilder CreateBuilder(string method)
    {
        WebApplicationBuilder builder = ServerEnd.CreateBuilder(options =>
        {
            options.Limits.MaxRequestBodySize = null;
            options.Listen(IPAddress.Loopback, 0, listen => listen.Protocols = HttpProtocols.Http1);
            options.Listen(IPAddress.Loopback, 0, listen => listen.Protocols = HttpProtocols.Http2);
        });
        if (method == WebServer.MillraceSockets)
        {
            builder.WebHost.UseMillraceSockets();
        }

        return builder;
    }

    private WebApplication BuildApplication(string method)
    {
        WebApplication app = CreateBuilder(method).Build();
        app.Run(context => context.Request.Path.Value!.AsSpan(1) switch
        {
            TextPath => SendTextAsync(context.Response),
            NothingPath => context.Request.BodyReader.CopyToAsync(Stream.Null),
            _ when HttpMethods.IsGet(context.Request.Method) => SendFileAsync(context),
            _ => ReceiveFileAsync(context),
        });
        return app;
    }

    private static async Task SendTextAsync(HttpResponse response)
    {
        response.ContentType = "text/plain";
        response.ContentLength = Text.Length;
        await response.Body.WriteAsync(Text).ConfigureAwait(false);
    }

    private Task SendFileAsync(HttpContext context)
    {
        var file = new FileInfo(PathOf(context));
        context.Response.ContentType = "application/octet-stream";
        context.Response.ContentLength = file.Length;
        return context.Response.SendFileAsync(file.FullName);
    }

    private async Task ReceiveFileAsync(HttpContext context)
    {
        FileStream file = File.Create(PathOf(context));
        await using (file.ConfigureAwait(false))
        {
            await context.Request.Body.CopyToAsync(file).ConfigureAwait(false);
        }
    }

    // Only the laboratory sends requests, on loopback, with names that it chose.
    private string PathOf(HttpContext context) =>
        Path.Combine(ServerFolders.Files(_folder), Path.GetFileName(context.Request.Path.Value!));
}

/// <param name="Http2">HTTP/2 without TLS; null of a server that is not asked for it.</param>
/// <param name="Grpc">The same, for gRPC.</param>
internal sealed record ServedAddress(Uri Http1, Uri? Http2, Uri? Grpc)
{
    public static ServedAddress Parse(string text)
    {
        string[] parts = text.Split(' ', StringSplitOptions.RemoveEmptyEntries);
        return new ServedAddress(
            new Uri(parts[0]), parts.Length > 1 ? new Uri(parts[1]) : null, parts.Length > 2 ? new Uri(parts[2]) : null);
    }

    public override string ToString() => $"{Http1} {Http2} {Grpc}";
}

/// <summary>Millrace's gRPC service in a separate application: the plain one beside it lacks access control.</summary>
internal sealed class GrpcServer : IAsyncDisposable
{
    private readonly LocalFileStore _store;
    private readonly WebApplication _plain;
    private readonly WebApplication _app;

    private GrpcServer(LocalFileStore store, WebApplication plain, WebApplication app)
    {
        _store = store;
        _plain = plain;
        _app = app;
        Address = new Uri(app.Urls.Last());
    }

    public Uri Address { get; }

    /// <param name="folder">The folder that it serves.</param>
    /// <param name="plain">Disposed with it.</param>
    /// <param name="builder">With the transport.</param>
    public static async Task<GrpcServer> StartAsync(string folder, WebApplication plain, WebApplicationBuilder builder)
    {
        builder.Services.AddRoutingCore();
        builder.Services.AddMillraceTransfer();
        WebApplication app = builder.Build();
        var store = new LocalFileStore(folder, new LocalFileStoreOptions { Durability = Durability.None, ComputeSha256 = false });
        app.MapMillraceGrpc(store).AllowAnonymous();
        await app.StartAsync().ConfigureAwait(false);
        return new GrpcServer(store, plain, app);
    }

    public async ValueTask DisposeAsync()
    {
        await _plain.DisposeAsync().ConfigureAwait(false);
        await _app.DisposeAsync().ConfigureAwait(false);
        await _store.DisposeAsync().ConfigureAwait(false);
    }
}

/// <summary>nginx with sendfile as the only process that serves: https://nginx.org/en/docs/.</summary>
internal sealed class NginxServer : IAsyncDisposable
{
    private const string Name = "nginx";
    private static readonly TimeSpan TimeToStart = TimeSpan.FromSeconds(10);

    private readonly Process _process;

    private NginxServer(Process process, Uri address)
    {
        _process = process;
        Address = address;
    }

    /// <summary>Why it cannot be used; null when it can.</summary>
    public static string? WhyNot => Installed.WhyNot(Name, "nginx-light");

    public Uri Address { get; }

    public int Id => _process.Id;

    public static NginxServer Start(string folder)
    {
        string own = Directory.CreateDirectory(Path.Combine(folder, Name)).FullName;
        int port = FreePort();
        string configuration = Path.Combine(own, "nginx.conf");
        string temporary = string.Concat(
            from module in (string[])["client_body", "proxy", "fastcgi", "uwsgi", "scgi"] select $"{module}_temp_path {own}/{module}; ");
        File.WriteAllText(configuration, $$"""
            daemon off; master_process off; pid {{own}}/pid; error_log stderr crit;
            events { worker_connections 1024; }
            http {
              {{temporary}}
              access_log off; sendfile on; default_type application/octet-stream; keepalive_requests 1000000000;
              server { listen 127.0.0.1:{{port}}; root {{folder}}; }
            }
            """);
        Process process = Process.Start(new ProcessStartInfo(Installed.Find(Name)!, ["-p", own, "-c", configuration, "-e", "stderr"])
        {
            UseShellExecute = false,
            RedirectStandardError = true,
        })!;
        WaitFor(process, process.StandardError.ReadToEndAsync(), port);
        return new NginxServer(process, new Uri($"http://127.0.0.1:{port}/"));
    }

    public ValueTask DisposeAsync()
    {
        _process.Kill();
        _process.WaitForExit();
        _process.Dispose();
        return ValueTask.CompletedTask;
    }

    private static int FreePort()
    {
        using var probe = new TcpListener(IPAddress.Loopback, 0);
        probe.Start();
        return ((IPEndPoint)probe.LocalEndpoint).Port;
    }

    private static void WaitFor(Process process, Task<string> errors, int port)
    {
        // Between two looks, its end is waited for: it may have refused its configuration.
        for (var watch = Stopwatch.StartNew(); !process.WaitForExit(TimeSpan.FromMilliseconds(20)) && watch.Elapsed < TimeToStart;)
        {
            try
            {
                using var probe = new TcpClient();
                probe.Connect(IPAddress.Loopback, port);
                return;
            }
            catch (SocketException)
            {
                // Not yet.
            }
        }

        process.Kill();
        throw new LabException($"nginx did not start: {errors.Result}");
    }
}
