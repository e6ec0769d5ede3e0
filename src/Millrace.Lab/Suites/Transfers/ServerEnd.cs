using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>The server's end of all methods: HTTP/1.1 on loopback, without TLS, on Kestrel's own sockets.</summary>
internal sealed class ServerEnd : IServedFiles
{
    private readonly WebApplication _app;
    private readonly ServerMeters _meters;
    private readonly StoreServers _stores;
    private readonly CoreEndpoints _cores;

    private ServerEnd(WebApplication app, ServerMeters meters, StoreServers stores, CoreEndpoints cores, Uri address)
    {
        _app = app;
        _cores = cores;
        _meters = meters;
        _stores = stores;
        Address = address;
    }

    /// <inheritdoc/>
    public Uri Address { get; }

    /// <summary>Begins to serve a folder.</summary>
    /// <param name="folder">See <see cref="TransferFolders"/>.</param>
    /// <param name="processes">2 when this process has no other part in the run, otherwise 1.</param>
    public static ServerEnd Start(string folder, int processes)
    {
        TransferFolders.Make(folder);
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore().ConfigureKestrel(options =>
            options.Listen(IPAddress.Loopback, 0, listen => listen.Protocols = HttpProtocols.Http1));
        builder.Services.AddRoutingCore();

        // The laboratory ends it; a Ctrl-C at the terminal, which every process gets, does not.
        builder.Services.AddSingleton<IHostLifetime, NoLifetime>();
        WebApplication app = builder.Build();
        var cores = new CoreEndpoints(folder);
        cores.Map(app);
        var meters = new ServerMeters(cores);
        meters.Map(app);
        var stores = new StoreServers(folder, processes);
        stores.Map(app);
        new PlainEndpoints(TransferFolders.Server(folder)).Map(app);
        app.StartAsync().GetAwaiter().GetResult();
        return new ServerEnd(app, meters, stores, cores, new Uri(app.Urls.Single() + "/"));
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _app.DisposeAsync().AsTask().GetAwaiter().GetResult();
        _stores.Dispose();
        _cores.Dispose();
        _meters.Dispose();
    }

    private sealed class NoLifetime : IHostLifetime
    {
        public Task WaitForStartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
