using System.Net;
using System.Net.Sockets;
using System.Runtime.Versioning;

namespace Millrace.Lab.Tests.Network;

/// <summary>A client and a server with a relay between them.</summary>
[SupportedOSPlatform("linux")]
internal sealed class Ends : IDisposable
{
    /// <summary>Long enough for any machine; only what hangs takes it.</summary>
    private const int PatienceMilliseconds = 300_000;

    private readonly Socket _listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);

    public Ends(TimeSpan roundTrip)
    {
        _listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _listener.Listen();
        Relay = Relay.Start((IPEndPoint)_listener.LocalEndPoint!, roundTrip, bitsPerSecond: 1_000_000_000);
        (Client, Server) = Connect();
    }

    public Relay Relay { get; }
    public Socket Client { get; }
    public Socket Server { get; }

    public (Socket Client, Socket Server) Connect()
    {
        var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        client.Connect(Relay.Address);
        Socket server = _listener.Accept();
        foreach (Socket socket in (Socket[])[client, server])
        {
            socket.NoDelay = true;
            socket.ReceiveTimeout = PatienceMilliseconds;
            socket.SendTimeout = PatienceMilliseconds;
        }

        return (client, server);
    }

    public static byte[] ReadToEnd(Socket socket)
    {
        using var all = new MemoryStream();
        byte[] buffer = new byte[64 * 1024];
        while (socket.Receive(buffer) is > 0 and int read)
        {
            all.Write(buffer, 0, read);
        }

        return all.ToArray();
    }

    public static byte[] Content(int length, int seed) => Millrace.Testing.Content.Random(length, seed);

    public void Dispose()
    {
        Client.Dispose();
        Server.Dispose();
        Relay.Dispose();
        _listener.Dispose();
    }
}
