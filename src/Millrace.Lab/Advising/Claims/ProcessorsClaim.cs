
namespace Millrace.Lab.Advising.Claims;

/// <summary>"Reading a file takes more than one processor."</summary>
internal sealed class ProcessorsClaim : IAdviceRule
{
    // The published minimum is 1.05; the clock of the processor time has steps of its own.
    private const double MoreThanOne = 1.05;

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        string says = $"Reading a file takes more than one processor at a time ({PublishedRange.Processors()} there)";

        // The largest of each source.
        CaseResult[][] sources =
        [
            .. cases.Situations.Where(situation => !situation.IsCold && situation.Parameters.Content != "csv")
                .GroupBy(situation => situation.Parameters.Source)
                .Select(group => group.First().BestOfEach().Where(item => Figures.Cores(item) is not null)
                    .OrderByDescending(Figures.Cores).ToArray())
                .Where(group => group.Length > 0),
        ];
        CaseResult[] best = [.. sources.SelectMany(group => group)];
        CaseResult[] shown = [.. sources.SelectMany(group => new[] { group[0], group[^1] }).Distinct()];
        string check = CheckCommand.Again(cases.Results, shown.Select(item => item.Method).Distinct());
        if (best.Length == 0)
        {
            yield return ClaimAdvice.CannotBeTold(
                "processors", PublishedRange.UrlBytes, says, "processor time of a file in the page cache", check);
            yield break;
        }

        CaseResult[] more = [.. best.Where(item => Figures.Cores(item) > MoreThanOne)];
        bool isOfFiles = cases.Results.Suite == "files";
        bool holds = more.Length == best.Length;
        yield return ClaimAdvice.Make(
            "processors",
            PublishedRange.UrlBytes,
            says,
            holds ? Holds.Yes : Holds.No,
            more.Length == 0
                ? "No method uses more than one."
                : holds
                    ? "Every method uses more than one."
                    : $"It depends on the method: {more.Length} of {best.Length} use more than one, the others do not.",
            [
                .. shown.Select(item => new AdviceEvidence(
                    Figures.Id(item),
                    $"{Figures.Number(Figures.Cores(item)!.Value)} processors at a time"
                        + (item.Parameters.Source == "http" ? ", without those of the server, which is a process of its own" : ""))),
            ],
            more.Length == 0
                ? "One reader a processor is a fair first guess; measure it with your work."
                : "Do not count on one reader a processor where the method itself uses more"
                    + (isOfFiles ? "; ReadStrategy.Buffered uses one." : "."),
            isOfFiles ? SnippetText.Of("FilePipeBuffered") : null,
            check);
    }
}
