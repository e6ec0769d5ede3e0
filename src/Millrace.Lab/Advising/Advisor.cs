namespace Millrace.Lab.Advising;

/// <summary>Makes advice from results: first their flaws, then what to do, then published conclusions.</summary>
internal static class Advisor
{
    /// <summary>Everything that the results suggest, the most serious first.</summary>
    public static IReadOnlyList<Advice> Advise(LabResults results)
    {
        var cases = new SituatedCases(results);
        var ofUrlSession = new SituatedCases(results, ofUrlSession: true);
        Func<SituatedCases, IEnumerable<Advice>>[] rules = results switch
        {
            // Nothing follows from methods that were measured against themselves.
            { Purpose: not null } => [],

            // Here a method is an arrival with a walk: rules that know the methods of files by name have nothing to say.
            { Suite: "bytes" } =>
            [
                ByteRules.BestWay, ByteRules.CostOfByte, ByteRules.Lines, FileRules.SmallestBuffer, FileRules.MemoryForSpeed,
                FileRules.ProcessorTime,
            ],
            { Suite: "writes" } => [WriteRules.Writing, WriteRules.Durability, WriteRules.Records, WriteRules.Copying, WriteRules.Parts],
            { Suite: "small" or "cache" or "transfers" or "server" or "stores" or "sync" } => [],
            _ =>
            [
                FileRules.BestMethod, FileRules.SmallestBuffer, FileRules.MemoryForSpeed, FileRules.ProcessorTime,
                FileRules.SystemCallPrice, FileRules.MappedFill, FileRules.Cold,
            ],
        };
        IEnumerable<Advice> claims = results.Purpose is not null ? [] :
            from set in PublishedFigures.All
            from claim in set.Claims
            where (claim.Suites ?? [set.Suite]).Contains(results.Suite)
            from advice in new[]
            {
                ClaimEvaluator.Test(cases, set, claim),
                ofUrlSession.All.Count > 0 ? ClaimEvaluator.TestUrlSession(ofUrlSession, set, claim) : null,
            }
            where advice is not null
            select advice;
        return [.. TrustRules.Apply(cases).Concat(rules.SelectMany(rule => rule(cases))).Concat(claims).OrderBy(advice => advice.Kind)];
    }

    public static Advice Hint(
        string topic, string statement, IEnumerable<AdviceEvidence> evidence, string action, string? code, string check) =>
        new(topic, AdviceKind.Hint, statement, [.. evidence], action, code, check);
}
