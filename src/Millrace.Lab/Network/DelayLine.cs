using System.Diagnostics;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Millrace.Lab.Network;

/// <summary>
/// One direction of a relayed connection: a ring of bytes, each of which is sent on when it has been in it for as long as
/// the way takes. Used by one thread; the sockets do not block and are the caller's.
/// </summary>
/// <remarks>The ring is not the collector's memory, so that meters of the process that has the relay do not see it.</remarks>
internal sealed unsafe class DelayLine : IDisposable
{
    /// <summary>Bytes of a call at most.</summary>
    private const int LargestCall = 1024 * 1024;

    /// <summary>Bytes of room below which it waits for more, so that a slow reader does not make for small reads.</summary>
    private const int MinRoom = 64 * 1024;

    /// <summary>Moments that are told apart at once.</summary>
    private const int MaxMoments = 1024;

    /// <summary>Bytes that came within this part of the delay leave together.</summary>
    private const int MomentsInDelay = 256;

    private readonly Socket _from;
    private readonly Socket _to;
    private readonly long _delay;
    private readonly int _capacity;
    private readonly byte* _ring;
    private readonly Moment[] _moments = new Moment[MaxMoments];
    private readonly long _notBefore;
    private long _in;
    private long _out;
    private int _firstMoment;
    private int _momentCount;
    private bool _ended;
    private long _endDue;

    /// <param name="from">Where bytes come from.</param>
    /// <param name="delay">How long they take, in ticks of <see cref="Stopwatch"/>.</param>
    /// <param name="capacity">Bytes that are on their way at most.</param>
    public DelayLine(Socket from, Socket to, long delay, long notBefore, int capacity)
    {
        _from = from;
        _to = to;
        _delay = delay;
        _notBefore = notBefore;
        _capacity = capacity;
        _ring = (byte*)NativeMemory.Alloc((nuint)capacity);
    }

    /// <summary>Whether there is room for more, and more may come.</summary>
    public bool WantsInput => !_ended && _capacity - (_in - _out) >= MinRoom;

    /// <summary>Whether something should have been sent already, and could not.</summary>
    public bool IsBlocked { get; private set; }

    /// <summary>Whether all has been handed on, and the end too.</summary>
    public bool IsDone { get; private set; }

    /// <summary>When something is to be sent, as a timestamp; the greatest value for nothing.</summary>
    public long NextDue => IsBlocked || IsDone
        ? long.MaxValue
        : _momentCount > 0 ? _moments[_firstMoment].Due : _ended ? _endDue : long.MaxValue;

    public void Dispose() => NativeMemory.Free(_ring);

    /// <returns>False when the connection failed.</returns>
    public bool TryReceive(long now)
    {
        if (_in == _out)
        {
            // From the beginning: what is small stays in the processor's cache.
            _in = _out = 0;
        }

        int at = (int)(_in % _capacity);
        int room = (int)Math.Min(Math.Min(_capacity - (_in - _out), _capacity - at), LargestCall);
        int read = _from.Receive(new Span<byte>(_ring + at, room), SocketFlags.None, out SocketError error);
        if (error != SocketError.Success)
        {
            return error == SocketError.WouldBlock;
        }

        long due = Math.Max(now + _delay, _notBefore);
        if (read == 0)
        {
            _ended = true;
            _endDue = due;
            return true;
        }

        _in += read;
        Remember(due);
        return true;
    }

    /// <returns>False when the connection failed.</returns>
    public bool TrySend(long now)
    {
        IsBlocked = false;
        while (_momentCount > 0 && _moments[_firstMoment].Due <= now)
        {
            int at = (int)(_out % _capacity);
            int count = (int)Math.Min(Math.Min(DueEnd(now) - _out, _capacity - at), LargestCall);
            int sent = _to.Send(new ReadOnlySpan<byte>(_ring + at, count), SocketFlags.None, out SocketError error);
            if (error == SocketError.WouldBlock)
            {
                IsBlocked = true;
                return true;
            }

            if (error != SocketError.Success)
            {
                return false;
            }

            _out += sent;
            Forget();
        }

        if (_ended && !IsDone && _momentCount == 0 && _endDue <= now)
        {
            _to.Shutdown(SocketShutdown.Send);
            IsDone = true;
        }

        return true;
    }

    private void Remember(long due)
    {
        if (_momentCount > 0)
        {
            ref Moment last = ref _moments[(_firstMoment + _momentCount - 1) % MaxMoments];
            if (due - last.Begun <= _delay / MomentsInDelay || _momentCount == MaxMoments)
            {
                last.Due = due;
                last.End = _in;
                return;
            }
        }

        _moments[(_firstMoment + _momentCount) % MaxMoments] = new Moment { Begun = due, Due = due, End = _in };
        _momentCount++;
    }

    private long DueEnd(long now)
    {
        long end = _out;
        for (int i = 0; i < _momentCount; i++)
        {
            ref Moment moment = ref _moments[(_firstMoment + i) % MaxMoments];
            if (moment.Due > now)
            {
                break;
            }

            end = moment.End;
        }

        return end;
    }

    private void Forget()
    {
        while (_momentCount > 0 && _moments[_firstMoment].End <= _out)
        {
            _firstMoment = (_firstMoment + 1) % MaxMoments;
            _momentCount--;
        }
    }

    /// <summary>Bytes that leave together.</summary>
    private struct Moment
    {
        /// <summary>When the first of them is due to leave.</summary>
        public long Begun;

        public long Due;

        /// <summary>Bytes up to and with them.</summary>
        public long End;
    }
}
