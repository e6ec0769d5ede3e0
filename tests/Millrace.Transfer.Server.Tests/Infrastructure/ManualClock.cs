namespace Millrace.Transfer.Server.Tests.Infrastructure;

/// <summary>A clock that goes when it is told to; it begins now, because files bear times too.</summary>
internal sealed class ManualClock : TimeProvider
{
    private DateTimeOffset _now = DateTimeOffset.UtcNow;

    public override DateTimeOffset GetUtcNow() => _now;

    public void Advance(TimeSpan by) => _now += by;
}
