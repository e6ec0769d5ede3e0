namespace Millrace.Lab.Advising.Claims;

/// <summary>"Pipe adapters over a FileStream are slower than the FileStream": what a pipe costs.</summary>
internal sealed class AdaptersClaim : IAdviceRule
{
    private const string Sync = "FileStreamSync";
    private static readonly string[] Adapters = ["PipeReaderCreate", "PipePump"];

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        string says = "Pipe adapters over a FileStream are always slower than reading it synchronously "
            + $"({PublishedRange.RatiosOf("PipelineAdapter")} the time)";
        string check = CheckCommand.Again(cases.Results, [.. Adapters, Sync, "FilePipe"]);
        var found = Comparisons.Of(cases.Pairs(Sync, Adapters), cases.Judge.Compare);
        yield return found.Any
            ? ClaimAdvice.Make(
                "pipes",
                PublishedRange.FilePipelines,
                says,
                found.AllSlower,
                $"PipeReader.Create and a pump into a Pipe are {found.Describe()} of {Sync} with the same buffer.",
                found.Evidence((mine, other) => $"{Figures.Time(mine)} against {Figures.Time(other)}"),
                found.Slower > 0
                    ? "Where you need an adapter, give it a large buffer; the default of PipeReader.Create is 4 KiB."
                    : "Use whichever you like: here an adapter costs nothing.",
                SnippetText.Of("PipeReaderCreate"),
                check)
            : ClaimAdvice.CannotBeTold(
                "pipes", PublishedRange.FilePipelines, says, $"an adapter and {Sync} with the same parameters", check);
    }
}
