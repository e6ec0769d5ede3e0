
namespace Millrace.Lab.Advising.Claims;

/// <summary>What pairs of cases say about "the first is slower than the second".</summary>
internal sealed class Comparisons
{
    private const int MaxExamples = 4;

    private readonly IReadOnlyList<Comparison> _all;

    private Comparisons(IReadOnlyList<Comparison> all) => _all = all;

    /// <summary>Whether there is anything to judge by.</summary>
    public bool Any => _all.Count > 0;

    /// <summary>All ratios.</summary>
    public IEnumerable<double> Ratios => _all.Select(item => item.Judgement.Ratio);

    /// <summary>How many pairs there are.</summary>
    public int Count => _all.Count;

    /// <summary>In how many of them the first is slower.</summary>
    public int Slower => CountOf(Relation.Slower);

    /// <summary>In how many it is faster.</summary>
    public int Faster => CountOf(Relation.Faster);

    /// <summary>Whether "the first is always slower" holds.</summary>
    public Holds AllSlower => !Any ? Holds.CannotBeTold : Slower == Count ? Holds.Yes : Holds.No;

    /// <summary>Whether no pair is apart by more than the noise, or by more than a part of 1.</summary>
    public bool AllWithin(double part) => _all.All(item => item.Judgement.Relation == Relation.Same
        || (item.Judgement.Ratio <= 1 + part && item.Judgement.Ratio >= 1 / (1 + part)));

    /// <summary>Compares pairs; those with too little data are left out.</summary>
    public static Comparisons Of(
        IEnumerable<(CaseResult Mine, CaseResult Other)> pairs, Func<CaseResult, CaseResult, Judgement> compare) => new(
        [
            .. pairs.Select(pair => new Comparison(pair.Mine, pair.Other, compare(pair.Mine, pair.Other)))
                .Where(item => item.Judgement.Relation != Relation.Unknown),
        ]);

    /// <summary>For example "slower in 2 of 3 comparisons, within the noise in 1; 1.04 to 1.57 times the time".</summary>
    public string Describe()
    {
        string[] parts =
        [
            .. new[] { (Slower, "slower"), (CountOf(Relation.Same), "within the noise"), (Faster, "faster") }
                .Where(part => part.Item1 > 0)
                .Select((part, index) => index == 0
                    ? $"{part.Item2} in {part.Item1} of {Count} {(Count == 1 ? "comparison" : "comparisons")}"
                    : $"{part.Item2} in {part.Item1}"),
        ];
        return $"{string.Join(", ", parts)}; {Figures.Times(Ratios)} the time";
    }

    /// <summary>The largest and the smallest ratios.</summary>
    public IReadOnlyList<AdviceEvidence> Evidence(Func<CaseResult, CaseResult, string> describe)
    {
        Comparison[] sorted = [.. _all.OrderByDescending(item => item.Judgement.Ratio)];
        Comparison[] shown = sorted.Length <= MaxExamples
            ? sorted
            : [.. sorted[..(MaxExamples / 2)], .. sorted[^(MaxExamples / 2)..]];
        return
        [
            .. shown.Select(item => new AdviceEvidence(
                Figures.Id(item.Mine),
                $"{describe(item.Mine, item.Other)}, {Figures.Ratio(item.Judgement.Ratio)} times{Remark(item.Judgement)}")),
        ];
    }

    private static string Remark(Judgement judgement) => judgement.Relation == Relation.Same
        ? $", within the noise of {Figures.Percent(judgement.Noise)}"
        : "";

    private int CountOf(Relation relation) => _all.Count(item => item.Judgement.Relation == relation);

    private sealed record Comparison(CaseResult Mine, CaseResult Other, Judgement Judgement);
}
