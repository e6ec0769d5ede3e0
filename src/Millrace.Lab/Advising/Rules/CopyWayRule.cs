
namespace Millrace.Lab.Advising.Rules;

/// <summary>Which way to copy a file.</summary>
internal sealed class CopyWayRule : IAdviceRule
{
    private const string Framework = "FileCopy";
    private const string Ours = "FilePipeCopy";
    private const string Program = "Cp";

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        CaseResult[] all = [.. WriteCases.Copying(cases).OrderBy(Figures.Median)];
        CaseResult? baseline = Array.Find(all, item => item.Method == Framework);
        if (baseline is null || all.Length < 2)
        {
            yield break;
        }

        // A program of its own is what others are held against, and no way to copy within one's program.
        CaseResult fastest = Array.Find(all, item => item.Method != Program)!;
        Judgement judgement = cases.Judge.Compare(fastest, baseline);
        bool faster = judgement.Relation == Relation.Faster;
        bool hasOurs = Array.Exists(all, item => item.Method == Ours);
        yield return new Advice
        {
            Topic = "copying",
            Kind = AdviceKind.Hint,
            Statement = $"{WriteCases.Length(baseline)} in the page cache: "
                + (faster
                    ? $"{fastest.Method} copies in {Figures.Ratio(judgement.Ratio)} of File.Copy's time."
                    : "nothing copies faster than File.Copy by more than the noise."),
            Evidence =
            [
                .. all.Select(item => new AdviceEvidence(
                    Figures.Id(item),
                    WriteCases.Against(item, baseline) + (item.Strategy is { } how ? $" ({how})" : ""))),
            ],
            Action = (faster, hasOurs) switch
            {
                (true, _) => "Copy with FilePipe.CopyAsync.",
                (false, true) => "Copy with File.Copy, or with FilePipe.CopyAsync where the copy should appear whole or not at all, be "
                    + "durable, or be verified.",
                _ => "Copy with File.Copy.",
            },
            Code = hasOurs ? SnippetText.Of(Ours) : null,
            Check = CheckCommand.Cases(cases.Results, $"{Framework}*", Ours, Program),
        };
    }
}
