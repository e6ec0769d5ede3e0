
namespace Millrace.Lab.Advising.Rules;

/// <summary>Where memory is the price of speed: the methods that no other beats in both.</summary>
internal sealed class MemoryForSpeedRule : IAdviceRule
{
    // Below this it is no price, even for hundreds of files at once: some buffers and objects.
    private const double WorthMentioning = ByteSize.MiB;

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        foreach (Situation situation in cases.Situations)
        {
            if (Front(cases, situation, "peak memory over idle", item => item.Summary!.PeakOverIdleBytes) is { } peak)
            {
                yield return peak;
            }

            if (Front(cases, situation, "allocated memory", item => item.Summary!.AllocatedBytes) is { } allocated)
            {
                yield return allocated;
            }
        }
    }

    private static Advice? Front(SituatedCases cases, Situation situation, string what, Func<CaseResult, double?> memoryOf)
    {
        CaseResult[] front = [];
        foreach (CaseResult item in situation.Cases.Where(item => memoryOf(item) is not null).OrderBy(Figures.Median)
            .ThenBy(item => memoryOf(item)))
        {
            // On the front is what takes clearly less memory than everything faster, and is clearly slower.
            if (front.Length == 0
                || (memoryOf(item) <= memoryOf(front[^1]) - WorthMentioning
                    && cases.Judge.Compare(item, front[^1]).Relation == Relation.Slower))
            {
                front = [.. front, item];
            }
            else if (memoryOf(item) <= memoryOf(front[^1]) - WorthMentioning)
            {
                // As fast and smaller: it takes the place.
                front = [.. front[..^1], item];
            }
        }

        if (front.Length < 2)
        {
            return null;
        }

        CaseResult fast = front[0];
        CaseResult small = front[^1];
        return new Advice
        {
            Topic = "memory",
            Kind = AdviceKind.Hint,
            Statement = $"{situation.Name}: memory is the price of speed. {fast.Method} takes "
                + $"{Figures.Ratio(Figures.Median(fast) / Figures.Median(small))} of the time of {small.Method} and "
                + $"{Figures.Bytes(memoryOf(fast)!.Value)} instead of {Figures.Bytes(memoryOf(small)!.Value)} of {what}.",
            Evidence =
            [
                .. front.Select(item => new AdviceEvidence(
                    Figures.Id(item), $"{Figures.Time(item)}, {Figures.Bytes(memoryOf(item)!.Value)} of {what}")),
            ],
            Action = $"Where many {situation.Thing}s are read at once or memory is short, use {small.Method}; otherwise {fast.Method}.",
            Code = SnippetText.Of(small.Method, small.Parameters.Buffer),
            Check = CheckCommand.Again(cases.Results, front.Select(item => item.Method).Distinct()),
        };
    }
}
