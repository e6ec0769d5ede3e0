namespace Millrace.Lab.Comparing;

/// <summary>The values of one metric of one case.</summary>
internal sealed record MetricSamples
{
    /// <summary>The metric.</summary>
    public required MetricKind Kind { get; init; }

    /// <summary>The method that was measured.</summary>
    public required string Method { get; init; }

    /// <summary>Measured metrics: one value per launch and round, in that order.</summary>
    public IReadOnlyList<RoundValue> Rounds { get; init; } = [];

    /// <summary>Counts: every value.</summary>
    public IReadOnlyList<double> Counts { get; init; } = [];

    /// <summary>Why there is nothing to compare; null when there is.</summary>
    public string? Missing { get; init; }

    /// <summary>The median of all values; null where there is none.</summary>
    public double? Median => Kind.IsMeasured
        ? Rounds.Count == 0 ? null : new Statistics(Rounds.Select(round => round.Value)).Median
        : Counts.Count == 0 ? null : new Statistics(Counts).Median;

    /// <summary>
    /// The ratios to another case of the same run, round by round. What is left was measured within a second or so, and a
    /// machine that drifts does not show in it.
    /// </summary>
    public MetricSamples RelativeTo(MetricSamples baseline)
    {
        ArgumentNullException.ThrowIfNull(baseline);
        Dictionary<(int, int), double> others =
            baseline.Rounds.ToDictionary(round => (round.Launch, round.Round), round => round.Value);
        return this with
        {
            Rounds =
            [
                .. Rounds.Where(round => others.ContainsKey((round.Launch, round.Round)))
                    .Select(round => round with { Value = round.Value / others[(round.Launch, round.Round)] }),
            ],
            Missing = Missing ?? (baseline.Missing is { } missing ? $"{baseline.Method}: {missing}" : null),
        };
    }

    /// <summary>The same with the values of each launch divided by a factor.</summary>
    public MetricSamples Without(Func<int, double> factorOfLaunch) =>
        this with { Rounds = [.. Rounds.Select(round => round with { Value = round.Value / factorOfLaunch(round.Launch) })] };
}
