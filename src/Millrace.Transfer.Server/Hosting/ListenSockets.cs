using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;

namespace Millrace.Transfer.Server;

/// <summary>
/// The sockets of a server, bound before Kestrel starts: so it is known which ports they got, and what to say when one is
/// taken.
/// </summary>
internal sealed class ListenSockets : IDisposable
{
    private readonly Dictionary<EndPoint, Socket> _bound = [];

    /// <summary>Binds one.</summary>
    /// <returns>Where it listens.</returns>
    /// <exception cref="SocketException">That is not possible.</exception>
    public IPEndPoint Bind(IPAddress address, int port)
    {
        Socket socket = SocketTransportOptions.CreateDefaultBoundListenSocket(new IPEndPoint(address, port));
        var endPoint = (IPEndPoint)socket.LocalEndPoint!;
        _bound.Add(endPoint, socket);
        return endPoint;
    }

    /// <summary>Hands one over to Kestrel, which closes it.</summary>
    public Socket Take(EndPoint endPoint) => _bound.Remove(endPoint, out Socket? socket)
        ? socket
        : SocketTransportOptions.CreateDefaultBoundListenSocket(endPoint);

    /// <summary>Closes those that nobody took.</summary>
    public void Dispose()
    {
        foreach (Socket socket in _bound.Values)
        {
            socket.Dispose();
        }

        _bound.Clear();
    }
}
