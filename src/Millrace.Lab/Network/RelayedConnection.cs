using System.Net;
using System.Net.Sockets;
using System.Runtime.Versioning;
using Millrace.Lab.Interop;

namespace Millrace.Lab.Network;

/// <summary>A connection through a <see cref="Relay"/>: two sockets and the two ways between them. Used by one thread.</summary>
[SupportedOSPlatform("linux")]
internal sealed class RelayedConnection : IDisposable
{
    // Larger ones would take what the way itself must hold back, smaller ones would need more calls.
    private const int SocketBufferBytes = 1024 * 1024;

    private readonly Socket _near;
    private readonly Socket _far;
    private readonly DelayLine _up;
    private readonly DelayLine _down;
    private bool _connecting;

    /// <param name="delay">Of one way, in ticks.</param>
    /// <param name="capacity">Bytes on one way at most.</param>
    public RelayedConnection(Socket near, IPEndPoint target, long delay, long now, int capacity)
    {
        _near = near;
        _far = new Socket(target.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            Prepare(_near);
            Prepare(_far);
            _connecting = !TryConnect(target);
        }
        catch (SocketException)
        {
            _far.Dispose();
            throw;
        }

        // The client's end was accepted at once; over such a way the handshake takes a round trip.
        _up = new DelayLine(_near, _far, delay, notBefore: now + (3 * delay), capacity);
        _down = new DelayLine(_far, _near, delay, notBefore: 0, capacity);
    }

    /// <summary>When something is to be sent, as a timestamp.</summary>
    public long NextDue => _connecting ? long.MaxValue : Math.Min(_up.NextDue, _down.NextDue);

    /// <summary>Options that accepted sockets inherit from a listening socket, before a window is announced to the peer.</summary>
    public static void PrepareListener(Socket listener)
    {
        listener.ReceiveBufferSize = SocketBufferBytes;
        listener.SendBufferSize = SocketBufferBytes;
    }

    public void Dispose()
    {
        _near.Dispose();
        _far.Dispose();
        _up.Dispose();
        _down.Dispose();
    }

    public void Ask(Span<LinuxPoll.Entry> entries)
    {
        entries[0] = Ask(_near, _up.WantsInput, _down.IsBlocked);
        entries[1] = _connecting
            ? Ask(_far, input: false, output: true)
            : Ask(_far, _down.WantsInput, _up.IsBlocked);
    }

    /// <summary>Takes what has come, and sends what is due.</summary>
    /// <param name="entries">The answer to what <see cref="Ask(Span{LinuxPoll.Entry})"/> said.</param>
    /// <returns>False when the connection is over; one that failed is reset at both ends.</returns>
    public bool TryStep(ReadOnlySpan<LinuxPoll.Entry> entries, long now)
    {
        bool nearReady = entries[0].Ready != 0;
        bool farReady = entries[1].Ready != 0;
        if (_connecting && farReady)
        {
            _connecting = false;
            farReady = false;
            if ((SocketError)(int)_far.GetSocketOption(SocketOptionLevel.Socket, SocketOptionName.Error)! != SocketError.Success)
            {
                return Reset();
            }
        }

        bool works = (!nearReady || !_up.WantsInput || _up.TryReceive(now))
            && (!farReady || _connecting || !_down.WantsInput || _down.TryReceive(now))
            && (_connecting || (_up.TrySend(now) && _down.TrySend(now)));
        return works ? !(_up.IsDone && _down.IsDone) : Reset();
    }

    private static LinuxPoll.Entry Ask(Socket socket, bool input, bool output)
    {
        short events = (short)((input ? LinuxPoll.In : 0) | (output ? LinuxPoll.Out : 0));

        // Passed over when nothing is wanted: a hang-up would otherwise be told again and again.
        int descriptor = events == 0 ? -1 : (int)socket.Handle;
        return new LinuxPoll.Entry { Descriptor = descriptor, Events = events };
    }

    private static void Prepare(Socket socket)
    {
        socket.Blocking = false;
        socket.NoDelay = true;
        socket.ReceiveBufferSize = SocketBufferBytes;
        socket.SendBufferSize = SocketBufferBytes;
    }

    private bool TryConnect(IPEndPoint target)
    {
        try
        {
            _far.Connect(target);
            return true;
        }
        catch (SocketException exception) when (exception.SocketErrorCode is SocketError.WouldBlock or SocketError.InProgress)
        {
            return false;
        }
    }

    private bool Reset()
    {
        _near.LingerState = new LingerOption(enable: true, seconds: 0);
        _far.LingerState = new LingerOption(enable: true, seconds: 0);
        return false;
    }
}
