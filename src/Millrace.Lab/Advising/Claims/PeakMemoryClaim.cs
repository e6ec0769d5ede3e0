using Millrace.Lab.Advising.Ways;

namespace Millrace.Lab.Advising.Claims;

/// <summary>"All at once takes many times the memory of increments."</summary>
internal sealed class PeakMemoryClaim : IAdviceRule
{
    // The least there, with the same walk.
    private const double Many = 5;
    private static readonly string[] Whole = [Way.AllAtOnce, Way.Completion];

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        string says = "All at once takes many times the memory of increments "
            + $"({OfSameWalk()} with the same walk, {OfWorstToBest()} between the worst and the best)";
        string check = CheckCommand.Again(cases.Results, "AllAtOnce.Span", "Completion.Span", Way.Baseline);
        (CaseResult Mine, CaseResult Other)[] pairs =
        [
            .. from source in WaySource.Of(cases)
               from mine in source.Cases
               let way = Way.Of(mine.Method)
               where Whole.Contains(way.Arrival) && Peak(mine) is not null
               let other = source.Find(Way.Increments, way.Walk)
               where other is not null && Peak(other) is not null
               select (mine, other),
        ];
        if (pairs.Length == 0)
        {
            return
            [
                ClaimAdvice.CannotBeTold(
                    "peak memory", PublishedRange.UrlBytes, says, "the peak memory of Increments and of AllAtOnce or Completion", check),
            ];
        }

        int many = pairs.Count(pair => Peak(pair.Mine) >= Many * Math.Max(Peak(pair.Other)!.Value, 1));
        return
        [
            ClaimAdvice.Make(
                "peak memory",
                PublishedRange.UrlBytes,
                says,
                many == pairs.Length ? Holds.Yes : Holds.No,
                $"All at once takes {Many:0} times the memory of increments and more in {many} of {pairs.Length} "
                    + (pairs.Length == 1 ? "comparison" : "comparisons") + ", over what the process has anyway.",
                [.. pairs.GroupBy(pair => pair.Mine.Parameters.Source).SelectMany(Evidence)],
                "Handle bytes as they come where the length is not known to be small: all at once needs room for all of them.",
                SnippetText.Of(Way.Baseline),
                check),
        ];
    }

    private static IEnumerable<AdviceEvidence> Evidence(IEnumerable<(CaseResult Mine, CaseResult Other)> pairs) =>
        new[] { pairs.MaxBy(pair => Peak(pair.Mine)).Mine, pairs.MinBy(pair => Peak(pair.Other)).Other }.Select(item =>
            new AdviceEvidence(
                Figures.Id(item),
                $"{Figures.Bytes(Peak(item)!.Value)} of peak memory over idle"
                    + (item.Summary!.PeakResidentBytes is { } whole ? $", {Figures.Bytes(whole)} with the runtime" : "")));

    private static string OfSameWalk() => Figures.Times(PublishedWays.Ratios(
        "peak", way => Whole.Contains(way.Arrival) ? way with { Arrival = Way.Increments } : null));

    private static string OfWorstToBest() => Figures.Times(PublishedWays.Machines.Select(table =>
        table.Rows.Max(row => table.Figure(row, "peak")!.Value) / table.Rows.Min(row => table.Figure(row, "peak")!.Value)));

    private static double? Peak(CaseResult item) => item.Summary!.PeakOverIdleBytes;
}
