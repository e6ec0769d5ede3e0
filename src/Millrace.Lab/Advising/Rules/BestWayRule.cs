using Millrace.Lab.Advising.Ways;

namespace Millrace.Lab.Advising.Rules;

/// <summary>Which way to read bytes is fastest here, and what it takes in code and in memory.</summary>
internal sealed class BestWayRule : IAdviceRule
{
    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        foreach (WaySource source in WaySource.Of(cases))
        {
            if (source.Cases.Count > 1)
            {
                yield return Make(cases, source);
            }
        }
    }

    private static Advice Make(SituatedCases cases, WaySource source)
    {
        CaseResult first = source.Cases.MinBy(Figures.Median)!;
        CaseResult[] equal =
        [
            first,
            .. source.Cases.Where(item => item != first && cases.Judge.Compare(item, first).Relation == Relation.Same).OrderBy(Figures.Median),
        ];

        // Of those as fast: without room for all bytes, then with the least processor time.
        CaseResult chosen = equal.OrderBy(item => Way.Of(item.Method).Arrival is Way.AllAtOnce or Way.Completion)
            .ThenBy(item => Figures.Cpu(item) ?? double.MaxValue).First();
        CaseResult? baseline = source.Find(Way.Baseline);
        CaseResult[] shown = baseline is null || equal.Contains(baseline) ? equal : [.. equal, baseline];
        string others = equal.Length == 1
            ? "nothing else is within the noise of it"
            : "within the noise of it: " + string.Join(", ", equal.Skip(1).Select(item => item.Method));
        return new Advice
        {
            Topic = "way",
            Kind = AdviceKind.Hint,
            Statement = $"{source.Name}, {ByteSize.ToText(first.Parameters.Bytes!.Value)}: {first.Method} is fastest with "
                + $"{Figures.Time(first)}; {others}.",
            Evidence = [.. shown.Select(item => new AdviceEvidence(Figures.Id(item), Describe(item, baseline)))],
            Action = $"Use {WayText.Of(chosen)}"
                + (equal.Length > 1 && Figures.Cpu(chosen) is not null ? ": of those as fast it takes the least processor time." : "."),
            Code = SnippetText.Of(chosen.Method, chosen.Parameters.Buffer),
            Check = CheckCommand.Again(cases.Results, shown.Select(item => item.Method)),
        };
    }

    private static string Describe(CaseResult item, CaseResult? baseline) => Figures.Time(item)
        + (baseline is null || item == baseline
            ? ""
            : $", {Figures.Ratio(Figures.Median(item) / Figures.Median(baseline))} of {baseline.Method}")
        + $", {Figures.PerByte(item)} a byte"
        + (Figures.Cpu(item) is { } cpu ? $", {Figures.Time(cpu)} of processor time" : "")
        + (item.Summary!.PeakOverIdleBytes is { } peak ? $", {Figures.Bytes(peak)} of peak memory over idle" : "");
}
