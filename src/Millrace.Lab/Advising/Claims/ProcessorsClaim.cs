using Millrace.Lab.Results;

namespace Millrace.Lab.Advising.Claims;

/// <summary>"Reading a file takes more than one processor."</summary>
internal sealed class ProcessorsClaim : IAdviceRule
{
    // The published minimum is 1.05; the clock of the processor time has steps of its own.
    private const double MoreThanOne = 1.05;

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(MeasuredCases cases)
    {
        string says = $"Reading a file takes more than one processor at a time ({PublishedRange.Processors()} there)";
        CaseResult[] best =
        [
            .. cases.Situations.Where(situation => !situation.IsCold).Take(1).SelectMany(situation => situation.BestOfEach())
                .Where(item => Figures.Cores(item) is not null).OrderByDescending(Figures.Cores),
        ];
        string check = CheckCommand.Again(cases.Results, best.Length == 0 ? [] : [best[0].Method, best[^1].Method]);
        if (best.Length == 0)
        {
            yield return ClaimAdvice.CannotBeTold(
                "processors", PublishedRange.UrlBytes, says, "processor time of a file in the page cache", check);
            yield break;
        }

        CaseResult[] more = [.. best.Where(item => Figures.Cores(item) > MoreThanOne)];
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
                .. new[] { best[0], best[^1] }.Distinct().Select(item => new AdviceEvidence(
                    Figures.Id(item), $"{Figures.Number(Figures.Cores(item)!.Value)} processors at a time")),
            ],
            more.Length == 0
                ? "One reader a processor is a fair first guess; measure it with your work."
                : "Do not count on one reader a processor where the method itself uses more; ReadStrategy.Buffered uses one.",
            SnippetText.Of("FilePipeBuffered"),
            check);
    }
}
