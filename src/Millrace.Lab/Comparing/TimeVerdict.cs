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

    public static VerdictResult Of(MetricKind kind, string against, LaunchLevels ratios, EffectLimit limit)
    {
        double threshold = Math.Log(1 + limit.Threshold);
        bool isMore = ratios.Mean > 0;
        return Decide(new Evidence
        {
            Kind = kind,
            Against = against,
            Limit = limit,
            LogRatio = ratios.Mean,
            HalfWidth = ratios.HalfWidth(limit.LaunchSpread),
            Probability = RankTest.PairedProbability([.. ratios.Logs.SelectMany(logs => logs)], threshold, isMore),
            Agree = Agree(ratios.Levels, 0, threshold, isMore),
        });
    }

    public static VerdictResult Of(
        MetricKind kind, string against, LaunchLevels mine, LaunchLevels other, EffectLimit limit)
    {
        double threshold = Math.Log(1 + limit.Threshold);
        bool isMore = mine.Mean > other.Mean;
        return Decide(new Evidence
        {
            Kind = kind,
            Against = against,
            Limit = limit,
            LogRatio = mine.Mean - other.Mean,
            HalfWidth = mine.HalfWidth(other, limit.LaunchSpread),
            Probability = RankTest.Probability(
                [.. mine.Logs.SelectMany(logs => logs)], [.. other.Logs.SelectMany(logs => logs)], threshold, isMore),
            Agree = Agree(mine.Levels, other.Median, threshold, isMore) && Agree(other.Levels, mine.Median, threshold, !isMore),
        });
    }

    // In the same direction, and by half of the threshold at least.
    private static bool Agree(double[] levels, double from, double threshold, bool isMore)
    {
        int agreeing = levels.Count(level => (isMore ? level - from : from - level) > threshold / 2);
        return agreeing >= levels.Length - (levels.Length >= LaunchesToSpareOne ? 1 : 0);
    }

    private static VerdictResult Decide(Evidence evidence)
    {
        double threshold = Math.Log(1 + evidence.Limit.Threshold);
        bool isMore = evidence.LogRatio > 0;
        var result = new VerdictResult
        {
            Metric = evidence.Kind.Name,
            Against = evidence.Against,
            Verdict = VerdictWords.Noise,
            Ratio = Math.Exp(evidence.LogRatio),
            Low = Math.Exp(evidence.LogRatio - evidence.HalfWidth),
            High = Math.Exp(evidence.LogRatio + evidence.HalfWidth),
            Threshold = evidence.Limit.Threshold,
        };
        string origin = $"threshold {evidence.Limit.Threshold:P1}: {evidence.Limit.Origin}";
        if (Math.Abs(evidence.LogRatio) + evidence.HalfWidth < threshold)
        {
            return result with { Verdict = VerdictWords.Same, Reason = origin };
        }

        string? against = WhatIsAgainst(evidence, threshold);
        return against is null
            ? result with { Verdict = evidence.Kind.Word(isMore), Better = evidence.Kind.IsBetter(isMore), Reason = origin }
            : result with { Reason = $"{against}; {origin}" };
    }

    private static string? WhatIsAgainst(Evidence evidence, double threshold) =>
        Math.Abs(evidence.LogRatio) <= threshold ? "the difference is below the threshold"
        : Math.Abs(evidence.LogRatio) <= evidence.HalfWidth ? "the 95 % interval over the launches contains 1"
        : !evidence.Agree ? "the launches disagree"
        : evidence.Probability >= Significance
            ? $"the ranks of the rounds do not show more than the threshold (p = {evidence.Probability:0.00})"
        : null;

    private sealed record Evidence
    {
        public required MetricKind Kind { get; init; }

        public required string Against { get; init; }

        public required EffectLimit Limit { get; init; }

        public required double LogRatio { get; init; }

        public required double HalfWidth { get; init; }

        public required double Probability { get; init; }

        public required bool Agree { get; init; }
    }
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
