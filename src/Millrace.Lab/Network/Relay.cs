using System.Net.Sockets;

namespace Millrace.Lab.Network;

/// <summary>
/// Stands between a client and a server and makes the way between them as long as one with a given round trip: every byte
/// is handed on half a round trip after it came, in order, in both directions, as fast as the ends are. Linux only.
/// </summary>
/// <remarks>
/// <para>
/// For a long way of a given bandwidth it stands before a <see cref="ShapedLink"/>, in whichever process:
/// <c>using var relay = Relay.Start(new IPEndPoint(link.Far, port), roundTrip, link.BitsPerSecond);</c>, and the client is
/// given <see cref="Address"/> instead of the server's.
/// </para>
/// <para>
/// Bytes are copied once into the ring of their direction and once out of it. What TCP does at both ends is that of a short
/// way: windows that applications keep (HTTP/2's) meet the whole round trip, TCP's own do not. A new connection's first bytes
/// take a round trip more, as a handshake does.
/// </para>
/// </remarks>
[SupportedOSPlatform("linux")]
internal sealed class Relay : IDisposable
{
    private const int Backlog = 128;

    /// <summary>Bytes on one way at least, for ways that take next to no time.</summary>
    private const int MinCapacity = 1024 * 1024;

    private readonly Socket _listener;
    private readonly IPEndPoint _target;
    private readonly long _delay;
    private readonly int _capacity;
    private readonly List<RelayedConnection> _connections = [];
    private readonly Thread _thread;
    private int _accepted;
    private long _bytes;

    private Relay(IPEndPoint target, TimeSpan roundTrip, long bitsPerSecond, IPEndPoint listen)
    {
        const int BitsPerByte = 8;
        const int WaysOfRoundTrip = 2;
        _target = target;
        _delay = (long)(roundTrip.TotalSeconds / WaysOfRoundTrip * Stopwatch.Frequency);

        // Twice the bytes in flight at full speed: the rest waits for a link that is slower than the ends are.
        _capacity = (int)Math.Clamp(
            roundTrip.TotalSeconds * bitsPerSecond / BitsPerByte, MinCapacity, Array.MaxLength);
        _listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        RelayedConnection.Prepare(_listener);
        _listener.Bind(listen);
        _listener.Listen(Backlog);
        Address = (IPEndPoint)_listener.LocalEndPoint!;
        _thread = new Thread(Run) { IsBackground = true, Name = "Relay" };
        _thread.Start();
    }

    public IPEndPoint Address { get; }

    /// <summary>Bytes that came from clients and servers so far.</summary>
    public long Bytes
    {
        get
        {
            lock (_connections)
            {
                return _bytes + _connections.Sum(connection => connection.Bytes);
            }
        }
    }

    public int Accepted => Volatile.Read(ref _accepted);

    /// <param name="roundTrip">The added round-trip time, beside that of the ends and the link; 0 or more.</param>
    /// <param name="bitsPerSecond">
    /// Of the fastest that the way is used at. It is not limited to that: the bytes that are on their way are, to twice as
    /// many as fill it, and beyond them the sender waits.
    /// </param>
    /// <param name="listen">
    /// Where clients connect to; null for any port of 127.0.0.1. A server that announces its ports needs the same ones here, at
    /// another address of loopback.
    /// </param>
    public static Relay Start(IPEndPoint target, TimeSpan roundTrip, long bitsPerSecond, IPEndPoint? listen = null)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(roundTrip, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(bitsPerSecond);
        return new Relay(target, roundTrip, bitsPerSecond, listen ?? new IPEndPoint(IPAddress.Loopback, 0));
    }

    public void Dispose()
    {
        _listener.Dispose();
        _thread.Join();
        _connections.ForEach(connection => connection.Dispose());
    }

    private void Run()
    {
        try
        {
            while (true)
            {
                Socket near = _listener.Accept();
                long now = Stopwatch.GetTimestamp();
                lock (_connections)
                {
                    _bytes += _connections.Where(connection => connection.IsOver).Sum(connection => connection.Bytes);
                    _connections.RemoveAll(connection => connection.IsOver);
                }

                if (TryConnect(near) is { } far)
                {
                    Interlocked.Increment(ref _accepted);
                    lock (_connections)
                    {
                        _connections.Add(new RelayedConnection(near, far, _delay, now, _capacity));
                    }
                }
            }
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // The relay was disposed of.
        }
    }

    private Socket? TryConnect(Socket near)
    {
        var far = new Socket(_target.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            RelayedConnection.Prepare(near);
            RelayedConnection.Prepare(far);
            far.Connect(_target);
            return far;
        }
        catch (SocketException)
        {
            // The server is not there: the client gets a reset.
            near.LingerState = new LingerOption(enable: true, seconds: 0);
            near.Dispose();
            far.Dispose();
            return null;
        }
    }
}
