using Millrace.Lab.Advising.Ways;
using Millrace.Lab.Published;

namespace Millrace.Lab.Advising.Claims;

/// <summary>"The disk is not the limit": with the same bytes arriving in the same way, the walk decides.</summary>
internal sealed class WalkLimitClaim : IAdviceRule
{
    // Of ways that wait for the same bytes, a walk that takes half of another's time was not waiting for them.
    private const double Decides = 2;

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        string most = string.Join(" and ", PublishedWays.Machines.Select(table => table.Rows.Max(row => table.Figure(row, "throughput")!.Value))
            .Order().Select(speed => $"{speed:#,0}"));
        string says = $"How bytes are walked over is the limit, not how fast they come (the most were {most} MiB/s there)";
        string check = CheckCommand.Again(cases.Results, Way.Baseline, "Increments.Vector", "Increments.ForEach", "Increments.Reduce");
        (CaseResult Fast, CaseResult Slow)[] arrivals =
        [
            .. from source in WaySource.Of(cases)
               from arrival in source.Arrivals
               let walks = source.Cases.Where(item => Way.Of(item.Method).Arrival == arrival).ToArray()
               where walks.Any(item => Way.Of(item.Method).Walk is Way.Span or Way.Vector) && walks.Length > 1
               select (walks.MinBy(Figures.Median)!, walks.MaxBy(Figures.Median)!),
        ];
        if (arrivals.Length == 0)
        {
            return
            [
                ClaimAdvice.CannotBeTold(
                    "limits", PublishedRange.UrlBytes, says, "Span or Vector and another walk of the same arrival", check),
            ];
        }

        int decided = arrivals.Count(pair => Ratio(pair) >= Decides && cases.Judge.Compare(pair.Slow, pair.Fast).Relation == Relation.Slower);
        return
        [
            ClaimAdvice.Make(
                "limits",
                PublishedRange.UrlBytes,
                says,
                decided == arrivals.Length ? Holds.Yes : Holds.No,
                $"With the same arrival, the slowest walk takes {Figures.Times(arrivals.Select(Ratio))} the time of the fastest; it is "
                    + $"{Decides:0} times and more in {decided} of {arrivals.Length} {(arrivals.Length == 1 ? "arrival" : "arrivals")}.",
                [.. arrivals.GroupBy(pair => pair.Fast.Parameters.Source).SelectMany(group => Evidence(cases, [.. group]))],
                decided == arrivals.Length
                    ? "Make the walk cheap before you look for a faster way to get the bytes."
                    : "Where the walks do not differ, look at how the bytes come: a buffer, a connection, a disk.",
                SnippetText.Of("MillraceBytes.Vector"),
                check),
        ];
    }

    private static double Ratio((CaseResult Fast, CaseResult Slow) pair) => Figures.Median(pair.Slow) / Figures.Median(pair.Fast);

    private static IEnumerable<AdviceEvidence> Evidence(SituatedCases cases, (CaseResult Fast, CaseResult Slow)[] arrivals)
    {
        (CaseResult fast, _) = arrivals.MinBy(pair => Figures.Median(pair.Fast));
        (_, CaseResult slow) = arrivals.MaxBy(pair => Figures.Median(pair.Slow));
        yield return new AdviceEvidence(Figures.Id(fast), $"{fast.Summary!.MibPerSecond:#,0} MiB/s, the most{CouldBeMore(cases, fast)}");
        yield return new AdviceEvidence(Figures.Id(slow), $"{slow.Summary!.MibPerSecond:#,0} MiB/s, the least");
    }

    // Vectors walk a span faster than a loop. Where that shows, the loop was not waiting for bytes.
    private static string CouldBeMore(SituatedCases cases, CaseResult fast)
    {
        Way way = Way.Of(fast.Method);
        return way.Walk == Way.Vector
            && cases.Find((way with { Walk = Way.Span }).ToString(), fast.Parameters) is { } span
            && cases.Judge.Compare(fast, span).Relation is Relation.Same
                ? "; a loop over the span is as fast, so here the bytes are the limit"
                : "";
    }
}
