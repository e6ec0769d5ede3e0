
namespace Millrace.Lab.Advising.Rules;

/// <summary>What a durable record costs by how many append at once.</summary>
internal sealed class RecordPriceRule : IAdviceRule
{
    private const string Append = "FilePipeAppend";

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        CaseResult[] all = [.. WriteCases.Appending(cases)];
        CaseResult[] mine = [.. all.Where(item => item.Method == Append)];
        if (mine.Length < 2)
        {
            yield break;
        }

        CaseResult few = mine[0];
        CaseResult many = mine.MinBy(Price)!;
        bool pays = cases.Judge.Compare(many, few).Relation == Relation.Faster;
        yield return new Advice
        {
            Topic = "records",
            Kind = AdviceKind.Hint,
            Statement = $"A durable record takes {Text(few)} with {Writers(few)}"
                + (pays
                    ? $" and {Text(many)} with {many.Parameters.Writers}, which share the device's flushes."
                    : ", and no less with more of them."),
            Evidence =
            [
                .. all.Select(item => new AdviceEvidence(
                    Figures.Id(item),
                    $"{Text(item)} a record, {item.Parameters.Records / (Figures.Median(item) / 1e9):#,0} records per second")),
            ],
            Action = pays
                ? "Give everyone who has records a writer of its own, and let each await its own record: those that wait together "
                    + "wait once."
                : "Write several records before each flush: here those that wait together do not wait less.",
            Code = SnippetText.Of(Append),
            Check = CheckCommand.Cases(cases.Results, $"{Append}*", "FileStreamAppend"),
        };
    }

    private static double Price(CaseResult item) => Figures.Median(item) / item.Parameters.Records!.Value;

    private static string Text(CaseResult item) => Figures.Time(Price(item));

    private static string Writers(CaseResult item) =>
        item.Parameters.Writers == 1 ? "one writer" : $"{item.Parameters.Writers} writers";
}
