
namespace Millrace.Lab.Advising.Rules;

/// <summary>Where time is bought with a second processor, which a busy machine does not have.</summary>
internal sealed class ProcessorTimeRule : IAdviceRule
{
    // Less than this may be the garbage collector or the kernel's own work.
    private const double MoreThanOne = 1.25;

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        foreach (Situation situation in cases.Situations.Where(situation => !situation.IsCold))
        {
            CaseResult[] best = [.. situation.BestOfEach().Where(item => Figures.Cpu(item) is not null)];
            CaseResult? thrifty = best.Where(item => item.Method != "MemoryMapped").MinBy(Figures.Cpu);
            if (thrifty is null)
            {
                continue;
            }

            CaseResult? fast = best.FirstOrDefault(item => Figures.Cores(item) > MoreThanOne
                && Figures.Cpu(item) > Figures.Cpu(thrifty) * MoreThanOne
                && cases.Judge.Compare(item, thrifty).Relation == Relation.Faster);
            CaseResult? calm = PreferSameFamily(best, fast);
            if (fast is not null && calm is not null)
            {
                yield return Make(cases, situation, fast, calm);
            }
        }
    }

    // Who has a pipe wants a pipe; Buffered is ReadAhead without the second thread.
    private static CaseResult? PreferSameFamily(CaseResult[] best, CaseResult? fast) =>
        best.FirstOrDefault(item => item.Method == "FilePipeBuffered"
            && fast is not null && Figures.Cpu(item) < Figures.Cpu(fast))
        ?? best.Where(item => item.Method != "MemoryMapped" && item != fast).MinBy(Figures.Cpu);

    private static Advice Make(SituatedCases cases, Situation situation, CaseResult fast, CaseResult calm) => new()
    {
        Topic = "processor time",
        Kind = AdviceKind.Hint,
        Statement = $"{situation.Name}: {fast.Method} is fast because it uses {Figures.Number(Figures.Cores(fast)!.Value)} processors: "
            + $"{Figures.Ratio(Figures.Median(fast) / Figures.Median(calm))} of the time of {calm.Method}, "
            + $"{Figures.Ratio((Figures.Cpu(fast) / Figures.Cpu(calm))!.Value)} times its processor time.",
        Evidence = [.. new[] { fast, calm }.Select(item => new AdviceEvidence(
            Figures.Id(item),
            $"{Figures.Time(item)}, {Figures.Time(Figures.Cpu(item)!.Value)} of processor time"
                + (Figures.Cores(item) is { } cores ? $", {Figures.Number(cores)} processors at a time" : ""))),],
        Action = $"When one {situation.Thing} has to be read soon, use {fast.Method}. When every processor has work, as in a server "
            + $"under load, use {calm.Method}: it reads more {situation.Thing}s with the same processors.",
        Code = SnippetText.Of(calm.Method, calm.Parameters.Buffer),
        Check = CheckCommand.Again(cases.Results, fast.Method, calm.Method),
    };
}
