namespace Millrace.Lab.Comparing;

/// <summary>
/// Compares two cases of one run: by the run's own verdict where it has one, otherwise by their medians and the difference that the run
/// cannot resolve. The verdict's threshold is that noise.
/// </summary>
internal sealed class MedianJudge(MeasuredCases cases)
{
    // A smaller difference does not justify choosing a method, however quiet the machine.
    private const double SmallestEffect = 0.01;

    // McGill, Tukey and Larsen, "Variations of Box Plots", 1978: a median is uncertain by 1.57 interquartile ranges by
    // the square root of the number of samples; two medians differ when they are further apart than that.
    private const double Notch = 1.57;

    public VerdictResult Compare(CaseResult mine, CaseResult other) =>
        VerdictOf(mine, other) ?? Reverse(VerdictOf(other, mine), other.Method) ?? FromRatio(mine, other, Figures.RatioOf(mine, other));

    public VerdictResult ComparePerMib(CaseResult mine, CaseResult other) =>
        FromRatio(mine, other, Figures.PerMib(mine) / Figures.PerMib(other));

    private static VerdictResult? VerdictOf(CaseResult mine, CaseResult other)
    {
        VerdictResult? verdict = mine.Parameters == other.Parameters
            ? mine.Verdicts?.FirstOrDefault(item => item.Metric == Metrics.WallNs.Name && item.Against == other.Method)
            : null;
        return verdict is null ? null : verdict with
        {
            Verdict = verdict.Verdict == VerdictWords.Noise ? VerdictWords.Same : verdict.Verdict,
            Ratio = verdict.Ratio ?? Figures.RatioOf(mine, other),
        };
    }

    private static VerdictResult? Reverse(VerdictResult? verdict, string other) => verdict is null ? null : verdict with
    {
        Against = other,
        Verdict = verdict.Verdict switch
        {
            VerdictWords.Faster => VerdictWords.Slower,
            VerdictWords.Slower => VerdictWords.Faster,
            var same => same,
        },
        Ratio = 1 / verdict.Ratio,
    };

    private VerdictResult FromRatio(CaseResult mine, CaseResult other, double ratio)
    {
        double uncertainty = Math.Sqrt(Math.Pow(Uncertainty(mine), 2) + Math.Pow(Uncertainty(other), 2));
        double noise = Math.Max(
            Math.Max(cases.NoiseOf(mine.Parameters), cases.NoiseOf(other.Parameters)), Math.Max(uncertainty, SmallestEffect));
        return new VerdictResult
        {
            Metric = Metrics.WallNs.Name,
            Against = other.Method,
            Verdict = ratio > 1 + noise ? VerdictWords.Slower : ratio < 1 / (1 + noise) ? VerdictWords.Faster : VerdictWords.Same,
            Ratio = ratio,
            Threshold = noise,
        };
    }

    private static double Uncertainty(CaseResult item)
    {
        Distribution wall = item.Summary!.WallNs;
        return wall is { N: > 0, Median: > 0 } ? Notch * (wall.P75 - wall.P25) / Math.Sqrt(wall.N) / wall.Median : 0;
    }
}
