
namespace Millrace.Lab.Advising.Rules;

/// <summary>The fastest buffer of a method and the smallest that is as fast.</summary>
/// <param name="Best">The fastest case.</param>
/// <param name="Smallest">The case with the smallest buffer that is within the noise of it.</param>
/// <param name="All">All cases of the method by ascending buffer.</param>
internal sealed record BufferChoice(CaseResult Best, CaseResult Smallest, IReadOnlyList<CaseResult> All)
{
    // With two buffers the smaller one is no finding.
    private const int MinBuffers = 3;

    /// <summary>Chooses; null with fewer than three buffers.</summary>
    public static BufferChoice? Of(SituatedCases cases, Situation situation, string method)
    {
        IReadOnlyList<CaseResult> all = situation.Of(method);
        if (all.Count(item => item.Parameters.Buffer is not null) < MinBuffers)
        {
            return null;
        }

        CaseResult best = all.MinBy(Figures.Median)!;
        return new BufferChoice(
            best, all.First(item => item == best || cases.Judge.Compare(item, best).Relation == Relation.Same), all);
    }
}
