using System.Net;
using System.Net.Sockets;
using Millrace.Lab.Network;

namespace Millrace.Lab.Tests.Network;

/// <summary>One direction, with a clock that the test has.</summary>
public sealed class DelayLineTests : IDisposable
{
    private const int Capacity = 1024 * 1024;
    private const int Delay = 1000;

    private readonly Socket _sender;
    private readonly Socket _from;
    private readonly Socket _to;
    private readonly Socket _receiver;

    public DelayLineTests()
    {
        (_sender, _from) = Pair();
        (_to, _receiver) = Pair();
        foreach (Socket socket in (Socket[])[_from, _to, _receiver])
        {
            socket.Blocking = false;
        }
    }

    [Fact]
    public void Nothing_is_sent_early()
    {
        using DelayLine line = Line();
        Send("abc"u8, line, now: 5000);
        Assert.Equal(6000, line.NextDue);
        Assert.True(line.TrySend(5999));
        Assert.Equal(0, Arrived());
        Assert.True(line.TrySend(6000));
        Assert.Equal(3, Arrived());
        Assert.Equal(long.MaxValue, line.NextDue);
    }

    [Fact]
    public void Later_bytes_leave_later()
    {
        using DelayLine line = Line();
        Send("abc"u8, line, now: 5000);
        Send("de"u8, line, now: 5500);
        Assert.True(line.TrySend(6000));
        Assert.Equal(3, Arrived());
        Assert.True(line.TrySend(6500));
        Assert.Equal(2, Arrived());
    }

    [Fact]
    public void First_bytes_wait_for_the_handshake()
    {
        using DelayLine line = Line(notBefore: 9000);
        Send("abc"u8, line, now: 5000);
        Assert.Equal(9000, line.NextDue);
    }

    [Fact]
    public void End_of_stream_takes_as_long_as_bytes()
    {
        using DelayLine line = Line();
        _sender.Shutdown(SocketShutdown.Send);
        Receive(line, now: 5000);
        Assert.False(line.WantsInput);
        Assert.True(line.TrySend(5999));
        Assert.False(line.IsDone);
        Assert.True(line.TrySend(6000));
        Assert.True(line.IsDone);
    }

    [Fact]
    public void Full_line_accepts_nothing_until_something_has_left()
    {
        using DelayLine line = Line();
        byte[] piece = new byte[64 * 1024];
        int taken = 0;
        while (line.WantsInput)
        {
            Send(piece, line, now: 5000);
            taken += piece.Length;
        }

        Assert.InRange(taken, Capacity / 2, Capacity);
        for (int left = taken; !line.WantsInput && left > 0;)
        {
            Assert.True(line.TrySend(6000));
            left -= Arrived();
        }

        Assert.True(line.WantsInput);
    }

    [Fact]
    public void Overflowing_moments_lose_nothing()
    {
        using DelayLine line = Line();
        byte[] expected = new byte[3000];
        for (int i = 0; i < expected.Length; i++)
        {
            expected[i] = (byte)i;
            Send(expected.AsSpan(i, 1), line, now: 5000 + (i * 100L));
        }

        Assert.True(line.TrySend(long.MaxValue));
        Assert.Equal(expected.Length, Arrived());
    }

    [Fact]
    public void Blocked_receiver_is_served_when_it_reads_again()
    {
        using DelayLine line = Line();
        byte[] piece = new byte[64 * 1024];
        while (!line.IsBlocked)
        {
            while (line.WantsInput)
            {
                Send(piece, line, now: 5000);
            }

            Assert.True(line.TrySend(6000));
        }

        Assert.Equal(long.MaxValue, line.NextDue);
        Assert.True(Arrived() > 0);
        Assert.True(line.TrySend(6000));
        Assert.True(Arrived() > 0);
    }

    [Fact]
    public void Disconnected_receiver_is_reported()
    {
        using DelayLine line = Line();
        Send("abc"u8, line, now: 0);
        _receiver.LingerState = new LingerOption(enable: true, seconds: 0);
        _receiver.Dispose();
        Assert.False(line.TrySend(Delay));
    }

    public void Dispose()
    {
        _sender.Dispose();
        _from.Dispose();
        _to.Dispose();
        _receiver.Dispose();
    }

    private DelayLine Line(long notBefore = 0) => new(_from, _to, Delay, notBefore, Capacity);

    private void Send(ReadOnlySpan<byte> bytes, DelayLine line, long now)
    {
        Assert.Equal(bytes.Length, _sender.Send(bytes));
        Receive(line, now);
    }

    // What was sent over loopback is there when the call that sent it returns.
    private void Receive(DelayLine line, long now)
    {
        do
        {
            Assert.True(line.TryReceive(now));
        }
        while (_from.Available > 0 && line.WantsInput);
    }

    private int Arrived()
    {
        byte[] buffer = new byte[64 * 1024];
        int all = 0;
        while (_receiver.Receive(buffer, SocketFlags.None, out SocketError error) is var read && error == SocketError.Success && read > 0)
        {
            all += read;
        }

        return all;
    }

    private static (Socket, Socket) Pair()
    {
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        var connecting = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        connecting.Connect(listener.LocalEndPoint!);
        return (connecting, listener.Accept());
    }
}
