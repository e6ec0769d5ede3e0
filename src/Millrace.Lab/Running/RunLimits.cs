namespace Millrace.Lab.Running;

/// <summary>How many rounds a group of cases gets.</summary>
internal sealed record RunLimits
{
    /// <summary>Rounds that are made whatever they take, unless the whole run's time is over.</summary>
    public required int MinimumRounds { get; init; }

    /// <summary>Rounds after which more would tell nothing new.</summary>
    public required int MaximumRounds { get; init; }

    /// <summary>Time after which no further round begins.</summary>
    public required TimeSpan Time { get; init; }

    /// <summary>Time of a case's own invocations after which it gets no more than the minimum of rounds.</summary>
    public TimeSpan CaseTime { get; init; } = TimeSpan.MaxValue;

    /// <summary>
    /// Invocations shorter than this in total are repeated within one visit, up to <see cref="MaximumPerVisit"/>.
    /// </summary>
    public TimeSpan VisitTime { get; init; } = TimeSpan.FromMilliseconds(8);

    /// <summary>The most samples that one visit in a round takes.</summary>
    public int MaximumPerVisit { get; init; } = 4;
}
