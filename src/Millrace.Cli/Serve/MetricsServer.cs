using System.Net;
using System.Security.Cryptography;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Millrace.Kestrel;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using OpenTelemetry.Resources;

namespace Millrace.Cli;

/// <summary>The process's meters at <c>/metrics</c>, on a separate address: clients that read files need not see them, and the reverse.</summary>
internal sealed class MetricsServer : IAsyncDisposable
{
    private const string Path = "/metrics";

    private static readonly string[] Meters =
        ["Millrace", "Millrace.Transfer", MillraceSockets.DiagnosticsName, "Microsoft.AspNetCore.Server.Kestrel", "System.Runtime"];

    private readonly WebApplication _application;
    private readonly MeterProvider _provider;

    private MetricsServer(WebApplication application, MeterProvider provider)
    {
        _application = application;
        _provider = provider;
        Url = new Uri(new Uri(application.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First()), Path);
    }

    public Uri Url { get; }

    /// <exception cref="IOException">The port is taken.</exception>
    public static async Task<MetricsServer> StartAsync(MetricsSettings settings, CancellationToken cancellationToken)
    {
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions { ContentRootPath = AppContext.BaseDirectory });
        builder.Services.AddSingleton<IHostLifetime, OwnersLifetime>();
        builder.WebHost.UseKestrelCore();
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            kestrel.AddServerHeader = false;
            kestrel.Listen(settings.Address);
        });
        MeterProvider provider = Sdk.CreateMeterProviderBuilder()
            .SetResourceBuilder(ResourceBuilder.CreateEmpty().AddService("millrace", autoGenerateServiceInstanceId: false))
            .AddMeter(Meters).AddPrometheusExporter().Build();
        WebApplication application = builder.Build();
        try
        {
            application.Use(next => context => RefusalOf(context.Request, settings) is { } status ? Refuse(context, status) : next(context));
            application.UseOpenTelemetryPrometheusScrapingEndpoint(provider, predicate: null, Path, configureBranchedPipeline: null, optionsName: null);
            await application.StartAsync(cancellationToken).ConfigureAwait(false);
            return new MetricsServer(application, provider);
        }
        catch
        {
            await application.DisposeAsync().ConfigureAwait(false);
            provider.Dispose();
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _application.DisposeAsync().ConfigureAwait(false);
        _provider.Dispose();
    }

    private static int? RefusalOf(HttpRequest request, MetricsSettings settings)
    {
        if (settings.Token is { } token)
        {
            byte[] wanted = Encoding.UTF8.GetBytes("Bearer " + token);
            return CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(request.Headers.Authorization.ToString()), wanted)
                ? null
                : StatusCodes.Status401Unauthorized;
        }

        // A web page can give its own name this machine's address.
        return IPAddress.TryParse(request.Host.Host, out _) || request.Host.Host.Equals("localhost", StringComparison.OrdinalIgnoreCase)
            ? null
            : StatusCodes.Status421MisdirectedRequest;
    }

    private static Task Refuse(HttpContext context, int status)
    {
        context.Response.StatusCode = status;
        if (status == StatusCodes.Status401Unauthorized)
        {
            context.Response.Headers.WWWAuthenticate = "Bearer";
        }

        return Task.CompletedTask;
    }

    /// <summary>The command handles signals.</summary>
    private sealed class OwnersLifetime : IHostLifetime
    {
        public Task WaitForStartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
