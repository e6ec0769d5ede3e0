using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Writes;

/// <summary>How long the parts of the suite may take.</summary>
internal sealed record WritesLimits : SuiteLimits
{
    /// <summary>Rounds of what waits for no device, in one launch.</summary>
    public required RunLimits Unflushed { get; init; }

    /// <summary>Rounds of what does.</summary>
    public required RunLimits Durable { get; init; }

    /// <summary>Four minutes in all. A verdict needs five rounds of every launch.</summary>
    public static WritesLimits Quick { get; } = new()
    {
        Total = TimeSpan.FromSeconds(240),
        Unflushed = new RunLimits { MinimumRounds = 5, MaximumRounds = 12, Time = TimeSpan.FromSeconds(20) },
        Durable = new RunLimits { MinimumRounds = 5, MaximumRounds = 12, Time = TimeSpan.FromSeconds(20) },
    };

    /// <summary>As long as enough samples take.</summary>
    public static WritesLimits Full { get; } = new()
    {
        Unflushed = new RunLimits { MinimumRounds = 10, MaximumRounds = 20, Time = TimeSpan.FromMinutes(6) },
        Durable = new RunLimits { MinimumRounds = 10, MaximumRounds = 20, Time = TimeSpan.FromMinutes(6) },
    };
}
