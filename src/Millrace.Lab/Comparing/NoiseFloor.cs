using Millrace.Lab.Running;

namespace Millrace.Lab.Comparing;

/// <summary>How much equal things differed in a run: what its verdicts must exceed.</summary>
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

    /// <summary>The standard deviation of a pair's ratio from launch to launch.</summary>
    public double LaunchSpread { get; }

    /// <summary>The noise floor of a run, from the methods that it measured twice.</summary>
    /// <param name="results">The run.</param>
    /// <param name="name">What messages call it.</param>
    public static NoiseFloor Of(LabResults results, string name = "this run")
    {
        ArgumentNullException.ThrowIfNull(results);
        return new NoiseFloor(results.Noise, SpreadOf(results), name);
    }

    /// <summary>What a difference of a case has to exceed.</summary>
    /// <param name="parameters">The case's parameters.</param>
    /// <param name="method">Its method, which counts where it was measured twice itself.</param>
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
    public static CaseResult? FirstOf(CaseResult again, LabResults results)
    {
        ArgumentNullException.ThrowIfNull(again);
        ArgumentNullException.ThrowIfNull(results);
        return !IsAgain(again) ? null : results.Cases.FirstOrDefault(item =>
            item.Role is null && item.Method == MethodOf(again) && item.Parameters == again.Parameters);
    }

    /// <summary>The method that a case measures, also where it is a second copy.</summary>
    public static string MethodOf(CaseResult item)
    {
        ArgumentNullException.ThrowIfNull(item);
        return IsAgain(item) && item.Method.EndsWith(LabCase.NoiseSuffix, StringComparison.Ordinal)
            ? item.Method[..^LabCase.NoiseSuffix.Length]
            : item.Method;
    }

    /// <summary>Whether a case is the second copy of another.</summary>
    public static bool IsAgain(CaseResult item)
    {
        ArgumentNullException.ThrowIfNull(item);
        return item.Role == LabCase.NoiseRole;
    }

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
