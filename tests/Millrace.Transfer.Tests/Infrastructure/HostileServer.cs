using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Millrace.Transfer.Tests.Infrastructure;

/// <summary>A real Kestrel on loopback that answers as no server of ours can be made to.</summary>
internal sealed class HostileServer : IAsyncDisposable
{
    private readonly WebApplication _app;
    private int _requests;

    private HostileServer(WebApplication app) => _app = app;

    public Uri Files => new(new Uri(_app.Urls.Single()), "/files/");

    /// <summary>Requests that came.</summary>
    public int Requests => Volatile.Read(ref _requests);

    public static async Task<HostileServer> StartAsync(RequestDelegate answer)
    {
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Logging.ClearProviders();
        builder.WebHost.UseKestrelCore().ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0));
        var server = new HostileServer(builder.Build());
        server._app.Run(context =>
        {
            Interlocked.Increment(ref server._requests);
            return answer(context);
        });
        await server._app.StartAsync();
        return server;
    }

    /// <summary>A correct description, then the test's bytes.</summary>
    public static Task<HostileServer> StartDescribedAsync(RequestDelegate answer) => StartAsync(context =>
        context.Request.Path == ServerDescription.Path
            ? JsonAsync(context, Description(context.Connection.LocalPort, """ "files":"/files","uploads":"/uploads" """))
            : answer(context));

    /// <summary>A description with these members.</summary>
    public static string Description(int port, string members) =>
        "{" + members + string.Concat(",\"wires\":[", string.Join(',', ((string[])["http1", "http2", "tus", "grpc-web"]).Select(
            name => $$"""{"name":"{{name}}","scheme":"http","port":{{port}}}""")), "]}");

    public static Task JsonAsync(HttpContext context, string json, string mediaType = "application/json", int status = 200)
    {
        context.Response.StatusCode = status;
        context.Response.ContentType = mediaType;
        return context.Response.WriteAsync(json);
    }

    /// <summary>Writes JSON that never ends, until the client has enough of it.</summary>
    public static async Task EndlessAsync(HttpContext context, string beginning, string mediaType = "application/json", int status = 200)
    {
        await JsonAsync(context, beginning, mediaType, status);
        byte[] more = new byte[64 * 1024];
        Array.Fill(more, (byte)' ');
        while (!context.RequestAborted.IsCancellationRequested)
        {
            await context.Response.Body.WriteAsync(more, context.RequestAborted);
        }
    }

    public TransferClient Connect(Action<TransferClientOptions>? change = null) => Clients.To(Files, options =>
    {
        options.MaxAttempts = 1;
        change?.Invoke(options);
    });

    public async ValueTask DisposeAsync() => await _app.DisposeAsync();
}
