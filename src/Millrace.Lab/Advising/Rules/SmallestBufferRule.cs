
namespace Millrace.Lab.Advising.Rules;

/// <summary>The smallest buffer that is within the noise of a method's best.</summary>
internal sealed class SmallestBufferRule : IAdviceRule
{
    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        foreach (Situation situation in cases.Situations)
        {
            BufferChoice[] choices =
                [.. situation.Methods.Select(method => BufferChoice.Of(cases, situation, method)).OfType<BufferChoice>()];
            if (choices.Length > 0)
            {
                yield return Make(cases, situation, choices);
            }
        }
    }

    private static Advice Make(SituatedCases cases, Situation situation, BufferChoice[] choices)
    {
        BufferChoice main = choices.FirstOrDefault(choice => choice.Best.Baseline) ?? choices[0];
        string method = main.Best.Method;
        string[] indifferent =
        [
            .. choices.Where(choice => choice.Smallest == choice.All[0]).Select(choice => choice.Best.Method),
        ];
        string statement = main.Smallest == main.All[0]
            ? $"{situation.Name}: the buffer of {method} does not matter from {Figures.Buffer(main.Smallest)} on."
            : $"{situation.Name}: {method} needs {Figures.Buffer(main.Smallest)}; more brings nothing that this run can see.";
        string[] others = [.. indifferent.Where(name => name != method)];
        string? forSmallPieces = choices.Where(choice => IsFilePipe(choice.Best) && others.Contains(choice.Best.Method))
            .MinBy(choice => Figures.Median(choice.Smallest))?.Best.Method;
        return new Advice
        {
            Topic = "buffer",
            Kind = AdviceKind.Hint,
            Statement = others.Length == 0
                ? statement
                : $"{statement} It does not matter for {string.Join(", ", others)}.",
            Evidence = [.. choices.Select(choice => new AdviceEvidence(Figures.Id(choice.Smallest), Describe(cases, choice)))],
            Action = $"Give {method} {Figures.Buffer(main.Smallest)}."
                + (forSmallPieces is null ? "" : $" Where your code wants small pieces, take {forSmallPieces} and ask for what you need."),
            Code = SnippetText.Of(method, main.Smallest.Parameters.Buffer),
            Check = CheckCommand.Again(cases.Results, choices.Select(choice => choice.Best.Method)),
        };
    }

    private static bool IsFilePipe(CaseResult item) => item.Method.StartsWith("FilePipe", StringComparison.Ordinal);

    private static string Describe(SituatedCases cases, BufferChoice choice)
    {
        CaseResult first = choice.All[0];
        string smallest = first == choice.Smallest
            ? ""
            : $"; {Figures.Buffer(first)} takes {Figures.Ratio(Figures.Median(first) / Figures.Median(choice.Best))} times the best";
        return choice.Smallest == choice.Best
            ? $"{Figures.Time(choice.Best)}, the best{smallest}"
            : $"{Figures.Time(choice.Smallest)}, {Figures.Ratio(Figures.Median(choice.Smallest) / Figures.Median(choice.Best))} of the best "
                + $"({Figures.Time(choice.Best)} at {Figures.Buffer(choice.Best)}), where the noise is "
                + $"{Figures.Percent(cases.Judge.Compare(choice.Smallest, choice.Best).Noise)}{smallest}";
    }
}
