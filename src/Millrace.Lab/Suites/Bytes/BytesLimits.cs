using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Bytes;

/// <summary>How long the suite may take.</summary>
internal sealed record BytesLimits : SuiteLimits
{
    /// <summary>Rounds of all launches together.</summary>
    public required int Rounds { get; init; }

    /// <summary>Rounds of all launches together that are made whatever they take.</summary>
    public int MinimumRounds { get; init; } = 9;

    /// <summary>The time of all invocations of a case, in all launches together, after which it gets no more of them.</summary>
    public required TimeSpan CaseTime { get; init; }

    /// <summary>Time of the rounds of one launch.</summary>
    public required TimeSpan RoundTime { get; init; }

    /// <summary>
    /// Four minutes in all. A round takes about 8 seconds, 5 of them for the plain async sequence, and a verdict needs five
    /// rounds of every launch.
    /// </summary>
    public static BytesLimits Quick { get; } = new()
    {
        Total = TimeSpan.FromSeconds(240),
        Rounds = 24,
        MinimumRounds = 15,
        CaseTime = TimeSpan.FromSeconds(12),
        RoundTime = TimeSpan.FromSeconds(32),
    };

    /// <summary>100 invocations or 30 seconds a case, whichever comes first, as in the article.</summary>
    public static BytesLimits Full { get; } = new()
    {
        Rounds = 102,
        CaseTime = TimeSpan.FromSeconds(30),
        RoundTime = TimeSpan.MaxValue,
    };

    /// <summary>The part of one launch.</summary>
    public RunLimits OfOne(int launches) => new()
    {
        MinimumRounds = Math.Max(1, (MinimumRounds + launches - 1) / launches),
        MaximumRounds = Math.Max(1, (Rounds + launches - 1) / launches),
        Time = RoundTime,
        CaseTime = CaseTime / launches,
        MaximumPerVisit = 1,
    };
}
