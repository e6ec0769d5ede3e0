using System.Net.Sockets;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Kestrel;

/// <summary>
/// A thread that waits for the events of many sockets, and reports them to each. The framework has such threads, too; but they ask a socket before
/// they wait for it, wake up for room that another thread waits for, and pass everything to the thread pool (docs/measuring.md).
/// </summary>
internal sealed unsafe class EventLoop
{
    public const string ThreadName = "Millrace sockets";

    private const int MaxEvents = 256;

    private static readonly EventLoop?[] All = new EventLoop?[Math.Min(Environment.ProcessorCount, 16)];
    private static int s_last;

    private readonly SafeFileHandle _poll = EventPoll.Create();
    private readonly Lock _lock = new();
    private readonly Stack<int> _free = new();
    private SocketEvents?[] _sockets = new SocketEvents?[64];
    private int _count;

    private EventLoop()
    {
        try
        {
            new Thread(Run) { IsBackground = true, Name = ThreadName }.Start();
        }
        catch (OutOfMemoryException exception)
        {
            throw new IOException("The system has no thread for the events of sockets.", exception);
        }
    }

    /// <summary>One of as many as there are processors.</summary>
    /// <exception cref="IOException">The process has too many open files or threads.</exception>
    public static EventLoop Next()
    {
        lock (All)
        {
            s_last = (s_last + 1) % All.Length;
            return All[s_last] ??= new EventLoop();
        }
    }

    /// <summary>Begins to report the events of a socket.</summary>
    /// <returns>A number, for <see cref="Change"/> and <see cref="Remove"/>.</returns>
    public int Add(SocketEvents socket, SafeSocketHandle handle, uint events)
    {
        int number;
        lock (_lock)
        {
            if (!_free.TryPop(out number))
            {
                number = _count++;
                if (number == _sockets.Length)
                {
                    Array.Resize(ref _sockets, 2 * number);
                }
            }

            _sockets[number] = socket;
        }

        try
        {
            EventPoll.Watch(_poll, handle, events, number, isNew: true);
            return number;
        }
        catch
        {
            Remove(number);
            throw;
        }
    }

    public void Change(int number, SafeSocketHandle handle, uint events) => EventPoll.Watch(_poll, handle, events, number, isNew: false);

    /// <summary>To be called after the socket was closed. An event that is on its way may reach the next socket with that number: it looks in vain.</summary>
    public void Remove(int number)
    {
        lock (_lock)
        {
            _sockets[number] = null;
            _free.Push(number);
        }
    }

    private void Run()
    {
        byte* events = stackalloc byte[MaxEvents * EventPoll.EventBytes];
        while (true)
        {
            int count = EventPoll.Wait(_poll, events, MaxEvents);
            for (int i = 0; i < count; i++)
            {
                SocketEvents?[] sockets = Volatile.Read(ref _sockets);
                sockets[EventPoll.Data(events, i)]?.Report(EventPoll.Events(events, i));
            }
        }
    }
}
