using System.Net;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.Options;

namespace Millrace.Transfer.Server;

/// <summary>
/// Sockets for the port of HTTP/2 without TLS, with one block to receive into. Kestrel copies frames out of it into a second buffer, so
/// it receives while it works anyway; with as much as HTTP/1.1 needs, 300 connections that send at once took 30 MB more.
/// </summary>
internal sealed class Http2Transport(EndPoint port, IOptionsFactory<SocketTransportOptions> options, ILoggerFactory loggers)
    : IConnectionListenerFactory, IConnectionListenerFactorySelector
{
    private const int BlockBytes = 64 * 1024;

    public bool CanBind(EndPoint endpoint) => endpoint.Equals(port);

    public ValueTask<IConnectionListener> BindAsync(EndPoint endpoint, CancellationToken cancellationToken = default)
    {
        SocketTransportOptions sockets = options.Create(Options.DefaultName);
        sockets.MaxReadBufferSize = Math.Min(sockets.MaxReadBufferSize ?? long.MaxValue, BlockBytes);
        return new SocketTransportFactory(Options.Create(sockets), loggers).BindAsync(endpoint, cancellationToken);
    }
}
