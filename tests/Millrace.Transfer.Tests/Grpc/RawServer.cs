using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging;

namespace Millrace.Transfer.Tests.Grpc;

/// <summary>A real Kestrel on loopback that answers calls with bytes that a test wrote, and knows nothing else.</summary>
internal sealed class RawServer : IAsyncDisposable
{
    private readonly WebApplication _app;
    private readonly TransferProtocol _protocol;

    private RawServer(WebApplication app, TransferProtocol protocol)
    {
        _app = app;
        _protocol = protocol;
    }

    public Uri Files => new(new Uri(_app.Urls.Single()), "/files/");

    public static async Task<RawServer> StartAsync(TransferProtocol protocol, RequestDelegate answer)
    {
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Logging.ClearProviders();
        builder.WebHost.UseKestrelCore().ConfigureKestrel(kestrel =>
        {
            kestrel.Limits.MaxRequestBodySize = null;
            kestrel.Listen(IPAddress.Loopback, 0, listen => listen.Protocols =
                protocol == TransferProtocol.Grpc ? HttpProtocols.Http2 : HttpProtocols.Http1);
        });
        WebApplication app = builder.Build();
        app.Run(context =>
        {
            if (context.Request.Path.StartsWithSegments("/millrace.v1.FileTransfer", StringComparison.Ordinal))
            {
                return answer(context);
            }

            context.Response.StatusCode = StatusCodes.Status404NotFound;
            return Task.CompletedTask;
        });
        await app.StartAsync();
        return new RawServer(app, protocol);
    }

    public TransferClient Connect(Action<TransferClientOptions>? change = null) => Clients.To(Files, options =>
    {
        options.Protocol = _protocol;
        options.MaxAttempts = 1;
        change?.Invoke(options);
    });

    public async ValueTask DisposeAsync() => await _app.DisposeAsync();
}
