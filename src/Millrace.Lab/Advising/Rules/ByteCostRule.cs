using Millrace.Lab.Advising.Ways;

namespace Millrace.Lab.Advising.Rules;

/// <summary>What a byte costs by how it is walked over: the figure to choose the shape of an interface by.</summary>
internal sealed class ByteCostRule : IAdviceRule
{
    private const string Cheap = "MillraceBytes.Span";

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        WaySource[] sources = [.. WaySource.Of(cases).Where(source => Walks(source).Length > 1)];
        if (sources.Length == 0)
        {
            yield break;
        }

        CaseResult[] all = [.. sources.SelectMany(source => source.Cases)];
        CaseResult least = all.MinBy(Figures.Median)!;
        CaseResult most = all.MaxBy(Figures.Median)!;
        yield return new Advice
        {
            Topic = "cost of a byte",
            Kind = AdviceKind.Hint,
            Statement = $"A byte costs from {Figures.PerByte(least)} ({least.Method}, {least.Parameters.Source}) to {Figures.PerByte(most)} "
                + $"({most.Method}, {most.Parameters.Source}), all that reading it takes included.",
            Evidence =
            [
                .. sources.Select(source => new AdviceEvidence(
                    null, $"{source.Name}: {string.Join(", ", Walks(source).Select(walk => $"{walk.Name} {walk.Cost}"))}")),
            ],
            Action = "Where bytes are many, take and hand out segments and walk them as spans; keep sequences and delegates of single "
                + "bytes for where they are few.",
            Code = SnippetText.Of(Cheap),
            Check = CheckCommand.Again(cases.Results, least.Method, most.Method),
        };
    }

    // An await for each byte costs what its sequence makes of it; so do the walks of one that awaits for each.
    private static (string Name, string Cost)[] Walks(WaySource source) =>
    [
        .. source.Cases
            .GroupBy(item => Way.Of(item.Method) is { Walk: not Way.AwaitForEach, Arrival: not Way.AsyncBytes } way ? way.Walk : item.Method)
            .OrderBy(group => group.Min(Figures.Median))
            .Select(group => (group.Key, Range(group))),
    ];

    private static string Range(IEnumerable<CaseResult> cases)
    {
        string least = Figures.PerByte(cases.MinBy(Figures.Median)!);
        string most = Figures.PerByte(cases.MaxBy(Figures.Median)!);
        return least == most ? least : $"{least[..^" ns".Length]} to {most}";
    }
}
