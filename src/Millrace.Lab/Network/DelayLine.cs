using System.Net.Sockets;

namespace Millrace.Lab.Network;

/// <summary>
/// One direction of a relayed connection: a ring of bytes that one thread fills and another one empties, each byte when it has
/// been in it for as long as the way takes. The sockets are the caller's.
/// </summary>
/// <param name="delay">How long bytes take, in ticks of <see cref="Stopwatch"/>.</param>
/// <param name="notBefore">The timestamp before which nothing leaves.</param>
/// <param name="capacity">Bytes that are on their way at most.</param>
[SupportedOSPlatform("linux")]
internal sealed class DelayLine(Socket from, Socket to, long delay, long notBefore, int capacity)
{
    /// <summary>Bytes of room below which it waits for more, so that a slow reader does not make for small reads.</summary>
    private const int MinRoom = 64 * 1024;

    private readonly byte[] _ring = GC.AllocateUninitializedArray<byte>(capacity);

    // When the bytes up to an end are due; the same end twice is that of the stream.
    private readonly Queue<(long Due, long End)> _moments = [];
    private readonly object _gate = new();
    private long _in;
    private long _out;
    private bool _isCut;

    /// <summary>Bytes that came so far.</summary>
    public long Received => Interlocked.Read(ref _in);

    /// <summary>Receives until the stream ends, or the line is cut.</summary>
    /// <exception cref="SocketException">The connection failed; likewise for <see cref="Send"/>.</exception>
    public void Receive()
    {
        int read;
        do
        {
            WaitForRoom();
            int at = (int)(_in % capacity);
            read = from.Receive(_ring.AsSpan(at, (int)Math.Min(capacity - (_in - _out), capacity - at)));
            lock (_gate)
            {
                _in += read;
                _moments.Enqueue((Math.Max(Stopwatch.GetTimestamp() + delay, notBefore), _in));
                Monitor.PulseAll(_gate);
            }
        }
        while (read > 0 && !_isCut);
    }

    /// <summary>Sends due bytes until the stream ends, which it hands on, or the line is cut.</summary>
    public void Send()
    {
        while (Next() is var (due, end))
        {
            LinuxClock.SleepUntil(due);
            if (end == _out)
            {
                to.Shutdown(SocketShutdown.Send);
                return;
            }

            while (_out < end)
            {
                int at = (int)(_out % capacity);
                int sent = to.Send(_ring.AsSpan(at, (int)Math.Min(end - _out, capacity - at)));
                lock (_gate)
                {
                    _out += sent;
                    Monitor.PulseAll(_gate);
                }
            }
        }
    }

    /// <summary>Makes both threads return; one that waits for a socket does when that is shut down.</summary>
    public void Cut()
    {
        lock (_gate)
        {
            _isCut = true;
            Monitor.PulseAll(_gate);
        }
    }

    private void WaitForRoom()
    {
        lock (_gate)
        {
            while (capacity - (_in - _out) < MinRoom && !_isCut)
            {
                Monitor.Wait(_gate);
            }
        }
    }

    private (long Due, long End)? Next()
    {
        lock (_gate)
        {
            while (_moments.Count == 0 && !_isCut)
            {
                Monitor.Wait(_gate);
            }

            return _isCut ? null : _moments.Dequeue();
        }
    }
}
