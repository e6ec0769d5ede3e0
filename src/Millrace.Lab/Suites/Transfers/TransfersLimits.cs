using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>How long the parts of the suite may take.</summary>
internal sealed record TransfersLimits : SuiteLimits
{
    /// <summary>Phases of the warm-up at most. Fewer are for who measures nothing.</summary>
    public int WarmUpPhases { get; init; } = WarmUp.MaximumPhases;

    /// <summary>Rounds of what waits for no device, in one launch.</summary>
    public required RunLimits Unflushed { get; init; }

    /// <summary>Rounds of what does.</summary>
    public required RunLimits Durable { get; init; }

    /// <summary>Rounds of what goes over a link, which takes seconds each.</summary>
    public required RunLimits Linked { get; init; }

    /// <summary>Four to five minutes with the processes for memory. A verdict needs five rounds of every launch.</summary>
    public static TransfersLimits Quick { get; } = new()
    {
        Total = TimeSpan.FromSeconds(230),
        Unflushed = new RunLimits { MinimumRounds = 5, MaximumRounds = 16, Time = TimeSpan.FromSeconds(14) },
        Durable = new RunLimits { MinimumRounds = 5, MaximumRounds = 12, Time = TimeSpan.FromSeconds(20) },
        Linked = new RunLimits { MinimumRounds = 2, MaximumRounds = 2, Time = TimeSpan.Zero },
    };

    /// <summary>As long as enough samples take.</summary>
    public static TransfersLimits Full { get; } = new()
    {
        Unflushed = new RunLimits { MinimumRounds = 5, MaximumRounds = 20, Time = TimeSpan.FromMinutes(8) },
        Durable = new RunLimits { MinimumRounds = 5, MaximumRounds = 20, Time = TimeSpan.FromMinutes(2) },
        Linked = new RunLimits { MinimumRounds = 2, MaximumRounds = 2, Time = TimeSpan.Zero },
    };
}
