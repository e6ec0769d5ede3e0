namespace Millrace.Transfer.Tests.Infrastructure;

/// <summary>A clock that a test sets forward.</summary>
internal sealed class ManualClock : TimeProvider
{
    private long _now;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => _now;

    public void Advance(TimeSpan time) => _now += time.Ticks;
}
