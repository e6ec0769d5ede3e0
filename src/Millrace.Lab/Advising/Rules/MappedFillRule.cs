
namespace Millrace.Lab.Advising.Rules;

/// <summary>Mapping is as fast as the pieces in which the kernel cached the file: good in one run, bad after another writer.</summary>
internal sealed class MappedFillRule : IAdviceRule
{
    // The kernel's choice of page sizes was seen to move it by up to 2.5 times; less than this is no reason to warn.
    private const double WorthMentioning = 1.2;

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        var untested = new List<CaseResult>();
        foreach (IGrouping<(string Method, long? Bytes), CaseResult> group in cases.All
            .Where(item => item.Method.Contains("Mapped", StringComparison.Ordinal) && item.Parameters.Cache == "hot")
            .GroupBy(item => (item.Method, item.Parameters.Bytes)))
        {
            CaseResult[] fills = [.. group.GroupBy(item => item.Parameters.CacheFill).Select(fill => fill.MinBy(Figures.Median)!)];
            CaseResult best = fills.MinBy(Figures.Median)!;
            CaseResult worst = fills.MaxBy(Figures.Median)!;
            double ratio = Figures.Median(worst) / Figures.Median(best);
            if (fills.Length > 1 && ratio > WorthMentioning && cases.Judge.Compare(worst, best).Relation == Relation.Slower)
            {
                yield return Differs(cases, best, worst, ratio);
            }
            else if (fills.Length == 1 && IsTempting(cases, best))
            {
                untested.Add(best);
            }
        }

        if (untested.Count > 0)
        {
            yield return Unknown(cases, untested);
        }
    }

    private static bool IsTempting(SituatedCases cases, CaseResult mapped) =>
        cases.Situations.FirstOrDefault(situation => situation.Cases.Contains(mapped)) is { } situation
        && cases.Baseline is { } baseline && situation.Best(baseline) is { } stream
        && cases.Judge.Compare(mapped, stream).Relation == Relation.Faster;

    private static Advice Differs(SituatedCases cases, CaseResult best, CaseResult worst, double ratio) => new()
    {
        Topic = "mapping",
        Kind = AdviceKind.Warning,
        Statement = $"{best.Method} depends on who wrote the file: it takes {Figures.Ratio(ratio)} times as long after "
            + $"{worst.Parameters.CacheFill} as after {best.Parameters.CacheFill}.",
        Evidence = [.. new[] { best, worst }.Select(item => new AdviceEvidence(Figures.Id(item), Figures.Time(item)))],
        Action = "Map only files of which you know how they came into the page cache; otherwise let FilePipe choose.",
        Code = SnippetText.Of("FilePipe"),
        Check = CheckCommand.Full(cases.Results, best.Method, "FilePipe"),
    };

    private static Advice Unknown(SituatedCases cases, List<CaseResult> mapped) => new()
    {
        Topic = "mapping",
        Kind = AdviceKind.Warning,
        Statement = $"{string.Join(" and ", mapped.Select(item => item.Method).Distinct())} looked fast on a file that came into the "
            + $"cache by {mapped[0].Parameters.CacheFill ?? "unknown ways"}. Other ways can make a mapping more than twice as slow.",
        Evidence = [.. mapped.Select(item => new AdviceEvidence(Figures.Id(item), Figures.Time(item)))],
        Action = "Measure the other ways before you rely on it.",
        Check = CheckCommand.Full(cases.Results, mapped.Select(item => item.Method).Distinct()),
    };
}
