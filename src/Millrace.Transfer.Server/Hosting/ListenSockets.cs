using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;

namespace Millrace.Transfer.Server;

/// <summary>
/// The sockets of a server, bound before Kestrel starts: then the ports are known, and an error can name the one that is taken.
/// </summary>
internal sealed class ListenSockets : IDisposable
{
    private readonly Dictionary<EndPoint, Socket> _bound = [];

    public IPEndPoint Bind(IPAddress address, int port)
    {
        Socket socket = SocketTransportOptions.CreateDefaultBoundListenSocket(new IPEndPoint(address, port));
        return (IPEndPoint)Add(socket);
    }

    /// <summary>Adds a socket that is bound already, or listens.</summary>
    public EndPoint Add(Socket socket)
    {
        EndPoint endPoint = socket.LocalEndPoint!;
        _bound.Add(endPoint, socket);
        return endPoint;
    }

    /// <summary>For Kestrel, which closes the socket.</summary>
    public Socket Take(EndPoint endPoint) => _bound.Remove(endPoint, out Socket? socket)
        ? socket
        : SocketTransportOptions.CreateDefaultBoundListenSocket(endPoint);

    public void Dispose()
    {
        foreach (Socket socket in _bound.Values)
        {
            socket.Dispose();
        }

        _bound.Clear();
    }
}
