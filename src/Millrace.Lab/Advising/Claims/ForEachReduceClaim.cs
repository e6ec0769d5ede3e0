using Millrace.Lab.Advising.Ways;

namespace Millrace.Lab.Advising.Claims;

/// <summary>"forEach and reduce perform the same."</summary>
internal sealed class ForEachReduceClaim : IAdviceRule
{
    // Theirs are up to 2 % apart.
    private const double Same = 0.05;

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        string published = PublishedWays.OfWalks("wall", [Way.Reduce], Way.ForEach, Way.AllAtOnce, Way.Increments, Way.Completion);
        string says = $"A fold takes the same time as a delegate for each byte ({published} its time)";
        string check = CheckCommand.Again(cases.Results, "Increments.ForEach", "Increments.Reduce");
        var found = new WalkComparison(cases, [Way.Reduce], Way.ForEach);
        yield return found.All.Any
            ? ClaimAdvice.Make(
                "forEach and reduce",
                PublishedRange.UrlBytes,
                says,
                found.All.AllWithin(Same) ? Holds.Yes : Holds.No,
                $"Reduce is {found.All.Describe()} of ForEach; the same is within the noise, or within {Figures.Percent(Same)}.",
                found.Evidence,
                found.All.AllWithin(Same)
                    ? "Choose between them by what the code says."
                    : "Measure the one that the code has: a fold hands its value through every call, a delegate keeps it elsewhere.",
                null,
                check)
            : ClaimAdvice.CannotBeTold(
                "forEach and reduce", PublishedRange.UrlBytes, says, "ForEach and Reduce of the same arrival", check);
    }
}
