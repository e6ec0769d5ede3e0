using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>The server's end of all methods: HTTP/1.1 on loopback, without TLS, on Kestrel's own sockets.</summary>
internal sealed class ServerEnd : IServedFiles
{
    /// <summary>The number of one in the process that measures; see <see cref="TransferEnds.ServerNumber"/>.</summary>
    public const int Here = 1;
    public const int Near = 2;
    public const int Far = 3;

    private readonly WebApplication _app;
    private readonly ServerMeters _meters;
    private readonly StoreServers _stores;
    private readonly GrpcServers _grpc;
    private readonly LinkServers? _links;
    private readonly IDisposable? _raw;

    private ServerEnd(
        WebApplication app, ServerMeters meters, StoreServers stores, GrpcServers grpc, LinkServers? links, IDisposable? raw, Uri address)
    {
        _app = app;
        _grpc = grpc;
        _links = links;
        _raw = raw;
        _meters = meters;
        _stores = stores;
        Address = address;
    }

    public Uri Address { get; }

    public static ServerEnd Start(string folder) => Start(folder, Here, IPAddress.Loopback, links: null);

    public static ServerEnd Start(ServeRequest request) =>
        Start(FolderOf(request), Near, IPAddress.Loopback, new LinkServers(request));

    public static ServerEnd StartFar(ServeRequest request, IPAddress address) =>
        Start(FolderOf(request), Far, address, links: null);

    public static WebApplicationBuilder CreateBuilder(Action<KestrelServerOptions> configure)
    {
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore().ConfigureKestrel(configure);

        // The laboratory ends it; a Ctrl-C at the terminal, which every process gets, does not.
        builder.Services.AddSingleton<IHostLifetime, NoLifetime>();
        return builder;
    }

    private static string FolderOf(ServeRequest request) => new TransfersInputs(request.Inputs).Folder;

    private static ServerEnd Start(string folder, int number, IPAddress address, LinkServers? links)
    {
        TransferFolders.Make(folder);
        WebApplicationBuilder builder = CreateBuilder(options =>
            options.Listen(address, 0, listen => listen.Protocols = HttpProtocols.Http1));
        builder.Services.AddRoutingCore();
        WebApplication app = builder.Build();
        var meters = new ServerMeters();
        meters.Map(app);
        var stores = new StoreServers(folder, number, address);
        stores.Map(app);
        links?.Map(app);
        var grpc = new GrpcServers(TransferFolders.Server(folder), address);
        grpc.Map(app);
        new PlainEndpoints(TransferFolders.Server(folder)).Map(app);
        RawServer? raw = null;
        if (OperatingSystem.IsLinux())
        {
            raw = RawServer.Start(TransferFolders.Server(folder), address);
            raw.Map(app);
        }

        app.StartAsync().GetAwaiter().GetResult();
        return new ServerEnd(app, meters, stores, grpc, links, raw, new Uri(app.Urls.Single() + "/"));
    }

    public void Dispose()
    {
        _app.DisposeAsync().AsTask().GetAwaiter().GetResult();
        _stores.Dispose();
        _grpc.Dispose();
        _links?.Dispose();
        _raw?.Dispose();
        _meters.Dispose();
    }

    private sealed class NoLifetime : IHostLifetime
    {
        public Task WaitForStartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
