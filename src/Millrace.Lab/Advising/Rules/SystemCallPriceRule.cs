
namespace Millrace.Lab.Advising.Rules;

/// <summary>What a call into the kernel costs here: the time that small buffers add, by the calls that they add.</summary>
internal sealed class SystemCallPriceRule : IAdviceRule
{
    // Fewer calls more than this, and the price of each drowns in everything else.
    private const double MinCalls = 1000;

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        Situation? situation = cases.Situations.FirstOrDefault(item => !item.IsCold);
        if (situation is null || cases.Baseline is not { } method)
        {
            yield break;
        }

        CaseResult[] all = [.. situation.Of(method).Where(item => Calls(item) is not null)];
        if (all.Length < 2)
        {
            yield break;
        }

        CaseResult many = all.MaxBy(Calls)!;
        CaseResult few = all.MinBy(Figures.Median)!;
        double calls = Calls(many)!.Value - Calls(few)!.Value;
        if (calls < MinCalls || cases.Judge.Compare(many, few).Relation != Relation.Slower)
        {
            yield break;
        }

        double price = (Figures.Median(many) - Figures.Median(few)) / calls;
        yield return new Advice
        {
            Topic = "system calls",
            Kind = AdviceKind.Hint,
            Statement = $"A call that reads costs about {price:0} ns here, besides copying: {calls:#,0} more of them make "
                + $"{method} take {Figures.Ratio(Figures.Median(many) / Figures.Median(few))} times as long.",
            Evidence =
            [
                .. new[] { many, few }.Select(item =>
                    new AdviceEvidence(Figures.Id(item), $"{Figures.Time(item)}, {Calls(item):#,0} calls")),
                .. cases.Results.Machine.Mitigations is { } mitigations
                    ? new[] { new AdviceEvidence(null, $"the kernel pays for flaws of the processor at every call: {mitigations}") }
                    : [],
            ],
            Action = "Read in large pieces and hand out small ones, as a file pipe does, instead of asking the kernel for each.",
            Code = SnippetText.Of("FilePipe"),
            Check = CheckCommand.Again(cases.Results, "FilePipe", method),
        };
    }

    private static double? Calls(CaseResult item) => item.Summary!.SystemCalls ?? item.Summary.ReadCalls;
}
