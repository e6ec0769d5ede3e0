
namespace Millrace.Lab.Advising.Rules;

/// <summary>In how many parts it pays to read a file.</summary>
internal sealed class ScanDegreeRule : IAdviceRule
{
    private const string Scan = "FilePipeScan";

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        foreach (IGrouping<CaseParameters, CaseResult> group in WriteCases.Scanning(cases))
        {
            CaseResult[] scans = [.. group.Where(item => item.Method == Scan).OrderBy(item => item.Parameters.Degree)];
            if (group.FirstOrDefault(item => item.Method != Scan) is { } one && scans.Length > 0)
            {
                yield return Make(cases, one, scans);
            }
        }
    }

    private static Advice Make(SituatedCases cases, CaseResult one, CaseResult[] scans)
    {
        CaseResult best = scans.MinBy(Figures.Median)!;
        bool pays = cases.Judge.Compare(best, one).Relation == Relation.Faster;

        // The fewest parts that are within the noise of the best.
        CaseResult chosen = scans.First(item => item == best || cases.Judge.Compare(item, best).Relation == Relation.Same);
        CaseParameters parameters = one.Parameters;
        string name = $"{ByteSize.ToText(parameters.Bytes ?? 0)} of {parameters.Content}";
        return new Advice
        {
            Topic = "parts",
            Kind = AdviceKind.Hint,
            Statement = pays
                ? $"{name}: {chosen.Parameters.Degree} parts at once take {Figures.Ratio(Figures.Median(chosen) / Figures.Median(one))} of "
                    + $"one reader's time{(chosen == scans[^1] ? "" : "; more bring nothing that this run can see")}."
                : $"{name}: parts at once are not faster than one reader by more than the noise.",
            Evidence =
            [
                .. scans.Prepend(one).Select(item => new AdviceEvidence(Figures.Id(item), WriteCases.Against(item, one)
                    + (Figures.Cpu(item) is { } cpu ? $", {Figures.Time(cpu)} of processor time" : ""))),
            ],
            Action = pays
                ? $"Use FilePipe.ScanAsync with a degree of {chosen.Parameters.Degree} on a machine with "
                    + $"{cases.Results.Machine.Cores} processors, where they have nothing else to do."
                : "Read with one reader.",
            Code = pays
                ? SnippetText.Of(Scan)!.Replace("degree: 2", $"degree: {chosen.Parameters.Degree}", StringComparison.Ordinal)
                : SnippetText.Of("FilePipeBuffered"),
            Check = CheckCommand.Cases(cases.Results, $"FilePipe*/{parameters.Content}/*"),
        };
    }
}
