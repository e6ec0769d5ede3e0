using Grpc.Core;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>
/// The server's end of the rows over others' libraries of gRPC, and of HttpClient over HTTP/2, each started when it is asked for, with its
/// library's own limits and windows.
/// </summary>
internal sealed class GrpcServers : IDisposable
{
    private const string AskPath = "grpc/";
    private const string LibraryKey = "library";

    private readonly Lazy<WebApplication> _net;
    private readonly Lazy<Server> _core;

    public GrpcServers(string folder, IPAddress address)
    {
        _net = new(() => StartNet(folder, address));
        _core = new(() => StartCore(folder, address));
    }

    public static Task<string> FindAsync(Uri server, GrpcLibrary library) => Question.AskAsync(new Uri(server, AskPath + library));

    public void Map(IEndpointRouteBuilder endpoints) => endpoints.MapMethods($"/{AskPath}{{{LibraryKey}}}", [HttpMethods.Get], context =>
        context.Response.WriteAsync(AddressOf(Enum.Parse<GrpcLibrary>((string)context.Request.RouteValues[LibraryKey]!))));

    public void Dispose()
    {
        if (_net.IsValueCreated)
        {
            _net.Value.DisposeAsync().AsTask().GetAwaiter().GetResult();
        }

        if (_core.IsValueCreated)
        {
            _core.Value.KillAsync().GetAwaiter().GetResult();
        }
    }

    /// <returns>Host and port.</returns>
    private string AddressOf(GrpcLibrary library)
    {
        if (library == GrpcLibrary.Core)
        {
            ServerPort port = _core.Value.Ports.Single();
            return string.Create(CultureInfo.InvariantCulture, $"{port.Host}:{port.BoundPort}");
        }

        string[] urls = [.. _net.Value.Urls];
        return new Uri(library == GrpcLibrary.Net ? urls[1] : urls[0]).Authority;
    }

    private static WebApplication StartNet(string folder, IPAddress address)
    {
        WebApplicationBuilder builder = ServerEnd.CreateBuilder(options =>
        {
            options.Listen(address, 0, listen => listen.Protocols = HttpProtocols.Http1);
            options.Listen(address, 0, listen => listen.Protocols = HttpProtocols.Http2);
        });
        builder.Services.AddGrpc(options => options.CompressionProviders = [GrpcFiles.Gzip]);
        WebApplication app = builder.Build();
        app.UseGrpcWeb(new GrpcWebOptions { DefaultEnabled = true });
        app.MapGrpcService(GrpcFiles.Serve(folder));
        new PlainEndpoints(folder).Map(app);
        app.StartAsync().GetAwaiter().GetResult();
        return app;
    }

    private static Server StartCore(string folder, IPAddress address)
    {
        var server = new Server
        {
            Services = { GrpcFiles.Serve(folder) },
            Ports = { new ServerPort(address.ToString(), ServerPort.PickUnused, ServerCredentials.Insecure) },
        };
        server.Start();
        return server;
    }
}
