namespace Millrace.Transfer.Tests.Infrastructure;

/// <summary>A clock that a test sets forward, but not its timers, which never end.</summary>
internal sealed class ManualClock : TimeProvider
{
    private long _now;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => _now;

    public void Advance(TimeSpan time) => _now += time.Ticks;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) => new EndlessTimer();

    private sealed class EndlessTimer : ITimer
    {
        public bool Change(TimeSpan dueTime, TimeSpan period) => true;

        public void Dispose()
        {
        }

        public ValueTask DisposeAsync() => default;
    }
}
