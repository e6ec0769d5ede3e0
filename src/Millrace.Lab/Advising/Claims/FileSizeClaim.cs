
namespace Millrace.Lab.Advising.Claims;

/// <summary>"The smaller file takes more time per MiB."</summary>
internal sealed class FileSizeClaim : IAdviceRule
{
    private const string Says = "A file of 4 MiB regularly takes a FileStream more time per MiB than one of 128 MiB";
    private static readonly string[] Streams = ["FileStreamSync", "FileStreamAsync"];

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        CaseResult[] hot =
        [
            .. cases.Situations.Where(situation => !situation.IsCold && situation.Parameters is { File: null, Bytes: > 0 })
                .SelectMany(situation => situation.Cases)
                .Where(item => Streams.Contains(item.Method)),
        ];
        long[] sizes = [.. hot.Select(item => item.Parameters.Bytes!.Value).Distinct().Order()];
        var found = Comparisons.Of(
            from small in hot
            where small.Parameters.Bytes == sizes[0]
            from large in hot
            where large.Parameters.Bytes == sizes[^1] && large.Parameters.Bytes > small.Parameters.Bytes
                && large.Method == small.Method
                && large.Parameters == small.Parameters with { Bytes = large.Parameters.Bytes }
            select (small, large),
            cases.Judge.ComparePerMib);
        string check = CheckCommand.Again(cases.Results, Streams);
        yield return found.Any
            ? ClaimAdvice.Make(
                "file size",
                PublishedRange.FilePipelines,
                Says,
                found.AllSlower,
                $"Per MiB, {ByteSize.ToText(sizes[0])} is {found.Describe()} of {ByteSize.ToText(sizes[^1])}.",
                found.Evidence((small, large) => $"{Figures.Time(Figures.PerMib(small))} per MiB against {Figures.Time(Figures.PerMib(large))}"),
                $"Measure with files of the length that yours have: --file PATH. A small file may stay in the processor's cache.",
                null,
                check)
            : ClaimAdvice.CannotBeTold(
                "file size", PublishedRange.FilePipelines, Says, "a FileStream on two files of different lengths", check);
    }
}
