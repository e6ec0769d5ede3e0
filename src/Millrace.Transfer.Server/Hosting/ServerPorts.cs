using System.Net;
using System.Net.Sockets;

namespace Millrace.Transfer.Server;

/// <summary>Where a server listens.</summary>
/// <param name="Main">A port or a Unix socket for HTTP/1.1, and HTTP/2 with TLS or where <paramref name="MainHasHttp2"/>.</param>
/// <param name="MainHasHttp2">Whether the first speaks HTTP/2.</param>
/// <param name="Http2">A port for HTTP/2 without TLS; null when there is none.</param>
/// <param name="Note">Why HTTP/2 without TLS was left out; null otherwise.</param>
internal sealed record ServerPorts(EndPoint Main, bool MainHasHttp2, IPEndPoint? Http2, string? Note)
{
    private const string Host = "TransferHostOptions.Host";

    public static ServerPorts Bind(ListenSockets sockets, TransferHostOptions options)
    {
        if ((options.ListenSocket ?? BindUnix(options)) is { } socket)
        {
            bool hasHttp2 = options.CertificatePath is not null || (options.OfferHttp2Port && options.Transport == ServerTransport.Millrace);
            return new ServerPorts(
                sockets.Add(socket),
                hasHttp2,
                Http2: null,
                hasHttp2 || !options.OfferHttp2Port ? null : "HTTP/2 without TLS is left out: Kestrel's transport needs a port of its own for it.");
        }

        IPAddress address = ListenAddress.Parse(options.Host);
        string http2Port = options.NameOf("TransferHostOptions.Http2Port");
        IPEndPoint main = Bind(sockets, address, options.Port, options, options.NameOf("TransferHostOptions.Port"));
        bool withTls = options.CertificatePath is not null;
        bool mainHasHttp2 = withTls || (options.OfferHttp2Port && options.Transport == ServerTransport.Millrace);
        if (withTls || !options.OfferHttp2Port)
        {
            return new ServerPorts(main, mainHasHttp2, Http2: null, Note: null);
        }

        if (options.Http2Port is { } port)
        {
            return new ServerPorts(main, mainHasHttp2, Bind(sockets, address, port, options, http2Port), Note: null);
        }

        if (mainHasHttp2)
        {
            return new ServerPorts(main, mainHasHttp2, Http2: null, Note: null);
        }

        if (main.Port == IPEndPoint.MaxPort)
        {
            return new ServerPorts(main, mainHasHttp2, Http2: null, $"No port follows {main.Port} for HTTP/2; name one with {http2Port}.");
        }

        try
        {
            return new ServerPorts(main, mainHasHttp2, sockets.Bind(address, main.Port + 1), Note: null);
        }
        catch (SocketException exception)
        {
            return new ServerPorts(
                main,
                mainHasHttp2,
                Http2: null,
                $"HTTP/2 without TLS is left out: port {main.Port + 1} cannot be used ({exception.Message}). {http2Port} names another one.");
        }
    }

    private static Socket? BindUnix(TransferHostOptions options) =>
        options.SocketPath is { } path ? UnixListenSocket.Bind(path, options.SocketMode, options) : null;

    private static IPEndPoint Bind(ListenSockets sockets, IPAddress address, int port, TransferHostOptions options, string setting)
    {
        try
        {
            return sockets.Bind(address, port);
        }
        catch (SocketException exception)
        {
            string what = exception.SocketErrorCode switch
            {
                SocketError.AddressAlreadyInUse =>
                    $"Port {port} is taken by another program. Stop it, or choose another with {setting}; {setting} 0 takes a free one.",
                SocketError.AccessDenied =>
                    $"Port {port} needs rights that this process does not have. Choose one above 1023 with {setting}.",
                SocketError.AddressNotAvailable =>
                    $"{address} is not an address of this machine. 'ip address' lists them; {options.NameOf(Host)} '*' takes all.",
                _ => $"{address} port {port} cannot be listened on: {exception.Message}. Choose others with {options.NameOf(Host)} and {setting}.",
            };
            throw new TransferException(TransferError.Failed, what, innerException: exception);
        }
    }
}
