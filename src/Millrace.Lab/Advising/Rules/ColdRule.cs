
namespace Millrace.Lab.Advising.Rules;

/// <summary>A file that is not in the page cache: the disk decides, and what differs is whose thread waits for it.</summary>
internal sealed class ColdRule : IAdviceRule
{
    // A caller that is kept for less than half the time is free to do something else.
    private const double Kept = 0.5;

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        foreach (Situation cold in cases.Situations.Where(situation => situation.IsCold && situation.Cases.Count > 1))
        {
            CaseResult best = cold.Cases.MinBy(Figures.Median)!;
            CaseResult[] equal = [.. cold.Cases.Where(item => item != best && cases.Judge.Compare(item, best).Relation == Relation.Same)];
            if (equal.Length == cold.Cases.Count - 1)
            {
                yield return Bound(cases, cold, best);
            }

            if (Keeping(cases, cold) is { } keeping)
            {
                yield return keeping;
            }
        }
    }

    private static Advice Bound(SituatedCases cases, Situation cold, CaseResult best)
    {
        CaseResult worst = cold.Cases.MaxBy(Figures.Median)!;
        CaseResult? hot = cases.Situations
            .FirstOrDefault(item => !item.IsCold && item.Parameters.Bytes == cold.Parameters.Bytes)?.Best(best.Method);
        return new Advice
        {
            Topic = "disk",
            Kind = AdviceKind.Hint,
            Statement = $"{cold.Name}: the disk decides. Neither method nor buffer makes a difference that this run can see"
                + (hot is null ? "." : $"; in the page cache the same file takes {Figures.Ratio(Figures.Median(hot) / Figures.Median(best))} of the time."),
            Evidence =
            [
                .. new[] { best, worst, hot }.OfType<CaseResult>()
                    .Select(item => new AdviceEvidence(Figures.Id(item), Figures.Time(item))),
            ],
            Action = "Choose by something else than speed, and keep what is read often in memory.",
            Check = CheckCommand.Again(cases.Results, cold.Methods),
        };
    }

    private static Advice? Keeping(SituatedCases cases, Situation cold)
    {
        CaseResult[] known = [.. cold.Cases.Where(item => item.Summary!.CallingThreadShare is not null)];
        CaseResult? free = known.MinBy(item => item.Summary!.CallingThreadShare);
        CaseResult? kept = known.MaxBy(item => item.Summary!.CallingThreadShare);
        return free is null || kept!.Summary!.CallingThreadShare <= Kept || free.Summary!.CallingThreadShare > Kept
            ? null
            : new Advice
            {
                Topic = "waiting",
                Kind = AdviceKind.Hint,
                Statement = $"{cold.Name}: {kept.Method} keeps its caller for {Figures.Percent(kept.Summary.CallingThreadShare!.Value)} of the "
                    + $"time, {free.Method} for {Figures.Percent(free.Summary.CallingThreadShare!.Value)}.",
                Evidence =
                [
                    .. new[] { kept, free }.Select(item => new AdviceEvidence(
                        Figures.Id(item),
                        $"{Figures.Time(item)}, of which {Figures.Percent(item.Summary!.CallingThreadShare!.Value)} inside the calls that read")),
                ],
                Action = $"Where the thread has other work, a server's or a window's, use {free.Method}.",
                Code = SnippetText.Of(free.Method, free.Parameters.Buffer),
                Check = CheckCommand.Again(cases.Results, kept.Method, free.Method),
            };
    }
}
