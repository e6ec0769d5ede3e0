
namespace Millrace.Lab.Advising;

/// <summary>
/// Says whether two cases differ: by the results' own verdicts where there are some, otherwise by their medians and what
/// the run cannot tell apart. The only place where advice decides that.
/// </summary>
internal sealed class Judge
{
    // Below this nobody should choose a method for it, however quiet the machine.
    private const double SmallestEffect = 0.01;

    // McGill, Tukey and Larsen, "Variations of Box Plots", 1978: a median is uncertain by 1.57 interquartile ranges by
    // the square root of the number of samples; two medians differ when they are further apart than that.
    private const double Notch = 1.57;

    private readonly MeasuredCases _cases;

    /// <summary>Takes the results whose noise counts.</summary>
    public Judge(MeasuredCases cases) => _cases = cases;

    /// <summary>Compares the time of a case with that of another.</summary>
    public Judgement Compare(CaseResult mine, CaseResult other)
    {
        if (VerdictOf(mine, other) is { } direct)
        {
            return FromVerdict(direct, Figures.Median(mine) / Figures.Median(other));
        }

        if (VerdictOf(other, mine) is { } reversed)
        {
            Judgement judgement = FromVerdict(reversed, Figures.Median(other) / Figures.Median(mine));
            Relation relation = judgement.Relation switch
            {
                Relation.Faster => Relation.Slower,
                Relation.Slower => Relation.Faster,
                var same => same,
            };
            return new Judgement(relation, 1 / judgement.Ratio, judgement.Noise);
        }

        return FromRatio(mine, other, Figures.Median(mine) / Figures.Median(other));
    }

    /// <summary>Compares the time per MiB of cases with files of different lengths.</summary>
    public Judgement ComparePerMib(CaseResult mine, CaseResult other) =>
        FromRatio(mine, other, Figures.PerMib(mine) / Figures.PerMib(other));

    private static VerdictResult? VerdictOf(CaseResult mine, CaseResult other) => mine.Parameters == other.Parameters
        ? mine.Verdicts?.FirstOrDefault(verdict => verdict.Metric == "wallNs" && verdict.Against == other.Method)
        : null;

    private static Judgement FromVerdict(VerdictResult verdict, double ratio) => new(
        verdict.Verdict switch
        {
            "faster" => Relation.Faster,
            "slower" => Relation.Slower,
            "same" or "noise" => Relation.Same,
            _ => Relation.Unknown,
        },
        verdict.Ratio ?? ratio,
        verdict.Threshold ?? 0);

    private Judgement FromRatio(CaseResult mine, CaseResult other, double ratio)
    {
        double uncertainty = Math.Sqrt(Math.Pow(Uncertainty(mine), 2) + Math.Pow(Uncertainty(other), 2));
        double noise = Math.Max(
            Math.Max(_cases.NoiseOf(mine.Parameters), _cases.NoiseOf(other.Parameters)), Math.Max(uncertainty, SmallestEffect));
        Relation relation = ratio > 1 + noise ? Relation.Slower : ratio < 1 / (1 + noise) ? Relation.Faster : Relation.Same;
        return new Judgement(relation, ratio, noise);
    }

    private static double Uncertainty(CaseResult item)
    {
        Distribution wall = item.Summary!.WallNs;
        return wall is { N: > 0, Median: > 0 } ? Notch * (wall.P75 - wall.P25) / Math.Sqrt(wall.N) / wall.Median : 0;
    }
}
