namespace Millrace.Kestrel.Tests;

/// <summary>Two connected sockets; the first one has room for a few KiB.</summary>
internal sealed class SocketPair : IDisposable
{
    public SocketPair(bool native)
    {
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen(1);
        Receiver = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { ReceiveBufferSize = 65536 };
        Receiver.Connect(listener.LocalEndPoint!);
        Sender = listener.Accept();
        Sender.SendBufferSize = 4096;
        Sender.Blocking = !native;
        Events = native ? new SocketEvents(Sender) : null;
    }

    public Socket Sender { get; }

    public SocketEvents? Events { get; }

    public Socket Receiver { get; }

    public void Dispose()
    {
        Sender.Dispose();
        Receiver.Dispose();
    }
}
