using Millrace.Lab.Advising.Ways;

namespace Millrace.Lab.Advising.Claims;

/// <summary>"An asynchronous sequence of bytes is not bad: only increments over the raw buffer are faster."</summary>
internal sealed class AsyncBytesClaim : IAdviceRule
{
    private static readonly Way Ours = new(Way.MillraceBytes, Way.AwaitForEach);

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        string published = Figures.Times(PublishedWays.Ratios(
            "wall", way => way.Arrival == Way.AsyncBytes ? Way.Of(Way.Baseline) : null));
        string says = $"An asynchronous sequence of bytes is second only to increments over the raw buffer ({published} its time)";
        string check = CheckCommand.Again(cases.Results, "AsyncBytes.AwaitForEach", Ours.ToString(), Way.Baseline);
        WaySource[] sources =
        [
            .. WaySource.Of(cases).Where(source => source.Best(Way.AsyncBytes) is not null && source.Find(Way.Baseline) is not null),
        ];
        if (sources.Length == 0)
        {
            return [ClaimAdvice.CannotBeTold("async bytes", PublishedRange.UrlBytes, says, $"AsyncBytes and {Way.Baseline}", check)];
        }

        bool holds = sources.All(source => FasterThan(cases, source).All(item => item.Method == Way.Baseline));
        return
        [
            ClaimAdvice.Make(
                "async bytes",
                PublishedRange.UrlBytes,
                says,
                holds ? Holds.Yes : Holds.No,
                string.Join(" ", sources.Select(source => Reason(cases, source))),
                [.. sources.SelectMany(Evidence)],
                sources.All(source => IsCheaper(cases, source))
                    ? "Enumerate bytes with Millrace's ReadBytesAsync instead of an IAsyncEnumerable<byte>; where they are many, "
                        + "take segments."
                    : "Take segments where bytes are many; an asynchronous sequence of bytes is for few of them.",
                SnippetText.Of(Ours.ToString()),
                check),
        ];
    }

    private static CaseResult[] FasterThan(SituatedCases cases, WaySource source)
    {
        CaseResult best = source.Best(Way.AsyncBytes)!;
        return
        [
            .. source.Cases.Where(item => PublishedWays.Has(item.Method) && Way.Of(item.Method).Arrival != Way.AsyncBytes
                && cases.Judge.Compare(item, best).Relation == Relation.Faster),
        ];
    }

    private static string Reason(SituatedCases cases, WaySource source)
    {
        CaseResult best = source.Best(Way.AsyncBytes)!;
        int faster = FasterThan(cases, source).Length;
        int ways = source.Cases.Count(item => PublishedWays.Has(item.Method) && Way.Of(item.Method).Arrival != Way.AsyncBytes);
        return $"{source.Name}: {faster} of {ways} other ways of theirs are faster than IAsyncEnumerable<byte>, which takes "
            + $"{Figures.Ratio(Figures.Median(best) / Figures.Median(source.Find(Way.Baseline)!))} times the time of {Way.Baseline}.";
    }

    private static IEnumerable<AdviceEvidence> Evidence(WaySource source)
    {
        CaseResult plain = source.Find(Way.AsyncBytes, Way.AwaitForEach) ?? source.Best(Way.AsyncBytes)!;
        yield return new AdviceEvidence(Figures.Id(plain), $"{Figures.PerByte(plain)} a byte");
        if (source.Find(Ours.ToString()) is { } ours)
        {
            yield return new AdviceEvidence(
                Figures.Id(ours),
                $"{Figures.PerByte(ours)} a byte, {Figures.Ratio(Figures.Median(ours) / Figures.Median(plain))} of the plain one's");
        }
    }

    private static bool IsCheaper(SituatedCases cases, WaySource source) => source.Find(Ours.ToString()) is { } ours
        && source.Best(Way.AsyncBytes) is { } plain && cases.Judge.Compare(ours, plain).Relation == Relation.Faster;
}
