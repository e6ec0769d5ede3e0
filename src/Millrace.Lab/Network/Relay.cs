using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Runtime.Versioning;
using Millrace.Lab.Interop;

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
/// One thread serves all connections and waits for sockets and moments at once: bytes are copied once into the ring of their
/// direction and once out of it, in calls of up to 1 MiB. What TCP does at both ends is that of a short way: windows that
/// applications keep (HTTP/2's) meet the whole round trip, TCP's own do not. A new connection's first bytes take a round
/// trip more, as a handshake does.
/// </para>
/// </remarks>
[SupportedOSPlatform("linux")]
internal sealed class Relay : IDisposable
{
    private const int Backlog = 128;

    /// <summary>Bytes on one way at least, for ways that take next to no time.</summary>
    private const int MinCapacity = 1024 * 1024;

    private static readonly long LongestWait = Stopwatch.Frequency;

    private readonly Socket _listener;
    private readonly IPEndPoint _target;
    private readonly long _delay;
    private readonly int _capacity;
    private readonly List<RelayedConnection> _connections = [];
    private readonly Thread _thread;
    private LinuxPoll.Entry[] _entries = new LinuxPoll.Entry[16];
    private int _accepted;
    private volatile bool _stop;

    private Relay(IPEndPoint target, TimeSpan roundTrip, long bitsPerSecond, IPEndPoint listen)
    {
        const int BitsPerByte = 8;
        const int WaysOfRoundTrip = 2;
        _target = target;
        _delay = (long)(roundTrip.TotalSeconds / WaysOfRoundTrip * Stopwatch.Frequency);

        // Twice what is on its way at full speed: the rest waits for a link that is slower than the ends are.
        _capacity = (int)Math.Clamp(
            roundTrip.TotalSeconds * bitsPerSecond / BitsPerByte, MinCapacity, Array.MaxLength);
        _listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { Blocking = false };
        RelayedConnection.PrepareListener(_listener);
        _listener.Bind(listen);
        _listener.Listen(Backlog);
        Address = (IPEndPoint)_listener.LocalEndPoint!;
        _thread = new Thread(Run) { IsBackground = true, Name = "Relay" };
        _thread.Start();
    }

    public IPEndPoint Address { get; }

    public int Accepted => Volatile.Read(ref _accepted);

    /// <param name="roundTrip">How long it takes to be answered, beside what the ends and the link need; 0 or more.</param>
    /// <param name="bitsPerSecond">
    /// Of the fastest that the way is used at. It is not limited to that: the bytes that are on their way are, to twice as
    /// many as fill it, and beyond them the sender waits.
    /// </param>
    /// <param name="listen">
    /// Where clients connect to; null for any port of 127.0.0.1. A server that tells its ports needs the same ones here, at
    /// another address of loopback.
    /// </param>
    public static Relay Start(IPEndPoint target, TimeSpan roundTrip, long bitsPerSecond, IPEndPoint? listen = null)
    {
        ArgumentNullException.ThrowIfNull(target);
        ArgumentOutOfRangeException.ThrowIfLessThan(roundTrip, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(bitsPerSecond);
        return new Relay(target, roundTrip, bitsPerSecond, listen ?? new IPEndPoint(IPAddress.Loopback, 0));
    }

    public void Dispose()
    {
        _stop = true;
        using (var knock = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp))
        {
            // Wakes the thread. If that fails, its timeout wakes it a little later.
            knock.Blocking = false;
            try
            {
                knock.Connect(Address);
            }
            catch (SocketException)
            {
            }
        }

        _thread.Join();
    }

    private void Run()
    {
        while (!_stop)
        {
            Span<LinuxPoll.Entry> entries = Ask(out long nextDue);
            LinuxPoll.Wait(entries, Math.Clamp(nextDue - Stopwatch.GetTimestamp(), 0, LongestWait));
            long now = Stopwatch.GetTimestamp();
            Step(entries[1..], now);
            if (entries[0].Ready != 0 && !_stop)
            {
                Accept(now);
            }
        }

        _listener.Dispose();
        foreach (RelayedConnection connection in _connections)
        {
            connection.Dispose();
        }
    }

    private Span<LinuxPoll.Entry> Ask(out long nextDue)
    {
        int count = 1 + (2 * _connections.Count);
        if (_entries.Length < count)
        {
            Array.Resize(ref _entries, 2 * count);
        }

        Span<LinuxPoll.Entry> entries = _entries.AsSpan(0, count);
        entries[0] = new LinuxPoll.Entry { Descriptor = (int)_listener.Handle, Events = LinuxPoll.In };
        nextDue = long.MaxValue;
        for (int i = 0; i < _connections.Count; i++)
        {
            _connections[i].Ask(entries.Slice(1 + (2 * i), 2));
            nextDue = Math.Min(nextDue, _connections[i].NextDue);
        }

        // A difference to a timestamp must not overflow.
        nextDue = Math.Min(nextDue, long.MaxValue / 2);
        return entries;
    }

    private void Step(ReadOnlySpan<LinuxPoll.Entry> entries, long now)
    {
        // From the last one, so that removing does not shift what follows.
        for (int i = _connections.Count - 1; i >= 0; i--)
        {
            if (!TryStep(_connections[i], entries.Slice(2 * i, 2), now))
            {
                _connections[i].Dispose();
                _connections.RemoveAt(i);
            }
        }
    }

    private static bool TryStep(RelayedConnection connection, ReadOnlySpan<LinuxPoll.Entry> entries, long now)
    {
        try
        {
            return connection.TryStep(entries, now);
        }
        catch (SocketException)
        {
            // Its end was gone when it received the other's.
            return false;
        }
    }

    private void Accept(long now)
    {
        Socket? near = null;
        try
        {
            near = _listener.Accept();
            _connections.Add(new RelayedConnection(near, _target, _delay, now, _capacity));
            Interlocked.Increment(ref _accepted);
        }
        catch (SocketException)
        {
            // It has gone already, or the server is not there: then the client is told by the end of its connection.
            near?.Dispose();
        }
    }
}
