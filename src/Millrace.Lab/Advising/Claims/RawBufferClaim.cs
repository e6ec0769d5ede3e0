using Millrace.Lab.Advising.Ways;

namespace Millrace.Lab.Advising.Claims;

/// <summary>"A view of the raw buffer is far faster than the safe ways to its bytes."</summary>
internal sealed class RawBufferClaim : IAdviceRule
{
    // Theirs is seven times and more; what is not twice as fast is not far faster.
    private const double Far = 2;

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        string published = PublishedWays.OfWalks("wall", Way.SafeWalks, Way.Span, Way.AllAtOnce, Way.Increments, Way.Completion);
        string says = "A view of the raw buffer is far faster than an index, a delegate for each byte and a fold, however the bytes "
            + $"arrive ({published} its time)";
        string check = CheckCommand.Again(cases.Results, Way.Baseline, "Increments.For", "Increments.ForEach", "Increments.Reduce");
        var found = new WalkComparison(cases, Way.SafeWalks, Way.Span);
        yield return found.All.Any
            ? ClaimAdvice.Make(
                "raw buffer",
                PublishedRange.UrlBytes,
                says,
                found.All.AllSlower == Holds.Yes && found.All.Ratios.Min() >= Far ? Holds.Yes : Holds.No,
                $"The other walks are {found.All.Describe()} of a span; far is {Far:0} times and more.",
                found.Evidence,
                "Take the bytes as a span once for each piece. An index into the array itself costs what the figures above say; "
                    + "a delegate for each byte is a call for each byte.",
                SnippetText.Of(Way.Baseline),
                check)
            : ClaimAdvice.CannotBeTold("raw buffer", PublishedRange.UrlBytes, says, "Span and another walk of the same arrival", check);
    }
}
