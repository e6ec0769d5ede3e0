using Millrace.Lab.Advising.Ways;

namespace Millrace.Lab.Advising.Claims;

/// <summary>"A for loop is faster than forEach and reduce."</summary>
internal sealed class ForLoopClaim : IAdviceRule
{
    private static readonly string[] Functional = [Way.ForEach, Way.Reduce];

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        string published = PublishedWays.OfWalks("wall", Functional, Way.For, Way.AllAtOnce, Way.Increments, Way.Completion);
        string says = $"A for loop is faster than a delegate for each byte and than a fold ({published} its time)";
        string check = CheckCommand.Again(cases.Results, "Increments.For", "Increments.ForEach", "Increments.Reduce");
        var found = new WalkComparison(cases, Functional, Way.For);
        yield return found.All.Any
            ? ClaimAdvice.Make(
                "for loops",
                PublishedRange.UrlBytes,
                says,
                found.All.AllSlower,
                $"ForEach and Reduce are {found.All.Describe()} of For.",
                found.Evidence,
                found.All.Slower > 0 ? "Write the loop where bytes are many." : "Write whichever reads better.",
                null,
                check)
            : ClaimAdvice.CannotBeTold("for loops", PublishedRange.UrlBytes, says, "For and ForEach or Reduce of the same arrival", check);
    }
}
