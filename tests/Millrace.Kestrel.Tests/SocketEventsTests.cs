namespace Millrace.Kestrel.Tests;

/// <summary>What the system reports about a socket, and who goes on then.</summary>
public sealed class SocketEventsTests
{
    [NeedsFact(Need.Native)]
    public async Task Data_and_the_end_are_reported_whenever_they_come()
    {
        for (int i = 0; i < 100; i++)
        {
            using var pair = new SocketPair(native: true);
            SocketEvents events = pair.Events!;
            Task sent = Task.Run(async () =>
            {
                await pair.Receiver.SendAsync(new byte[i + 1]);
                if (i % 3 == 0)
                {
                    await Task.Yield();
                }

                pair.Receiver.Shutdown(SocketShutdown.Send);
            });
            if (i % 2 == 0)
            {
                await sent;
            }

            Assert.Equal(i + 1, await ReceiveAllAsync(pair.Sender, events));
            await sent;
            pair.Sender.Close();
            events.SocketClosed();
        }
    }

    [NeedsFact(Need.Native)]
    public async Task Wait_ends_when_the_socket_is_closed_here()
    {
        using var pair = new SocketPair(native: true);
        SocketEvents events = pair.Events!;
        while (!events.Begin())
        {
        }

        ValueTask ended = events.Ended;
        Assert.False(ended.IsCompleted);
        pair.Sender.Close();
        events.SocketClosed();
        await ended.AsTask().Soon();
    }

    [NeedsFact(Need.Native)]
    public async Task Room_is_reported_to_who_waits_for_it_and_to_no_one_else()
    {
        using var pair = new SocketPair(native: true);
        var sender = new Sender();
        for (int i = 0; i < 3; i++)
        {
            do
            {
                SocketError error;
                do
                {
                    pair.Sender.Send(new byte[65536], SocketFlags.None, out error);
                }
                while (error == SocketError.Success);

                Assert.Equal(SocketError.WouldBlock, error);

                // Not after the wait has begun: the peer's system may acknowledge, and so make room, before anything is received.
                Assert.Equal(i, sender.Runs);
            }
            while (!pair.Events!.WaitForRoom(sender));

            await Bounded.UntilAsync(() =>
            {
                _ = pair.Receiver.Available > 0 ? pair.Receiver.Receive(new byte[65536]) : 0;
                return sender.Runs == i + 1;
            });
        }

        pair.Sender.Close();
        pair.Events!.SocketClosed();
        Assert.Equal(3, sender.Runs);
    }

    private static async Task<int> ReceiveAllAsync(Socket socket, SocketEvents events)
    {
        int all = 0;
        byte[] buffer = new byte[1000];
        while (true)
        {
            if (events.Begin())
            {
                await events.Ended.AsTask().Soon();
            }

            int count = socket.Receive(buffer, SocketFlags.None, out SocketError error);
            all += count;
            if (count == 0 && error == SocketError.Success)
            {
                return all;
            }
        }
    }

    private sealed class Sender : IThreadPoolWorkItem
    {
        private int _runs;

        public int Runs => Volatile.Read(ref _runs);

        public void Execute() => Interlocked.Increment(ref _runs);
    }
}
