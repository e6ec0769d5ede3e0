namespace Millrace.Lab.Advising.Claims;

/// <summary>"There is no need for file pipes, because they lose": the claim that file pipes exist to overturn.</summary>
internal sealed class FilePipesClaim : IAdviceRule
{
    private const string Sync = "FileStreamSync";
    private const string Pipe = "FilePipe";

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        string says = "There is no need for pipes of their own for files: the native one is always slower than a synchronous "
            + $"FileStream ({PublishedRange.RatiosOf("PipelineNative")} the time)";
        string check = CheckCommand.Again(cases.Results, Pipe, Sync);
        var found = Comparisons.Of(cases.Pairs(Sync, Pipe), cases.Judge.Compare);
        yield return found.Any
            ? ClaimAdvice.Make(
                "file pipes",
                PublishedRange.FilePipelines,
                says,
                found.AllSlower,
                $"{Pipe} is {found.Describe()} of {Sync} with the same buffer.",
                found.Evidence((mine, other) => $"{Figures.Time(mine)} against {Figures.Time(other)}"),
                found.Slower == 0
                    ? "Read files as pipes wherever the code is easier for it."
                    : found.AllSlower == Holds.Yes
                        ? "Use a FileStream where time matters, and tell us: this is not meant to be so."
                        : "Read files as pipes, except with the parameters where it is slower.",
                SnippetText.Of(Pipe),
                check)
            : ClaimAdvice.CannotBeTold(
                "file pipes", PublishedRange.FilePipelines, says, $"{Pipe} and {Sync} with the same parameters", check);
    }
}
