using System.Net;
using System.Net.Sockets;
using System.Runtime.Versioning;

namespace Millrace.Lab.Tests.Network;

[SupportedOSPlatform("linux")]
public sealed class RelayTests
{
    private static readonly TimeSpan Short = TimeSpan.FromMilliseconds(1);

    [NeedsFact(Need.Linux)]
    public async Task Bytes_arrive_in_their_order_in_both_directions_at_once()
    {
        using var ends = new Ends(TimeSpan.FromMilliseconds(10));
        byte[] up = Ends.Content(9_000_001, seed: 1);
        byte[] down = Ends.Content(7_000_003, seed: 2);
        Task<byte[]> arrivedUp = Task.Run(() => Ends.ReadToEnd(ends.Server));
        Task<byte[]> arrivedDown = Task.Run(() => Ends.ReadToEnd(ends.Client));
        await Task.WhenAll(Task.Run(() => SendAll(ends.Client, up)), Task.Run(() => SendAll(ends.Server, down)));
        Assert.Equal(up, await arrivedUp);
        Assert.Equal(down, await arrivedDown);
    }

    [NeedsFact(Need.Linux)]
    public void Answer_takes_the_round_trip_and_the_first_one_a_handshake_more()
    {
        var roundTrip = TimeSpan.FromMilliseconds(40);
        long begun = Stopwatch.GetTimestamp();
        using var ends = new Ends(roundTrip);
        byte[] one = new byte[1];
        Exchange(ends, one);
        Assert.True(Stopwatch.GetElapsedTime(begun) >= 2 * roundTrip, $"{Stopwatch.GetElapsedTime(begun)}");
        begun = Stopwatch.GetTimestamp();
        Exchange(ends, one);
        Assert.True(Stopwatch.GetElapsedTime(begun) >= roundTrip, $"{Stopwatch.GetElapsedTime(begun)}");
        begun = Stopwatch.GetTimestamp();
        ends.Client.Shutdown(SocketShutdown.Send);
        Assert.Empty(Ends.ReadToEnd(ends.Server));
        Assert.True(Stopwatch.GetElapsedTime(begun) >= roundTrip / 2, $"{Stopwatch.GetElapsedTime(begun)}");
    }

    [NeedsFact(Need.Linux)]
    public void Sender_waits_for_a_receiver_that_does_not_read_and_nothing_is_lost()
    {
        const int Limit = 64 * 1024 * 1024;
        using var ends = new Ends(Short);
        byte[] all = Ends.Content(Limit, seed: 4);
        ends.Client.Blocking = false;
        int sent = 0;
        while (sent < Limit && ends.Client.Poll(TimeSpan.FromMilliseconds(300), SelectMode.SelectWrite))
        {
            sent += ends.Client.Send(all.AsSpan(sent, 1024));
        }

        // Less than all of it, as the relay and the sockets hold a few MiB each.
        Assert.InRange(sent, 1024, Limit - 1);
        ends.Client.Shutdown(SocketShutdown.Send);
        Assert.Equal(all[..sent], Ends.ReadToEnd(ends.Server));
    }

    [NeedsFact(Need.Linux)]
    public void Round_trip_below_the_resolution_of_timers_is_kept()
    {
        var roundTrip = TimeSpan.FromMicroseconds(600);
        using var ends = new Ends(roundTrip);
        byte[] one = new byte[1];
        for (int i = 0; i < 20; i++)
        {
            long begun = Stopwatch.GetTimestamp();
            Exchange(ends, one);
            Assert.True(Stopwatch.GetElapsedTime(begun) >= roundTrip);
        }
    }

    [NeedsFact(Need.Linux)]
    public void End_of_one_direction_leaves_the_other_open()
    {
        using var ends = new Ends(Short);
        ends.Client.Send("question"u8);
        ends.Client.Shutdown(SocketShutdown.Send);
        Assert.Equal("question"u8, Ends.ReadToEnd(ends.Server));
        byte[] answer = Ends.Content(3_000_000, seed: 3);
        SendAll(ends.Server, answer);
        Assert.Equal(answer, Ends.ReadToEnd(ends.Client));
    }

    [NeedsFact(Need.Linux)]
    public void Reset_at_one_end_resets_the_other()
    {
        using var ends = new Ends(Short);
        Exchange(ends, new byte[1]);
        ends.Server.LingerState = new LingerOption(enable: true, seconds: 0);
        ends.Server.Dispose();
        SocketException error = Assert.Throws<SocketException>(() => ends.Client.Receive(new byte[1]));
        Assert.Equal(SocketError.ConnectionReset, error.SocketErrorCode);
    }

    [NeedsFact(Need.Linux)]
    public void Connections_do_not_disturb_each_other()
    {
        using var ends = new Ends(Short);
        (Socket client, Socket server) = ends.Connect();
        using (client)
        using (server)
        {
            ends.Client.Send("first"u8);
            client.Send("second"u8);
            client.Shutdown(SocketShutdown.Send);
            ends.Client.Shutdown(SocketShutdown.Send);
            Assert.Equal("second"u8, Ends.ReadToEnd(server));
            Assert.Equal("first"u8, Ends.ReadToEnd(ends.Server));
        }

        Assert.Equal(2, ends.Relay.Accepted);
    }

    [NeedsFact(Need.Linux)]
    public void Unreachable_server_ends_the_connection()
    {
        using var nobody = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        nobody.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        using var relay = Relay.Start((IPEndPoint)nobody.LocalEndPoint!, Short, bitsPerSecond: 1_000_000);
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        client.ReceiveTimeout = 60_000;
        client.Connect(relay.Address);
        SocketException error = Assert.Throws<SocketException>(() => client.Receive(new byte[1]));
        Assert.Equal(SocketError.ConnectionReset, error.SocketErrorCode);
    }

    [NeedsFact(Need.Linux)]
    public void Disposing_the_relay_cuts_its_connections()
    {
        using var ends = new Ends(Short);
        Exchange(ends, new byte[1]);
        ends.Relay.Dispose();
        Assert.Equal(0, ends.Client.Receive(new byte[1]));
        Assert.Throws<SocketException>(() => ends.Connect());
    }

    private static void Exchange(Ends ends, byte[] one)
    {
        ends.Client.Send(one);
        Assert.Equal(1, ends.Server.Receive(one));
        ends.Server.Send(one);
        Assert.Equal(1, ends.Client.Receive(one));
    }

    private static void SendAll(Socket socket, byte[] bytes)
    {
        for (int sent = 0; sent < bytes.Length;)
        {
            sent += socket.Send(bytes.AsSpan(sent));
        }

        socket.Shutdown(SocketShutdown.Send);
    }
}
