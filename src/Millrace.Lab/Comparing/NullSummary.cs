namespace Millrace.Lab.Comparing;

/// <summary>The summary of a run that measured every method against itself: its noise, and how often a verdict is wrong.</summary>
internal sealed record NullSummary
{
    /// <summary>The part of pairs that may differ significantly, as a part of 1.</summary>
    public const double Allowed = 0.05;

    public required int Pairs { get; init; }

    /// <summary>Median of the deviations from 1 of the ratios of both medians; null without pairs.</summary>
    public double? MedianDeviation { get; init; }
    public double? P95Deviation { get; init; }
    public double? MaxDeviation { get; init; }
    public required double LaunchSpread { get; init; }
    public required int Judged { get; init; }
    public required IReadOnlyList<string> ToldApart { get; init; }
    public required IReadOnlyList<string> Reasons { get; init; }

    /// <summary>The part of the judged pairs that differed significantly; null when none was judged.</summary>
    public double? Share => Judged == 0 ? null : ToldApart.Count / (double)Judged;

    /// <summary>Summarises a run; verdicts that it does not have yet are added.</summary>
    public static NullSummary Of(LabResults results)
    {
        if (results.Cases.Any(item => NoiseFloor.IsAgain(item) && item.Verdicts is null))
        {
            results = InRunVerdicts.Add(results);
        }

        (CaseResult Case, VerdictResult Verdict)[] pairs =
        [
            .. from item in results.Cases
               where NoiseFloor.IsAgain(item)
               let verdict = item.Verdicts?.FirstOrDefault(one => one.Metric == Metrics.WallNs.Name)
               where verdict is not null
               select (item, verdict),
        ];
        double[] deviations = [.. results.Noise.Select(noise => noise.Deviation)];
        Statistics? statistics = deviations.Length == 0 ? null : new Statistics(deviations);
        return new NullSummary
        {
            Pairs = pairs.Length,
            MedianDeviation = statistics?.Median,
            P95Deviation = statistics?.Percentile(95),
            MaxDeviation = statistics?.Max,
            LaunchSpread = NoiseFloor.Of(results).LaunchSpread,
            Judged = pairs.Count(pair => pair.Verdict.Verdict != VerdictWords.TooLittleData),
            ToldApart =
            [
                .. pairs.Where(pair => VerdictWords.NamesDifference(pair.Verdict.Verdict))
                    .Select(pair => $"{pair.Case.Method} {pair.Case.Parameters.Describe()}: {pair.Verdict.Verdict}, "
                        + $"{pair.Verdict.Ratio:0.000} ({pair.Verdict.Low:0.000} to {pair.Verdict.High:0.000})"),
            ],
            Reasons =
            [
                .. pairs.Where(pair => pair.Verdict.Verdict == VerdictWords.TooLittleData)
                    .Select(pair => pair.Verdict.Reason ?? "").Distinct(),
            ],
        };
    }

    public IReadOnlyList<string> Sentences()
    {
        if (Pairs == 0)
        {
            return ["No method was measured twice: this run's noise is unknown."];
        }

        var lines = new List<string>();
        if (MedianDeviation is { } median)
        {
            lines.Add($"Noise floor: a method measured twice differs from itself by {median:P1} typically, "
                + $"{P95Deviation:P1} in one of twenty pairs, {MaxDeviation:P1} at most ({Pairs} pairs).");
        }

        lines.Add(Share is { } share
            ? $"Judged different although identical: {ToldApart.Count} of {Judged} pairs, {share:P1}; "
                + (share <= Allowed ? "that is no more than the 5 % allowed." : "that is MORE than the 5 % allowed.")
            : "No pair could be judged.");
        lines.AddRange(ToldApart.Select(pair => $"  {pair}"));
        lines.AddRange(Reasons.Select(reason => $"Not judged: {reason}."));
        if (Judged > 0)
        {
            lines.Add($"From launch to launch the ratio of such a pair spreads by {LaunchSpread:P1} (or less).");
        }

        return lines;
    }
}
