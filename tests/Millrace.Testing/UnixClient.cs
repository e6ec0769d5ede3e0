using System.Net.Sockets;

namespace Millrace.Testing;

public static class UnixClient
{
    /// <summary>Creates a client whose connections lead to a Unix socket, whatever the URL.</summary>
    public static HttpClient Create(string path) => new(new SocketsHttpHandler
    {
        ConnectCallback = async (_, cancellationToken) =>
        {
            var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            await socket.ConnectAsync(new UnixDomainSocketEndPoint(path), cancellationToken);
            return new NetworkStream(socket, ownsSocket: true);
        },
    })
    {
        Timeout = Bounded.Patience,
    };
}
