namespace Millrace.Lab.Comparing;

/// <summary>
/// The verdict on a count. Counts do not wobble as times do, and some have one value per run: medians are compared, and a
/// difference has to exceed 2 %, an absolute size of its own, and the middle halves of both.
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
