namespace Millrace.Lab.Advising.Claims;

/// <summary>"ReadAsync of a FileStream is slower than Read."</summary>
internal sealed class SyncOrAsyncClaim : IAdviceRule
{
    private const string Sync = "FileStreamSync";
    private const string Async = "FileStreamAsync";

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        string says = $"ReadAsync of a FileStream is always slower than Read ({PublishedRange.RatiosOf(Async)} the time)";
        string check = CheckCommand.Again(cases.Results, Async, Sync, "FilePipe");
        var found = Comparisons.Of(cases.Pairs(Sync, Async), cases.Judge.Compare);
        yield return found.Any
            ? ClaimAdvice.Make(
                "sync or async",
                PublishedRange.FilePipelines,
                says,
                found.AllSlower,
                $"{Async} is {found.Describe()} of {Sync} with the same buffer.",
                found.Evidence((mine, other) => $"{Figures.Time(mine)} against {Figures.Time(other)}"),
                found.AllSlower == Holds.Yes
                    ? "Read synchronously where the thread may wait; where it may not, use FilePipe, whose reads complete at "
                        + "once for bytes in the page cache."
                    : "Read asynchronously where a thread should not wait, with a buffer that costs nothing here, or with "
                        + "FilePipe, whose reads complete at once for bytes in the page cache.",
                SnippetText.Of("FilePipe"),
                check)
            : ClaimAdvice.CannotBeTold(
                "sync or async", PublishedRange.FilePipelines, says, $"{Async} and {Sync} with the same parameters", check);
    }
}
