using Perfolizer.Mathematics.SignificanceTesting.Base;
using Perfolizer.Mathematics.SignificanceTesting.MannWhitney;
using Perfolizer.Metrology;

namespace Millrace.Lab.Comparing;

/// <summary>
/// The verdict on a metric that was measured by launches and rounds. A difference is named when four things agree: its size,
/// the ranks of the rounds, the interval over the launches, and each launch on its own.
/// </summary>
internal static class TimeVerdict
{
    private const double Significance = 0.05;

    // From here on one launch may disagree: the more there are, the likelier that something happens to one of them.
    private const int LaunchesToSpareOne = 5;

    /// <summary>By the ratios within each round.</summary>
    public static VerdictResult Of(MetricKind kind, string against, LaunchLevels ratios, EffectLimit limit)
    {
        double threshold = Math.Log(1 + limit.Threshold);
        bool isMore = ratios.Mean > 0;
        return Decide(kind, against, limit, ratios.Mean, ratios.HalfWidth(limit.LaunchSpread), new Doubts(
            RankTest.PairedProbability(ratios.Rounds, threshold, isMore),
            Agree(ratios.Levels, 0, threshold, isMore)));
    }

    /// <summary>By the times of two runs.</summary>
    public static VerdictResult Of(MetricKind kind, string against, LaunchLevels mine, LaunchLevels other, EffectLimit limit)
    {
        double threshold = Math.Log(1 + limit.Threshold);
        bool isMore = mine.Mean > other.Mean;
        return Decide(kind, against, limit, mine.Mean - other.Mean, mine.HalfWidth(other, limit.LaunchSpread), new Doubts(
            RankTest.Probability(mine.Rounds, other.Rounds, threshold, isMore),
            Agree(mine.Levels, other.Median, threshold, isMore) && Agree(other.Levels, mine.Median, threshold, !isMore)));
    }

    // In the same direction, and by half of the threshold at least.
    private static bool Agree(double[] levels, double from, double threshold, bool isMore)
    {
        int agreeing = levels.Count(level => (isMore ? level - from : from - level) > threshold / 2);
        return agreeing >= levels.Length - (levels.Length >= LaunchesToSpareOne ? 1 : 0);
    }

    private static VerdictResult Decide(
        MetricKind kind, string against, EffectLimit limit, double logRatio, double halfWidth, Doubts doubts)
    {
        double threshold = Math.Log(1 + limit.Threshold);
        double distance = Math.Abs(logRatio);
        string origin = $"threshold {limit.Threshold:P1}: {limit.Origin}";
        string? doubt = distance <= threshold ? "the difference is below the threshold"
            : distance <= halfWidth ? "the 95 % interval over the launches contains 1"
            : !doubts.Agree ? "the launches disagree"
            : doubts.Probability >= Significance
                ? $"the ranks of the rounds do not show more than the threshold (p = {doubts.Probability:0.00})"
            : null;
        bool isMore = logRatio > 0;
        var result = new VerdictResult
        {
            Metric = kind.Name,
            Against = against,
            Verdict = kind.Word(isMore),
            Better = kind.IsBetter(isMore),
            Ratio = Math.Exp(logRatio),
            Low = Math.Exp(logRatio - halfWidth),
            High = Math.Exp(logRatio + halfWidth),
            Threshold = limit.Threshold,
            Reason = origin,
        };
        return distance + halfWidth < threshold ? result with { Verdict = VerdictWords.Same, Better = null }
            : doubt is null ? result
            : result with { Verdict = VerdictWords.Noise, Better = null, Reason = $"{doubt}; {origin}" };
    }

    /// <param name="Probability">That the ranks of the rounds come from chance.</param>
    /// <param name="Agree">Whether each launch on its own shows the difference.</param>
    private readonly record struct Doubts(double Probability, bool Agree);
}

/// <summary>The test of Mann and Whitney (1947), Perfolizer's, with a threshold that a difference has to exceed.</summary>
internal static class RankTest
{
    public static double Probability(double[] mine, double[] others, double threshold, bool isMore)
    {
        Perfolizer.Sample x = new(isMore ? mine : others);
        Perfolizer.Sample y = new(isMore ? others : mine);
        return MannWhitneyTest.Instance.GetPValue(
            x, y, AlternativeHypothesis.Greater, new Threshold(new NumberValue(threshold)));
    }

    /// <summary>
    /// The same for values that belong together in pairs, given as logarithms of their ratios. Halves of the ratios of every
    /// other pair are held against the negative halves of the rest: without a difference both are distributed alike, they
    /// share no pair, and they are apart by the logarithm of the ratio.
    /// </summary>
    public static double PairedProbability(double[] logRatios, double threshold, bool isMore) => Probability(
        [.. logRatios.Where((_, index) => index % 2 == 0).Select(log => log / 2)],
        [.. logRatios.Where((_, index) => index % 2 == 1).Select(log => -log / 2)],
        threshold,
        isMore);
}
