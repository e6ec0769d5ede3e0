
namespace Millrace.Lab.Advising.Rules;

/// <summary>Which method reads a file fastest, which others are as fast, and which of these costs the least processor time.</summary>
internal sealed class BestMethodRule : IAdviceRule
{
    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        foreach (Situation situation in cases.Situations)
        {
            IReadOnlyList<CaseResult> best = situation.BestOfEach();
            if (best.Count > 1)
            {
                yield return Make(cases, situation, best);
            }
        }
    }

    private static Advice Make(SituatedCases cases, Situation situation, IReadOnlyList<CaseResult> best)
    {
        CaseResult first = best[0];
        CaseResult[] equal =
        [
            .. best.Where(item => item == first || cases.Judge.Compare(item, first).Relation is Relation.Same or Relation.Unknown),
        ];
        CaseResult chosen = Choose(equal);
        CaseResult? baseline = best.FirstOrDefault(item => item.Baseline && !equal.Contains(item));
        CaseResult[] shown = baseline is null ? equal : [.. equal, baseline];
        CaseResult reference = best.FirstOrDefault(item => item.Baseline) ?? first;
        string others = equal.Length == 1
            ? "nothing else is within the noise of it"
            : "within the noise of it: " + string.Join(", ", equal.Skip(1).Select(item => item.Method));
        return new Advice
        {
            Topic = "method",
            Kind = AdviceKind.Hint,
            Statement = $"{situation.Name}: {first.Method} is fastest with {Figures.Time(first)}; {others}.",
            Evidence = [.. shown.Select(item => new AdviceEvidence(Figures.Id(item), Describe(item, reference)))],
            Action = ActionFor(chosen, equal),
            Code = SnippetText.Of(chosen.Method, chosen.Parameters.Buffer),
            Check = CheckCommand.Again(cases.Results, shown.Select(item => item.Method)),
        };
    }

    // The framework's mapping comes last: a truncated file kills the process.
    private static CaseResult Choose(CaseResult[] equal) => equal
        .OrderBy(item => item.Method == "MemoryMapped")
        .ThenBy(item => Figures.Cpu(item) ?? double.MaxValue)
        .First();

    private static string ActionFor(CaseResult chosen, CaseResult[] equal) => chosen.Method switch
    {
        "MemoryMapped" => "Read it mapped; with ReadStrategy.Mapped, because the framework's mapping ends the process when "
            + "somebody truncates the file.",
        _ when equal.Any(item => item.Method == "MemoryMapped") =>
            $"Use {chosen.Method}{At(chosen)}: the framework's mapping ends the process when somebody truncates the file.",
        _ when equal.Length > 1 && Figures.Cpu(chosen) is not null =>
            $"Use {chosen.Method}{At(chosen)}: of those as fast it takes the least processor time.",
        _ => $"Use {chosen.Method}{At(chosen)}.",
    };

    // File pipes read in large blocks whatever the caller asks for.
    private static string At(CaseResult item) =>
        item.Method.StartsWith("FilePipe", StringComparison.Ordinal) || item.Parameters.Buffer is null
            ? ""
            : $" with {Figures.Buffer(item)}";

    private static string Describe(CaseResult item, CaseResult reference)
    {
        string ratio = item == reference ? "" : $", {Figures.Ratio(Figures.Median(item) / Figures.Median(reference))} of {reference.Method}'s best";
        string cpu = Figures.Cpu(item) is { } time ? $", {Figures.Time(time)} of processor time" : "";
        return $"{Figures.Time(item)}{ratio}{cpu}";
    }
}
