using Millrace.Lab.Published;

namespace Millrace.Lab.Advising.Claims;

/// <summary>Puts a published conclusion and what was found into advice.</summary>
internal static class ClaimAdvice
{
    /// <summary>What holds, or does not.</summary>
    public static Advice Make(
        string topic,
        string set,
        string says,
        Holds holds,
        string reason,
        IReadOnlyList<AdviceEvidence> evidence,
        string action,
        string? code,
        string check)
    {
        PublishedSet published = PublishedFigures.Get(set);
        return new Advice
        {
            Topic = topic,
            Kind = AdviceKind.Hint,
            Statement = reason,
            Evidence = evidence,
            Action = action,
            Code = code,
            Check = check,
            Claim = new PublishedClaim(published.Title, published.Source, says, holds, reason),
        };
    }

    /// <summary>What cannot be told, because it was not measured.</summary>
    public static Advice CannotBeTold(string topic, string set, string says, string missing, string check) => Make(
        topic,
        set,
        says,
        Holds.CannotBeTold,
        $"Not measured: {missing}.",
        [],
        "Measure it before you rely on the published figure.",
        null,
        check);
}
