
namespace Millrace.Lab.Comparing;

/// <summary>Says what a comparison of two cases comes to; docs/lab-compare.md states the rule and its error rates.</summary>
internal static class Verdicts
{
    /// <summary>Fewer launches say nothing about how much launches differ.</summary>
    public const int MinLaunches = 3;

    /// <summary>A launch with fewer rounds does not count.</summary>
    /// <remarks>5: quick mode measures cold cases 15 times at least, in three launches.</remarks>
    public const int MinRounds = 5;

    /// <summary>Compares two cases of one run, whose rounds belong together.</summary>
    /// <param name="mine">What the verdict is about.</param>
    /// <param name="baseline">What it is compared with.</param>
    /// <param name="limit">What a difference has to exceed.</param>
    public static VerdictResult CompareInRun(MetricSamples mine, MetricSamples baseline, EffectLimit limit)
    {
        ArgumentNullException.ThrowIfNull(mine);
        ArgumentNullException.ThrowIfNull(baseline);
        ArgumentNullException.ThrowIfNull(limit);
        if (!mine.Kind.IsMeasured)
        {
            return CountVerdict.Compare(mine, baseline);
        }

        MetricSamples ratios = mine.RelativeTo(baseline);
        if (ratios.Missing is { } missing)
        {
            return TooLittle(mine, baseline, missing);
        }

        var levels = new LaunchLevels(ratios.Rounds, MinRounds);
        return TooFew(levels, ratios, "in common with " + baseline.Method) is { } reason
            ? TooLittle(mine, baseline, reason) with { Ratio = Ratio(ratios) }
            : TimeVerdict.Of(mine.Kind, baseline.Method, levels, limit);
    }

    /// <summary>Compares two cases of different runs, whose rounds do not belong together.</summary>
    /// <param name="mine">What the verdict is about.</param>
    /// <param name="other">What it is compared with.</param>
    /// <param name="limit">What a difference has to exceed.</param>
    public static VerdictResult Compare(MetricSamples mine, MetricSamples other, EffectLimit limit)
    {
        ArgumentNullException.ThrowIfNull(mine);
        ArgumentNullException.ThrowIfNull(other);
        ArgumentNullException.ThrowIfNull(limit);
        if (!mine.Kind.IsMeasured)
        {
            return CountVerdict.Compare(mine, other);
        }

        if ((mine.Missing ?? other.Missing) is { } missing)
        {
            return TooLittle(mine, other, missing);
        }

        var mineLevels = new LaunchLevels(mine.Rounds, MinRounds);
        var otherLevels = new LaunchLevels(other.Rounds, MinRounds);
        string? reason = TooFew(otherLevels, other, "in the reference") ?? TooFew(mineLevels, mine, "in what is compared");
        return reason is null
            ? TimeVerdict.Of(mine.Kind, other.Method, mineLevels, otherLevels, limit)
            : TooLittle(mine, other, reason) with
            {
                Ratio = mine.Median is { } a && other.Median is { } b && b > 0 ? a / b : null,
            };
    }

    /// <summary>The verdict where there is nothing to compare.</summary>
    internal static VerdictResult TooLittle(MetricSamples mine, MetricSamples other, string reason) => new()
    {
        Metric = mine.Kind.Name,
        Against = other.Method,
        Verdict = VerdictWords.TooLittleData,
        Reason = reason,
    };

    private static double? Ratio(MetricSamples ratios) => ratios.Median;

    private static string? TooFew(LaunchLevels levels, MetricSamples samples, string where)
    {
        if (levels.Levels.Length >= MinLaunches)
        {
            return null;
        }

        int launches = samples.Rounds.Select(round => round.Launch).Distinct().Count();
        return launches < MinLaunches
            ? $"{Number(launches, "launch", "launches")} {where}; {MinLaunches} are needed"
            : $"{Number(levels.Levels.Length, "launch", "launches")} with at least {MinRounds} rounds {where}; "
                + $"{MinLaunches} are needed";
    }

    private static string Number(int count, string one, string many) => $"{count} {(count == 1 ? one : many)}";
}
