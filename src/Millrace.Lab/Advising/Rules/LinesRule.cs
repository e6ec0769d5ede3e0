using Millrace.Lab.Data;

namespace Millrace.Lab.Advising.Rules;

/// <summary>Lines as bytes against lines as strings.</summary>
internal sealed class LinesRule : IAdviceRule
{
    private const string Ours = "MillraceLines.Lines";
    private const string Framework = "StreamReader.Lines";

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        foreach (Situation situation in cases.Situations)
        {
            if (situation.Best(Ours) is { } mine && situation.Best(Framework) is { } other)
            {
                yield return Make(cases, situation, mine, other);
            }
        }
    }

    private static Advice Make(SituatedCases cases, Situation situation, CaseResult mine, CaseResult other)
    {
        Relation relation = cases.Judge.Compare(mine, other).Relation;
        return new Advice
        {
            Topic = "lines",
            Kind = AdviceKind.Hint,
            Statement = $"{situation.Name}: ReadLinesAsync takes {Figures.Ratio(Figures.Median(mine) / Figures.Median(other))} of the time of a "
                + $"StreamReader{(relation == Relation.Same ? ", within the noise" : "")}"
                + (Allocated(mine, other) is { } allocated ? $", and allocates {allocated}." : "."),
            Evidence = [.. new[] { mine, other }.Select(item => new AdviceEvidence(Figures.Id(item), Describe(item)))],
            Action = relation == Relation.Slower
                ? "Read lines with a StreamReader where strings are wanted anyway."
                : "Read lines as bytes and parse them as such, with Utf8Parser for one; make strings only of what has to be one.",
            Code = relation == Relation.Slower ? null : SnippetText.Of(Ours),
            Check = CheckCommand.Again(cases.Results, Ours, Framework),
        };
    }

    private static string? Allocated(CaseResult mine, CaseResult other) =>
        mine.Summary!.AllocatedBytes is { } ours && other.Summary!.AllocatedBytes is { } theirs
            ? $"{Figures.Bytes(ours)} instead of {Figures.Bytes(theirs)}"
            : null;

    private static string Describe(CaseResult item) => Figures.Time(item)
        + (item.Parameters.Bytes == TaxiFareCsv.Bytes ? $", {Figures.Nanoseconds(Figures.Median(item) / TaxiFareCsv.Lines)} a line" : "")
        + (Figures.Cpu(item) is { } cpu ? $", {Figures.Time(cpu)} of processor time" : "");
}
