using System.Net;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.Hosting;
using Millrace.Kestrel;

namespace Millrace.Transfer.Server;

/// <summary>The application of a <see cref="TransferServer"/>, without endpoints: its services, Kestrel, and what each connection passes through.</summary>
internal static class KestrelHost
{
    public static WebApplication Build(
        TransferHostOptions options, ListenSockets sockets, ServerPorts ports, ServerCertificate? tls,
        Action<TransferAccessOptions> access)
    {
        // Empty and not slim: that would read appsettings.json of the current folder, which may be the one that is served.
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(
            new WebApplicationOptions { ContentRootPath = AppContext.BaseDirectory });
        builder.Services.AddRoutingCore();
        builder.Services.AddMetrics();
        builder.Services.AddSingleton<IHostLifetime, NoHostLifetime>();
        builder.Services.Configure<HostOptions>(host => host.ShutdownTimeout = Timeout.InfiniteTimeSpan);
        builder.Services.AddSingleton(options.TimeProvider);
        builder.Services.AddMillraceTransfer(access);
        if (options.Endpoints.AllowedOrigins.Count > 0)
        {
            builder.Services.AddCors();
        }

        // ASP.NET Core's request log contains the query, and so the signature of a link. The second one is the authentication
        // handlers' own: Millrace's log reports each refusal already.
        builder.Logging.AddFilter("Microsoft", LogLevel.Warning);
        builder.Logging.AddFilter("Millrace.Transfer.Server", LogLevel.Warning);

        // While it logs anything, ASP.NET Core starts an activity for every request. For a listener it does so anyway.
        builder.Logging.AddFilter("Microsoft.AspNetCore.Hosting.Diagnostics", LogLevel.None);

        // Kestrel ends a connection whose client resets its requests at once, and reports that as critical, with an exception, once
        // for each request. Millrace's log has the requests. Besides, only faults of Kestrel's own queue are in this category.
        builder.Logging.AddFilter("Microsoft.AspNetCore.Server.Kestrel.Http2", LogLevel.None);
        options.Logging?.Invoke(builder.Logging);
        builder.WebHost.UseKestrelCore();
        builder.Services.AddMillraceMemory();
        builder.Services.AddSingleton(services => new BufferLimit(
            options.Limits.MaxBufferedBytes,
            services.GetRequiredService<IMemoryPoolFactory<byte>>().Create(),
            services.GetRequiredService<ILoggerFactory>().CreateLogger(TransferDiagnostics.Name)));
        UseTransport(builder, options, sockets, ports);
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            KestrelLimits.Apply(kestrel, options.Limits);

            // HAProxy sends the scheme https over HTTP/2 without TLS. PublicPath does not believe it.
            kestrel.AllowAlternateSchemes = PublicPath.HasTrusted(options);
            Listen(kestrel, ports.Main, ports.MainHasHttp2 && tls is null, listen =>
            {
                ReadProxyHeader(listen, options);
                listen.Use(CountStreams);
                if (tls is null)
                {
                    listen.Protocols = HttpProtocols.Http1;
                }
                else
                {
                    listen.Use(next => connection => PlainRequests.RunAsync(connection, options.Limits.HeaderTimeout, next));
                    listen.UseHttps(tls.ForHandshakes(listen.ApplicationServices
                        .GetRequiredService<ILoggerFactory>().CreateLogger(TransferDiagnostics.Name)));
                    listen.UseMillraceInterimResponses();
                }

                LimitBuffers(listen);
            });
            if (ports.Http2 is not null)
            {
                kestrel.Listen(ports.Http2, listen =>
                {
                    listen.Protocols = HttpProtocols.Http2;
                    ReadProxyHeader(listen, options);
                    listen.Use(CountStreams);
                    listen.UseMillraceInterimResponses();
                    LimitBuffers(listen);
                });
            }
        });
        return builder.Build();
    }

    private static void UseTransport(WebApplicationBuilder builder, TransferHostOptions options, ListenSockets sockets, ServerPorts ports)
    {
        if (options.Transport == ServerTransport.Millrace)
        {
            builder.WebHost.UseMillraceSockets(transport =>
            {
                KestrelLimits.Apply(transport, options.Limits);
                transport.CreateBoundListenSocket = sockets.Take;
            });
            return;
        }

        builder.Services.Configure<SocketTransportOptions>(transport =>
        {
            KestrelLimits.Apply(transport, options.Limits);
            transport.CreateBoundListenSocket = sockets.Take;
        });
        if (ports.Http2 is not null)
        {
            builder.Services.AddSingleton<IConnectionListenerFactory>(services =>
                ActivatorUtilities.CreateInstance<Http2Transport>(services, ports.Http2));
        }
    }

    private static void Listen(KestrelServerOptions kestrel, EndPoint port, bool withHttp2, Action<ListenOptions> configure)
    {
        if (withHttp2)
        {
            kestrel.ListenWithHttp2PriorKnowledge(port, configure);
        }
        else
        {
            kestrel.Listen(port, configure);
        }
    }

    private static ConnectionDelegate CountStreams(ConnectionDelegate next) => connection =>
    {
        connection.Features.Set(new StreamCount());
        return next(connection);
    };

    /// <summary>Before anything else reads from a connection, TLS too.</summary>
    private static void ReadProxyHeader(ListenOptions listen, TransferHostOptions options)
    {
        if (options.ProxyProtocol)
        {
            var reader = new ProxyHeaderReader(
                options, listen.ApplicationServices.GetRequiredService<ILoggerFactory>().CreateLogger(TransferDiagnostics.Name));
            listen.Use(next => connection => reader.RunAsync(connection, next));
        }
    }

    private static void LimitBuffers(ListenOptions listen)
    {
        BufferLimit limit = listen.ApplicationServices.GetRequiredService<BufferLimit>();
        listen.Use(next => connection => limit.RunAsync(connection, next));
    }
}
