namespace Millrace.Transfer.Server.Tests.Infrastructure;

/// <summary>A clock that stands still until the test advances it, and then fires its timers on the test's thread. It begins now.</summary>
public sealed class StepClock : TimeProvider
{
    private readonly Lock _lock = new();
    private readonly List<StepTimer> _timers = [];
    private readonly DateTimeOffset _begin = DateTimeOffset.UtcNow;
    private TimeSpan _passed;

    /// <summary>How far it was advanced.</summary>
    public TimeSpan Passed
    {
        get
        {
            lock (_lock)
            {
                return _passed;
            }
        }
    }

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Passed.Ticks;

    public override DateTimeOffset GetUtcNow() => _begin + Passed;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new StepTimer(this, callback, state);
        timer.Change(dueTime, period);
        return timer;
    }

    public void Advance(TimeSpan by)
    {
        List<StepTimer> due;
        lock (_lock)
        {
            _passed += by;
            due = [.. _timers.Where(timer => timer.Due <= _passed)];
            _timers.RemoveAll(due.Contains);
        }

        due.ForEach(static timer => timer.Fire());
    }

    private sealed class StepTimer(StepClock clock, TimerCallback callback, object? state) : ITimer
    {
        public TimeSpan Due { get; private set; }

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            lock (clock._lock)
            {
                clock._timers.Remove(this);
                if (dueTime != Timeout.InfiniteTimeSpan)
                {
                    Due = clock._passed + dueTime;
                    clock._timers.Add(this);
                }
            }

            return true;
        }

        public void Fire() => callback(state);

        public void Dispose() => Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);

        public ValueTask DisposeAsync()
        {
            Dispose();
            return default;
        }
    }
}
