using System.Net.Sockets;

namespace Millrace.Lab.Network;

/// <summary>A connection through a <see cref="Relay"/>: two sockets, and the two ways between them with two threads each.</summary>
[SupportedOSPlatform("linux")]
internal sealed class RelayedConnection : IDisposable
{
    // Larger ones would buffer bytes that the link itself must hold back, smaller ones would need more calls.
    private const int SocketBufferBytes = 1024 * 1024;

    private readonly Socket _near;
    private readonly Socket _far;
    private readonly DelayLine _up;
    private readonly DelayLine _down;
    private readonly Thread[] _threads;
    private int _running;
    private int _isClosed;

    public RelayedConnection(Socket near, Socket far, long delay, long now, int capacity)
    {
        _near = near;
        _far = far;

        // The client's end was accepted at once; over such a way the handshake takes a round trip.
        _up = new DelayLine(near, far, delay, notBefore: now + (3 * delay), capacity);
        _down = new DelayLine(far, near, delay, notBefore: 0, capacity);
        _threads = [.. new Action[] { _up.Receive, _up.Send, _down.Receive, _down.Send }.Select(step => new Thread(() => Run(step)))];
        _running = _threads.Length;
        Array.ForEach(_threads, thread => thread.IsBackground = true);
        Array.ForEach(_threads, thread => thread.Start());
    }

    /// <summary>Bytes that came from both ends so far.</summary>
    public long Bytes => _up.Received + _down.Received;

    public bool IsOver => Volatile.Read(ref _running) == 0;

    /// <summary>Sets a socket's options. Those of a listening socket are what accepted sockets begin with.</summary>
    public static void Prepare(Socket socket)
    {
        socket.NoDelay = true;
        socket.ReceiveBufferSize = SocketBufferBytes;
        socket.SendBufferSize = SocketBufferBytes;
    }

    /// <summary>Cuts the connection, which both ends see as its end.</summary>
    public void Dispose()
    {
        _up.Cut();
        _down.Cut();
        foreach (Socket socket in (Socket[])[_near, _far])
        {
            try
            {
                socket.Shutdown(SocketShutdown.Both);
            }
            catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
            {
                // It has ended already.
            }
        }

        Array.ForEach(_threads, thread => thread.Join());
    }

    private void Run(Action step)
    {
        try
        {
            step();
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            Close(reset: true);
        }

        if (Interlocked.Decrement(ref _running) == 0)
        {
            Close(reset: false);
        }
    }

    // A connection that failed is reset at both ends.
    private void Close(bool reset)
    {
        if (Interlocked.Exchange(ref _isClosed, 1) != 0)
        {
            return;
        }

        foreach (Socket socket in (Socket[])[_near, _far])
        {
            socket.LingerState = new LingerOption(enable: reset, seconds: 0);
            socket.Dispose();
        }

        _up.Cut();
        _down.Cut();
    }
}
