using System.Net.Sockets;

namespace Millrace.Kestrel;

/// <summary>Linux's way: what <see cref="EventLoop"/> reports about a socket, each change once (EPOLLET).</summary>
internal sealed class SocketEvents : Readiness
{
    private const uint Received = EventPoll.In | EventPoll.Urgent | EventPoll.PeerEnded | EventPoll.Edge;

    private readonly Socket _socket;
    private readonly EventLoop _loop = EventLoop.Next();
    private readonly int _number;
    private Reports _received;
    private Reports _room;
    private bool _watchesRoom;
    private IThreadPoolWorkItem? _sender;

    /// <param name="socket">A connected socket that does not block.</param>
    /// <exception cref="IOException">The system cannot watch it.</exception>
    public SocketEvents(Socket socket)
    {
        _socket = socket;
        _number = _loop.Add(this, socket.SafeHandle, Received);
    }

    /// <summary>Called on the thread of the loop.</summary>
    public void Report(uint events)
    {
        const uint Both = EventPoll.Error | EventPoll.HangUp;
        const uint Twice = Both | EventPoll.PeerEnded | EventPoll.Urgent;
        if ((events & (EventPoll.Out | Both)) != 0)
        {
            ReportRoom();
        }

        // After the last data, the end has to be received, too, and what follows urgent data. Neither is reported again.
        if ((events & (EventPoll.In | Twice)) != 0 && _received.Add((events & Twice) != 0 ? 2 : 1))
        {
            End();
        }
    }

    /// <summary>Waits, after a send that found no room, until there is some. Before the first time, the loop does not wake up for it.</summary>
    /// <param name="sender">What the thread pool runs then.</param>
    /// <returns>False if there may be room already: try to send.</returns>
    /// <exception cref="IOException">The system cannot watch it; <paramref name="sender"/> runs when the socket is closed.</exception>
    public bool WaitForRoom(IThreadPoolWorkItem sender)
    {
        _sender = sender;
        if (!_room.TryWait())
        {
            return false;
        }

        if (!_watchesRoom)
        {
            _watchesRoom = true;
            try
            {
                _loop.Change(_number, _socket.SafeHandle, Received | EventPoll.Out);
            }
            catch (ObjectDisposedException)
            {
                // Whoever closed it ends the wait.
            }
        }

        return true;
    }

    /// <summary>Ends all waits.</summary>
    public override void SocketClosed()
    {
        _loop.Remove(_number);
        ReportRoom();
        if (_received.Add(2))
        {
            // An application may close it anywhere: its thread does not run the reader.
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
    }

    protected override bool TryWait() => _received.TryWait();

    private void ReportRoom()
    {
        if (_room.Add(1))
        {
            // It may read a file, wait for room, and run the code that waits for a flush.
            ThreadPool.UnsafeQueueUserWorkItem(_sender!, preferLocal: false);
        }
    }

    /// <summary>How many reports no one has waited for, or that someone waits for the next.</summary>
    private struct Reports
    {
        private const int Waiting = -1;

        private int _count;

        /// <returns>False if there was one: it is used up.</returns>
        public bool TryWait()
        {
            while (true)
            {
                int seen = Volatile.Read(ref _count);
                if (Interlocked.CompareExchange(ref _count, seen == 0 ? Waiting : seen - 1, seen) == seen)
                {
                    return seen == 0;
                }
            }
        }

        /// <param name="times">How many attempts the report is good for.</param>
        /// <returns>Whether someone waited, and goes on now.</returns>
        public bool Add(int times)
        {
            while (true)
            {
                int seen = Volatile.Read(ref _count);
                int now = seen == Waiting ? times - 1 : Math.Max(seen, times);
                if (Interlocked.CompareExchange(ref _count, now, seen) == seen)
                {
                    return seen == Waiting;
                }
            }
        }
    }
}
