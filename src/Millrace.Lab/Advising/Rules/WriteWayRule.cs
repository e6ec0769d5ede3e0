
namespace Millrace.Lab.Advising.Rules;

/// <summary>Which way to write at each length of chunk, where nobody waits for the device.</summary>
internal sealed class WriteWayRule : IAdviceRule
{
    // Smaller chunks are gathered and not awaited one by one.
    private const int SmallChunk = 4096;

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        // Everything at once, in one array, has no chunks.
        IGrouping<long, CaseResult>? largest = WriteCases.Writing(cases, WriteCases.None)
            .Where(item => item.Method != "WriteAllBytes")
            .GroupBy(item => item.Parameters.Bytes ?? 0).MaxBy(group => group.Key);
        Choice[] choices =
        [
            .. from chunk in largest?.GroupBy(item => item.Parameters.Chunk!.Value) ?? []
               orderby chunk.Key
               let stream = chunk.FirstOrDefault(item => item.Method == WriteCases.FileStream)
               let best = chunk.MinBy(Figures.Median)
               where stream is not null && chunk.Skip(1).Any()
               select new Choice(best, stream, cases.Judge.Compare(best, stream).Relation == Relation.Faster),
        ];
        if (choices.Length > 0)
        {
            yield return Make(cases, choices);
        }
    }

    private static Advice Make(SituatedCases cases, Choice[] choices)
    {
        Choice[] apart = [.. choices.Where(choice => choice.Matters)];
        Choice[] alike = [.. choices.Where(choice => !choice.Matters)];
        string file = WriteCases.Length(choices[0].Best);
        Choice? most = apart.MinBy(choice => choice.Ratio);
        string statement = most is null
            ? $"{file}, not durable: at {Chunks(alike)} nothing is faster than FileStream by more than the noise."
            : $"{file}, not durable: at {WriteCases.Chunk(most.Best)} {most.Best.Method} takes {Figures.Ratio(most.Ratio)} of "
                + $"FileStream's time{(alike.Length == 0 ? "" : $"; at {Chunks(alike)} nothing is faster by more than the noise")}.";
        return new Advice
        {
            Topic = "writing",
            Kind = AdviceKind.Hint,
            Statement = statement,
            Evidence =
            [
                .. choices.Select(choice =>
                    new AdviceEvidence(Figures.Id(choice.Best), WriteCases.Against(choice.Best, choice.Stream))),
            ],
            Action = most is null
                ? "Take what suits the code: a FileStream without a buffer, or a file pipe for a file that appears whole or not at all."
                : string.Join(' ', apart.GroupBy(choice => choice.Best.Method).Select(group =>
                    $"Write chunks of {Chunks([.. group])} with {group.Key}.")),
            Code = SnippetOf(most),
            Check = CheckCommand.Cases(
                cases.Results,
                apart.Select(choice => choice.Best.Method).Distinct().Select(method => $"{method}/*/none")
                    .Append($"{WriteCases.FileStream}*/*/none").Distinct()),
        };
    }

    private static string? SnippetOf(Choice? choice) => choice switch
    {
        null => SnippetText.Of("Write.FileStreamSync"),
        { Best.Method: var method } when !method.StartsWith(WriteCases.FilePipe, StringComparison.Ordinal) => null,
        { Best.Parameters.Chunk: < SmallChunk } => SnippetText.Of("Write.Small"),
        _ => SnippetText.Of("Write.FilePipe"),
    };

    private static string Chunks(IReadOnlyList<Choice> choices) =>
        string.Join(", ", choices.Select(choice => WriteCases.Chunk(choice.Best)));

    private sealed record Choice(CaseResult Best, CaseResult Stream, bool Matters)
    {
        public double Ratio => Figures.Median(Best) / Figures.Median(Stream);
    }
}
