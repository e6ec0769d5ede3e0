
namespace Millrace.Lab.Advising.Claims;

/// <summary>"FileOptions.Asynchronous makes everything slower", and a synchronous read on such a handle most of all.</summary>
internal sealed class AsynchronousHandleClaim : IAdviceRule
{
    private const string Sync = "FileStreamSync";

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        yield return Judge(
            cases,
            "asynchronous handle",
            $"FileOptions.Asynchronous makes every FileStream and every pipe on one slower ({PublishedRange.CostOfAsynchronous("")} the time)",
            "With the option, a method is",
            _ => true);
        yield return Judge(
            cases,
            "synchronous read on an asynchronous handle",
            $"Read on a FileStream with FileOptions.Asynchronous is far slower than without ({PublishedRange.CostOfAsynchronous(Sync)} the time)",
            $"With the option, {Sync} is",
            method => method == Sync);
    }

    private static Advice Judge(SituatedCases cases, string topic, string says, string begin, Func<string, bool> concerns)
    {
        var found = Comparisons.Of(
            from mine in cases.All
            where concerns(mine.Method) && SituatedCases.IsAsynchronous(mine.Parameters)
            let other = cases.Find(mine.Method, mine.Parameters with { Options = Without(mine.Parameters) })
            where other is not null
            select (mine, other),
            cases.Judge.Compare);
        string check = CheckCommand.Full(
            cases.Results, concerns("") ? [Sync, "FileStreamAsync", "PipeReaderCreate", "PipePump"] : [Sync]);
        return found.Any
            ? ClaimAdvice.Make(
                topic,
                PublishedRange.FilePipelines,
                says,
                found.AllSlower,
                $"{begin} {found.Describe()} without it.",
                found.Evidence((mine, other) => $"{Figures.Time(mine)} with the option, {Figures.Time(other)} without"),
                found.Slower > 0
                    ? "Leave FileOptions.Asynchronous out wherever the file is read synchronously, and measure it where it is not."
                    : "Set FileOptions.Asynchronous as the rest of the program needs it: here it costs nothing.",
                SnippetText.Of(Sync),
                check)
            : ClaimAdvice.CannotBeTold(
                topic, PublishedRange.FilePipelines, says, "cases with and without the option, which only full mode has", check);
    }

    private static string Without(CaseParameters parameters) => string.Join(
        '|', parameters.Options!.Split('|').Where(option => option != "Asynchronous"));
}
