namespace Millrace.Transfer.Server.Tests.Infrastructure;

/// <summary>A clock that is advanced by the test; it begins now, because files bear times too.</summary>
public sealed class ManualClock : TimeProvider
{
    public DateTimeOffset Now { get; set; } = DateTimeOffset.UtcNow;

    public override DateTimeOffset GetUtcNow() => Now;

    public void Advance(TimeSpan by) => Now += by;
}
