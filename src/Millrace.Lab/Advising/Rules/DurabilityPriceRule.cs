
namespace Millrace.Lab.Advising.Rules;

/// <summary>What it costs that a file is on the device when its commit returns.</summary>
internal sealed class DurabilityPriceRule : IAdviceRule
{
    // More than this for each byte of a large file, and the device is the price; of a small one it is its flushes.
    private const double Much = 1.5;

    /// <inheritdoc/>
    public IEnumerable<Advice> Apply(SituatedCases cases)
    {
        CaseResult[] durable =
        [
            .. WriteCases.Writing(cases, WriteCases.Commit).Where(item => item.Method == WriteCases.FilePipe)
                .GroupBy(item => item.Parameters.Bytes).OrderBy(group => group.Key)
                .Select(group => group.FirstOrDefault(item => Unflushed(cases, item) is not null) ?? group.First()),
        ];
        CaseResult[] compared = [.. durable.Where(item => Unflushed(cases, item) is not null)];
        if (compared.Length == 0)
        {
            yield break;
        }

        CaseResult large = compared[^1];
        double ratio = Figures.Median(large) / Figures.Median(Unflushed(cases, large)!);
        yield return new Advice
        {
            Topic = "durability",
            Kind = AdviceKind.Hint,
            Statement = $"That {WriteCases.Length(large)} are on the device when the commit returns takes {Figures.Time(large)} instead of "
                + $"{Figures.Time(Unflushed(cases, large)!)}, {Figures.Ratio(ratio)} times as long"
                + (durable[0] == large ? "." : $"; of {WriteCases.Length(durable[0])} it takes {Figures.Time(durable[0])}."),
            Evidence = [.. durable.Select(item => new AdviceEvidence(Figures.Id(item), Describe(cases, item)))],
            Action = ratio > Much
                ? "Keep Durability.OnCommit, the default, for what somebody is told exists; take Durability.None for what can be made "
                    + "again, as caches and outputs of a build."
                : "Keep Durability.OnCommit, the default: it costs little here.",
            Code = ratio > Much ? SnippetText.Of("Write.None") : SnippetText.Of("Write.FilePipe"),
            Check = CheckCommand.Cases(
                cases.Results, $"{WriteCases.FilePipe}/*/commit", $"{WriteCases.FilePipe}/*/none", $"{WriteCases.FileStream}*/*/commit"),
        };
    }

    private static CaseResult? Unflushed(SituatedCases cases, CaseResult item) =>
        cases.Find(item.Method, item.Parameters with { Durability = WriteCases.None });

    private static string Describe(SituatedCases cases, CaseResult item)
    {
        CaseResult? unflushed = Unflushed(cases, item);
        CaseResult? stream = cases.Find(WriteCases.FileStream, item.Parameters);
        return Figures.Time(item)
            + (unflushed is null ? "" : $", {Figures.Time(unflushed)} without waiting")
            + (stream is null
                ? ""
                : $", {Figures.Ratio(Figures.Median(item) / Figures.Median(stream))} of a FileStream that is flushed and renamed");
    }
}
