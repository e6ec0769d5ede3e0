namespace Millrace.Lab.Comparing;

internal sealed class NoiseFloor
{
    private const double HighPart = 90;

    // Fewer pairs do not show that launches differ less than they usually do.
    private const int PairsForSpread = 5;
    private const double SmallestSpread = 0.02;

    private readonly IReadOnlyList<NoiseResult> _pairs;
    private readonly string _run;

    private NoiseFloor(IReadOnlyList<NoiseResult> pairs, double launchSpread, string run)
    {
        _pairs = pairs;
        _run = run;
        LaunchSpread = launchSpread;
        double[] deviations = [.. pairs.Select(pair => pair.Deviation)];
        Typical = deviations.Length == 0 ? null : new Statistics(deviations).Median;
        High = deviations.Length == 0 ? null : new Statistics(deviations).Percentile((int)HighPart);
    }

    /// <summary>The median of the deviations of the run's pairs, as a part of 1; null when it has none.</summary>
    public double? Typical { get; }

    /// <summary>Nine tenths of the pairs deviated by no more than this; null when there are none.</summary>
    public double? High { get; }
    public double LaunchSpread { get; }

    public static NoiseFloor Of(LabResults results, string name = "this run") => new(results.Noise, SpreadOf(results), name);

    public EffectLimit For(CaseParameters parameters, string? method = null)
    {
        NoiseResult[] here = [.. _pairs.Where(pair => pair.Parameters == parameters)];
        NoiseResult[] own = [.. here.Where(pair => pair.Method == method)];
        NoiseResult? pair = (own.Length > 0 ? own : here).MaxBy(item => item.Deviation);
        EffectLimit minimum = EffectLimit.Minimum with { LaunchSpread = LaunchSpread };
        if (High is not { } high || Typical is not { } typical)
        {
            return minimum;
        }

        // One pair may agree by chance where pairs do not.
        EffectLimit measured = pair is null
            ? new(high, $"nine tenths of the methods measured twice in {_run} deviated by no more")
            : pair.Deviation < typical
                ? new(typical, $"methods measured twice in {_run} typically deviated by that")
                : new(pair.Deviation, $"{pair.Method} deviated by that from itself in {_run}");
        return minimum.Max(measured);
    }

    /// <summary>
    /// The case of which a second copy is one: the same method without "Again", the same parameters; null when it is none or
    /// the first is not there.
    /// </summary>
    public static CaseResult? FirstOf(CaseResult again, LabResults results) => !IsAgain(again)
        ? null
        : results.Cases.FirstOrDefault(item => item.IsCase(MethodOf(again), again.Parameters));

    public static string MethodOf(CaseResult item) => IsAgain(item) && item.Method.EndsWith(LabCase.NoiseSuffix, StringComparison.Ordinal)
        ? item.Method[..^LabCase.NoiseSuffix.Length]
        : item.Method;

    public static bool IsAgain(CaseResult item) => item.Role == LabCase.NoiseRole;

    // Pooled over all pairs, without the part that comes from the few rounds of each launch.
    private static double SpreadOf(LabResults results)
    {
        List<(double Variance, double Within)> pairs = [];
        foreach (CaseResult again in results.Cases.Where(IsAgain))
        {
            if (FirstOf(again, results) is not { } first)
            {
                continue;
            }

            MetricSamples ratios = MetricReader.Read(again, Metrics.WallNs).RelativeTo(MetricReader.Read(first, Metrics.WallNs));
            var levels = new LaunchLevels(ratios.Rounds, Verdicts.MinRounds);
            if (ratios.Missing is null && levels.Levels.Length > 1)
            {
                pairs.Add((levels.SquaredDistances / (levels.Levels.Length - 1), levels.VarianceOfLevel));
            }
        }

        if (pairs.Count == 0)
        {
            return EffectLimit.UsualLaunchSpread;
        }

        double variance = pairs.Average(pair => pair.Variance) - pairs.Average(pair => pair.Within);
        double least = pairs.Count < PairsForSpread ? EffectLimit.UsualLaunchSpread : SmallestSpread;
        return Math.Max(least, Math.Sqrt(Math.Max(0, variance)));
    }
}

internal static class InRunVerdicts
{
    /// <summary>
    /// Adds verdicts to every case that has a baseline of the same parameters, and to second copies against their first.
    /// </summary>
    public static LabResults Add(LabResults results)
    {
        NoiseFloor floor = NoiseFloor.Of(results);
        ILookup<CaseParameters, CaseResult> baselines = results.Cases
            .Where(item => item is { Baseline: true, Role: null })
            .ToLookup(item => item.Parameters.WithoutDegree());
        return results with
        {
            Cases =
            [
                .. results.Cases.Select(item =>
                    (NoiseFloor.IsAgain(item) ? NoiseFloor.FirstOf(item, results)
                        : item.Baseline ? null
                        : baselines[item.Parameters.WithoutDegree()].FirstOrDefault()) is { } other
                        ? item with { Verdicts = [.. Judge(item, other, floor)] }
                        : item),
            ],
        };
    }

    private static IEnumerable<VerdictResult> Judge(CaseResult item, CaseResult other, NoiseFloor floor)
    {
        // A floor that was made of this very pair would find nothing in it.
        EffectLimit limit = NoiseFloor.IsAgain(item)
            ? EffectLimit.Minimum with { LaunchSpread = floor.LaunchSpread }
            : floor.For(item.Parameters);
        foreach (MetricKind kind in Metrics.Usual)
        {
            MetricSamples mine = MetricReader.Read(item, kind);
            MetricSamples others = MetricReader.Read(other, kind);

            // The reason why a meter has no number is under "unavailable"; time is never left out.
            if (kind == Metrics.WallNs || (mine.Missing ?? others.Missing) is null)
            {
                yield return Verdicts.CompareInRun(mine, others, limit);
            }
        }
    }
}
