using System.Diagnostics;

namespace Millrace.Transfer.Server;

/// <summary>
/// Divides the rate of one direction between the callers, and that of a caller between its requests, in turns of a few KiB. Thread-safe.
/// </summary>
/// <remarks>
/// The caller that has had the fewest bytes is next: start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996), among callers, and among the
/// requests of each. A turn looks at every waiting caller; there are no more of them than connections.
/// </remarks>
internal sealed class RateGate : IDisposable
{
    /// <summary>The first bytes of a request do not wait, so that small files and listings stay quick. They count.</summary>
    public const int FirstBytes = 64 * 1024;

    /// <summary>Minimum bytes of a turn: fewer are not worth a wake-up.</summary>
    private const int MinTurn = 4 * 1024;

    /// <summary>Maximum bytes of a turn: a block of a file.</summary>
    private const int MaxTurn = 256 * 1024;

    /// <summary>Turns in a second, so that 256 transfers of a caller all move within a client's usual patience.</summary>
    private const int TurnsPerSecond = 20;

    private readonly Lock _lock = new();
    private readonly TimeProvider _clock;
    private readonly TransferMeter _meter;
    private readonly string _direction;
    private readonly ITimer _timer;
    private readonly Dictionary<string, Caller> _callers = new(StringComparer.Ordinal);
    private readonly List<Caller> _waiting = [];

    /// <summary>Unused time that may be used later, because timers fire late.</summary>
    private readonly long _slack;

    /// <summary>Time that the first bytes of requests may take in advance; after that, they wait like all others.</summary>
    private readonly long _maxDebt;
    private RatePace _total;
    private long _virtualTime;
    private int _sweepAt = 64;

    /// <param name="total">Bytes per second of all callers; null for any.</param>
    /// <param name="clock">The clock.</param>
    /// <param name="meter">Where delays are counted.</param>
    /// <param name="direction"><c>receive</c> or <c>transmit</c>.</param>
    public RateGate(long? total, TimeProvider clock, TransferMeter meter, string direction)
    {
        _clock = clock;
        _meter = meter;
        _direction = direction;
        _slack = clock.TimestampFrequency / 10;
        _maxDebt = clock.TimestampFrequency;
        _total = new RatePace(total ?? 0, clock.TimestampFrequency);
        _timer = clock.CreateTimer(static gate => ((RateGate)gate!).OnTimer(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Requests that wait for their turn.</summary>
    public int Waiting
    {
        get
        {
            lock (_lock)
            {
                return _waiting.Sum(static caller => caller.Waiting.Count);
            }
        }
    }

    /// <summary>Callers that are remembered, because a request of theirs runs or has taken time in advance.</summary>
    public int Callers
    {
        get
        {
            lock (_lock)
            {
                return _callers.Count;
            }
        }
    }

    /// <summary>Begins a request.</summary>
    /// <param name="name">The subject of the limit.</param>
    /// <param name="rate">Its bytes per second, of all its requests; null for any.</param>
    /// <param name="moved">Bytes that the request has moved already.</param>
    public RateFlow Open(string name, long? rate, long moved = 0)
    {
        lock (_lock)
        {
            if (!_callers.TryGetValue(name, out Caller? caller))
            {
                Sweep();
                _callers.Add(name, caller = new Caller());
            }

            if (caller.Pace.BytesPerSecond != (rate ?? 0))
            {
                caller.Pace = new RatePace(rate ?? 0, _clock.TimestampFrequency);
            }

            caller.Requests++;
            return new RateFlow(this, caller, TurnOf(caller)) { First = (int)Math.Max(0, FirstBytes - moved) };
        }
    }

    /// <summary>See <see cref="RateFlow.TakeAsync"/>.</summary>
    public ValueTask<int> TakeAsync(RateFlow flow, int bytes)
    {
        lock (_lock)
        {
            if (flow.IsOver || bytes <= 0)
            {
                return new(bytes);
            }

            if (flow.Left > 0)
            {
                int left = Math.Min(bytes, flow.Left);
                flow.Left -= left;
                return new(left);
            }

            long now = _clock.GetTimestamp();
            Caller caller = flow.Caller;
            if (flow.First > 0 && _total.IsWithin(now, _maxDebt) && caller.Pace.IsWithin(now, _maxDebt))
            {
                int first = Math.Min(bytes, flow.First);
                flow.First -= first;
                Charge(flow, first, now);
                return new(first);
            }

            if (caller.Waiting.Count == 0)
            {
                caller.VirtualTime = Math.Max(caller.VirtualTime, _virtualTime);
                _waiting.Add(caller);
            }

            flow.Wait(bytes);
            caller.Waiting.Add(flow);
            Serve(now, flow);
            if (!flow.IsWaiting)
            {
                return new(flow.Granted);
            }

            _meter.Waiting(_direction, 1);
            return flow.AsTask();
        }
    }

    /// <summary>Takes bytes without waiting; later requests wait for them.</summary>
    public int TakeNow(RateFlow flow, int bytes)
    {
        lock (_lock)
        {
            int taken = Math.Min(bytes, flow.TurnBytes);
            Charge(flow, taken, _clock.GetTimestamp());
            return taken;
        }
    }

    /// <summary>Ends a wait with so many bytes, which do not count.</summary>
    /// <returns>False if it does not wait.</returns>
    public bool EndWait(RateFlow flow, int bytes)
    {
        lock (_lock)
        {
            if (!flow.IsWaiting)
            {
                return false;
            }

            Remove(flow);
            _meter.Waiting(_direction, -1);
            flow.Grant(bytes);
            flow.Continue();
            return true;
        }
    }

    /// <summary>Lets a request go on without waiting, because it is over.</summary>
    public void End(RateFlow flow)
    {
        lock (_lock)
        {
            flow.IsOver = true;
            EndWait(flow, flow.Wanted);
        }
    }

    /// <summary>Forgets a request.</summary>
    public void Close(RateFlow flow)
    {
        lock (_lock)
        {
            End(flow);
            Caller caller = flow.Caller;
            caller.Requests--;
            _total.Return(flow.Left);
            caller.Pace.Return(flow.Left);
            caller.VirtualTime -= flow.Left;
            flow.Left = 0;
        }
    }

    public void Dispose() => _timer.Dispose();

    private void OnTimer()
    {
        lock (_lock)
        {
            Serve(_clock.GetTimestamp(), self: null);
        }
    }

    /// <summary>Serves the requests that may move bytes now, and sets the timer for the others.</summary>
    /// <param name="now">The time.</param>
    /// <param name="self">The request on whose thread this runs, which continues without a wake-up.</param>
    private void Serve(long now, RateFlow? self)
    {
        long due = long.MaxValue;
        while (_waiting.Count > 0)
        {
            if (!_total.IsDue(now))
            {
                due = _total.Next;
                break;
            }

            Caller? next = null;
            due = long.MaxValue;
            foreach (Caller caller in _waiting)
            {
                if (!caller.Pace.IsDue(now))
                {
                    due = Math.Min(due, caller.Pace.Next);
                }
                else if (next is null || caller.VirtualTime < next.VirtualTime)
                {
                    next = caller;
                }
            }

            if (next is null)
            {
                break;
            }

            RateFlow flow = next.Waiting[0];
            foreach (RateFlow other in next.Waiting)
            {
                flow = other.VirtualTime < flow.VirtualTime ? other : flow;
            }

            // All turns have the same size: a request that takes little at once keeps the rest.
            Remove(flow);
            int bytes = Math.Min(flow.Wanted, flow.TurnBytes);
            flow.Left = flow.TurnBytes - bytes;

            // A caller that its own rate kept back has no claim to the bytes that others had meanwhile.
            next.VirtualTime = _virtualTime = Math.Max(_virtualTime, next.VirtualTime);
            flow.VirtualTime = next.RequestTime = Math.Max(next.RequestTime, flow.VirtualTime);
            Charge(flow, flow.TurnBytes, now);
            flow.Grant(bytes);
            if (flow != self)
            {
                _meter.Waiting(_direction, -1);
                _meter.Delayed(_direction, bytes);
                flow.Continue();
            }
        }

        if (due != long.MaxValue)
        {
            // At least a millisecond, which is the step of the system's timers.
            TimeSpan wait = _clock.GetElapsedTime(now, due);
            _timer.Change(wait < TimeSpan.FromMilliseconds(1) ? TimeSpan.FromMilliseconds(1) : wait, Timeout.InfiniteTimeSpan);
        }
    }

    private void Charge(RateFlow flow, int bytes, long now)
    {
        Caller caller = flow.Caller;
        _total.Reserve(bytes, now, _slack);
        caller.Pace.Reserve(bytes, now, _slack);
        caller.VirtualTime = Math.Max(caller.VirtualTime, _virtualTime) + bytes;
        flow.VirtualTime = Math.Max(flow.VirtualTime, caller.RequestTime) + bytes;
    }

    private void Remove(RateFlow flow)
    {
        List<RateFlow> requests = flow.Caller.Waiting;
        requests.Remove(flow);
        if (requests.Count == 0)
        {
            _waiting.Remove(flow.Caller);
        }
    }

    private int TurnOf(Caller caller)
    {
        long rate = Math.Min(Rate(_total), Rate(caller.Pace));
        return (int)Math.Clamp(rate / TurnsPerSecond, MinTurn, MaxTurn);

        static long Rate(RatePace pace) => pace.BytesPerSecond == 0 ? long.MaxValue : pace.BytesPerSecond;
    }

    /// <summary>Removes callers that have no requests and owe no time, whenever the number of callers has doubled.</summary>
    private void Sweep()
    {
        if (_callers.Count < _sweepAt)
        {
            return;
        }

        long now = _clock.GetTimestamp();
        foreach ((string name, Caller caller) in _callers)
        {
            if (caller.Requests == 0 && caller.Pace.IsDue(now))
            {
                _callers.Remove(name);
            }
        }

        _sweepAt = Math.Max(64, 2 * _callers.Count);
    }

    /// <summary>A token, or an address. Guarded by the gate's lock.</summary>
    [DebuggerDisplay("{Waiting.Count} of {Requests} wait")]
    internal sealed class Caller
    {
        public List<RateFlow> Waiting { get; } = [];

        public RatePace Pace;

        public int Requests { get; set; }

        /// <summary>Bytes that it has had, to compare with other callers.</summary>
        public long VirtualTime { get; set; }

        /// <summary>Bytes that the last served request had had, compared with others of this caller.</summary>
        public long RequestTime { get; set; }
    }
}
