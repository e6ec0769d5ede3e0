using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Millrace.Kestrel;

/// <summary>Listens on TCP and Unix sockets for Kestrel, with one pool for all of them.</summary>
internal sealed class SocketListenerFactory(IOptions<MillraceSocketOptions> options, BlockPool pool, ILoggerFactory loggers)
    : IConnectionListenerFactory, IConnectionListenerFactorySelector
{
    private readonly ILogger _logger = loggers.CreateLogger("Millrace.Kestrel");

    internal BlockPool Pool => pool;

    internal MillraceSocketOptions Options => options.Value;

    public bool CanBind(EndPoint endpoint) =>
        endpoint is IPEndPoint or UnixDomainSocketEndPoint or FileHandleEndPoint or Http2EndPoint;

    public ValueTask<IConnectionListener> BindAsync(EndPoint endpoint, CancellationToken cancellationToken = default)
    {
        if (endpoint is Http2EndPoint http2)
        {
            return new(http2);
        }

        Socket socket;
        try
        {
            socket = options.Value.CreateBoundListenSocket(endpoint);
        }
        catch (SocketException exception) when (exception.SocketErrorCode == SocketError.AddressAlreadyInUse)
        {
            throw new AddressInUseException(exception.Message, exception);
        }

        try
        {
            socket.Listen(options.Value.Backlog);
            return new(new SocketListener(socket, pool, options.Value, _logger));
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }
}
