using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;

namespace Millrace.Kestrel;

/// <summary>Serves HTTP/1.1 and HTTP/2 on one port without TLS.</summary>
public static class Http2PriorKnowledge
{
    /// <summary>
    /// Listens on an address for HTTP/1.1 and for HTTP/2 without TLS by prior knowledge (h2c): a connection speaks HTTP/2 if it begins
    /// with HTTP/2's connection preface (RFC 9113, 3.4), and HTTP/1.1 otherwise. If <paramref name="configure"/> calls
    /// <c>UseHttps</c>, ALPN decides instead, as usual. Kestrel lists the address twice, once for each protocol.
    /// </summary>
    /// <param name="kestrel">Kestrel's options.</param>
    /// <param name="endPoint">An <see cref="IPEndPoint"/>, a Unix socket or a file handle.</param>
    /// <param name="configure">
    /// Adds connection middleware, which runs for both protocols. Leave <see cref="ListenOptions.Protocols"/> as it is. May be null.
    /// </param>
    /// <exception cref="InvalidOperationException"><see cref="MillraceSockets.UseMillraceSockets"/> was not called.</exception>
    public static void ListenWithHttp2PriorKnowledge(
        this KestrelServerOptions kestrel, EndPoint endPoint, Action<ListenOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(kestrel);
        ArgumentNullException.ThrowIfNull(endPoint);
        MillraceSocketOptions options = kestrel.ApplicationServices?.GetServices<IConnectionListenerFactory>()
            .OfType<SocketListenerFactory>().LastOrDefault()?.Options
            ?? throw new InvalidOperationException(
                $"{nameof(ListenWithHttp2PriorKnowledge)} needs Millrace's transport: call builder.WebHost.{nameof(MillraceSockets.UseMillraceSockets)}().");
        ListenOptions? first = null;
        var http2 = new Http2EndPoint(() => first!.EndPoint);
        kestrel.Listen(endPoint, listen =>
        {
            first = listen;
            configure?.Invoke(listen);
            listen.UseMillraceInterimResponses();
            listen.Use(next => connection => RunAsync(connection, next, http2, kestrel.Limits, options));
        });
        kestrel.Listen(http2, listen =>
        {
            listen.Protocols = HttpProtocols.Http2;
            listen.UseMillraceInterimResponses();
        });
    }

    /// <remarks>
    /// Every connection belongs to the first endpoint until it ends, so Kestrel's limit counts it once and from its first moment; the
    /// second endpoint's count is never higher.
    /// </remarks>
    private static Task RunAsync(
        ConnectionContext connection, ConnectionDelegate next, Http2EndPoint http2, KestrelServerLimits limits, MillraceSocketOptions options) =>
        connection.Features.Get<ITlsHandshakeFeature>() is not null
            ? next(connection)
            : ChooseAsync(connection, next, http2, limits, options);

    private static async Task ChooseAsync(
        ConnectionContext connection, ConnectionDelegate next, Http2EndPoint http2, KestrelServerLimits limits, MillraceSocketOptions options)
    {
        CancellationToken stopping = connection.Features.Get<IConnectionLifetimeNotificationFeature>()?.ConnectionClosedRequested ?? default;
        switch (await Http2Preface.FindAsync(connection.Transport.Input, limits.KeepAliveTimeout, options.PrefaceTimeout, stopping))
        {
            case PrefaceResult.Http1:
                await next(connection);
                break;
            case PrefaceResult.Http2:
                connection.Features.Get<SocketConnection>()?.BeginHttp2();
                await http2.RunAsync(connection);
                break;
            default:
                // Timed out, stopped or reset: Kestrel closes it when this returns.
                break;
        }
    }
}
