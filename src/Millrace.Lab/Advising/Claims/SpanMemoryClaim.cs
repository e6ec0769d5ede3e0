using Millrace.Lab.Advising.Ways;

namespace Millrace.Lab.Advising.Claims;

/// <summary>"A view of the raw buffer doubles the memory of what is viewed": a copy that a span does not make.</summary>
internal sealed class SpanMemoryClaim : IAdviceRule
{
    // A copy adds the whole length; half of it is more than a peak wobbles by.
    private const double Copied = 0.5;
    private static readonly string[] Whole = [Way.AllAtOnce, Way.Completion];

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        string published = PublishedWays.OfWalks("peak", [Way.Span], Way.For, Whole);
        string says = "A view of the raw buffer doubles the memory of what arrived all at once (the peak is "
            + $"{published} as high there)";
        string check = CheckCommand.Again(cases.Results, "AllAtOnce.Span", "AllAtOnce.For");
        (CaseResult Mine, CaseResult Other)[] pairs =
        [
            .. WaySource.Of(cases).SelectMany(source => source.Pairs(Way.Span, Way.For)).Where(pair =>
                Whole.Contains(Way.Of(pair.Mine.Method).Arrival) && Peak(pair.Mine) is not null && Peak(pair.Other) is not null),
        ];
        if (pairs.Length == 0)
        {
            return
            [
                ClaimAdvice.CannotBeTold(
                    "memory of a view", PublishedRange.UrlBytes, says, "the peak memory of AllAtOnce.Span and AllAtOnce.For", check),
            ];
        }

        int copying = pairs.Count(pair => Peak(pair.Mine) - Peak(pair.Other) > Copied * pair.Mine.Parameters.Bytes);
        return
        [
            ClaimAdvice.Make(
                "memory of a view",
                PublishedRange.UrlBytes,
                says,
                copying == pairs.Length ? Holds.Yes : Holds.No,
                $"The span adds more than half of the length to the peak in {copying} of {pairs.Length} "
                    + (pairs.Length == 1 ? "comparison." : "comparisons."),
                [
                    .. pairs.Select(pair => new AdviceEvidence(
                        Figures.Id(pair.Mine),
                        $"{Figures.Bytes(Peak(pair.Mine)!.Value)} of peak memory over idle, {Figures.Bytes(Peak(pair.Other)!.Value)} with For")),
                ],
                copying == 0
                    ? "Take spans without a thought for memory: a span is a view of the array and copies nothing."
                    : "Look for what copies: a span of an array is a view and should add nothing.",
                null,
                check),
        ];
    }

    private static double? Peak(CaseResult item) => item.Summary!.PeakOverIdleBytes;
}
