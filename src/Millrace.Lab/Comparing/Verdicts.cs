namespace Millrace.Lab.Comparing;

/// <summary>Gives the verdict on two cases; docs/lab-compare.md states the rule and its error rates.</summary>
internal static class Verdicts
{
    public const int MinLaunches = 3;

    /// <summary>A launch with fewer rounds does not count.</summary>
    /// <remarks>5: quick mode measures cold cases 15 times at least, in three launches.</remarks>
    public const int MinRounds = 5;

    public static VerdictResult CompareInRun(MetricSamples mine, MetricSamples baseline, EffectLimit limit)
    {
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
            ? TooLittle(mine, baseline, reason) with { Ratio = ratios.Median }
            : TimeVerdict.Of(mine.Kind, baseline.Method, levels, limit);
    }

    public static VerdictResult Compare(MetricSamples mine, MetricSamples other, EffectLimit limit)
    {
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
        string? reason = TooFew(otherLevels, other, "in the reference") ?? TooFew(mineLevels, mine, "in the other run");
        return reason is null
            ? TimeVerdict.Of(mine.Kind, other.Method, mineLevels, otherLevels, limit)
            : TooLittle(mine, other, reason) with
            {
                Ratio = mine.Median is { } a && other.Median is { } b && b > 0 ? a / b : null,
            };
    }

    internal static VerdictResult TooLittle(MetricSamples mine, MetricSamples other, string reason) => new()
    {
        Metric = mine.Kind.Name,
        Against = other.Method,
        Verdict = VerdictWords.TooLittleData,
        Reason = reason,
    };

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

internal static class VerdictWords
{
    public const string Faster = "faster";
    public const string Slower = "slower";
    public const string Less = "less";
    public const string More = "more";
    public const string Same = "same";
    public const string Noise = "noise";

    /// <summary>Too few samples for a verdict; the reason names the missing samples.</summary>
    public const string TooLittleData = "too little data";

    public static bool NamesDifference(string verdict) => verdict is Faster or Slower or Less or More;
}

/// <summary>The threshold that a difference has to exceed.</summary>
/// <param name="Threshold">Differences up to this, as a part of 1, are noise: 0.05 lets ratios of 0.952 to 1.05 pass.</param>
/// <param name="LaunchSpread">
/// Standard deviation, as a part of 1, of a ratio from one launch to the next: as far as known besides the launches that
/// are compared.
/// </param>
internal sealed record EffectLimit(double Threshold, string Origin, double LaunchSpread = EffectLimit.UsualLaunchSpread)
{
    /// <summary>The smallest effect that is ever named.</summary>
    /// <remarks>
    /// 2 %: the effect of the layout of code and memory alone (Mytkowicz et al. 2009 found more). Do not act on less.
    /// </remarks>
    public const double MinimumEffect = 0.02;

    /// <summary>How much ratios differ between launches when nothing else is known.</summary>
    /// <remarks>
    /// 4 %: two methods whose own times differ by nearly 3 % from process to process. With 3 % here, methods that do so were
    /// judged different from themselves in more than 4 % of simulated comparisons; with 4 % in about 2 %.
    /// </remarks>
    public const double UsualLaunchSpread = 0.04;

    public static EffectLimit Minimum { get; } = new(MinimumEffect, "the smallest effect that is named");

    public EffectLimit Max(EffectLimit other)
    {
        EffectLimit stricter = other.Threshold > Threshold ? other : this;
        return stricter with { LaunchSpread = Math.Max(LaunchSpread, other.LaunchSpread) };
    }
}

/// <summary>
/// The verdict on a count. Counts do not wobble as times do, and some have one value per run: medians are compared, and a
/// difference has to exceed 2 %, an absolute size, and the middle halves of both.
/// </summary>
internal static class CountVerdict
{
    public static VerdictResult Compare(MetricSamples mine, MetricSamples other)
    {
        if ((mine.Missing ?? other.Missing) is { } missing)
        {
            return Verdicts.TooLittle(mine, other, missing);
        }

        MetricKind kind = mine.Kind;
        Statistics a = new(mine.Counts);
        Statistics b = new(other.Counts);
        double difference = Math.Abs(a.Median - b.Median);
        double smallest = Math.Max(kind.SmallestDifference, EffectLimit.MinimumEffect * b.Median);
        bool isMore = a.Median > b.Median;
        var result = new VerdictResult
        {
            Metric = kind.Name,
            Against = other.Method,
            Verdict = VerdictWords.Same,
            Ratio = b.Median > 0 ? a.Median / b.Median : null,
            Threshold = EffectLimit.MinimumEffect,
            Reason = $"a count: medians {a.Median:0.##} and {b.Median:0.##}; "
                + $"differences up to {smallest:0.##} do not count",
        };
        bool overlap = isMore ? Lower(a) < Upper(b) : Lower(b) < Upper(a);
        return difference <= smallest ? result
            : overlap ? result with { Verdict = VerdictWords.Noise, Reason = result.Reason + "; the middle halves overlap" }
            : result with { Verdict = kind.Word(isMore), Better = kind.IsBetter(isMore) };
    }

    private static double Lower(Statistics counts) => counts.Percentile(25);

    private static double Upper(Statistics counts) => counts.Percentile(75);
}
