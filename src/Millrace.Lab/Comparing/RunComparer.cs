using Millrace.Lab.Running;

namespace Millrace.Lab.Comparing;

/// <summary>Compares two runs.</summary>
internal static class RunComparer
{
    /// <summary>Compares them, case by case.</summary>
    /// <param name="reference">What the other is compared with.</param>
    /// <param name="other">What the verdicts are about.</param>
    /// <param name="options">How.</param>
    public static RunComparison Compare(StoredRun reference, StoredRun other, ComparisonOptions options)
    {
        ArgumentNullException.ThrowIfNull(reference);
        ArgumentNullException.ThrowIfNull(other);
        IReadOnlyList<MachineDifference> differences =
            MachineIdentity.Differences(reference.Results.Machine, other.Results.Machine);
        bool same = !differences.Any(difference => difference.IsAnotherMachine);
        ComparisonBasis basis = options.By ?? (same ? ComparisonBasis.AdjustedTime : ComparisonBasis.Ratio);
        var comparison = new RunComparison
        {
            Reference = reference.Path,
            Other = other.Path,
            Suite = other.Results.Suite,
            Basis = basis,
            SameMachine = same,
            Differences = differences,
            Cases = [],
        };
        if (reference.Results.Suite != other.Results.Suite)
        {
            return comparison with
            {
                Impossible = $"{reference.Path} is of the suite \"{reference.Results.Suite}\", {other.Path} of \"{other.Results.Suite}\"",
            };
        }

        CasePair[] pairs = Pairs(reference.Results, other.Results, new CaseFilter(options.Filters));
        if (pairs.Length == 0)
        {
            return comparison with { Impossible = NothingInCommon(reference, other, options) };
        }

        var judge = new CaseJudge(reference.Results, other.Results, pairs, basis, options);
        CaseComparison[] cases = [.. pairs.Select(judge.Judge).OfType<CaseComparison>()];
        comparison = comparison with
        {
            Cases = cases,
            Drift = judge.DriftFactors,
            Notes = [.. ComparisonNotes.Of(reference.Results, other.Results, basis, same, judge.DriftFactors, pairs, cases)],
        };
        return comparison with { Impossible = WhyNothing(cases, basis) };
    }

    private static CasePair[] Pairs(LabResults reference, LabResults other, CaseFilter filter)
    {
        Dictionary<(string, string?, CaseParameters), CaseResult> references = reference.Cases
            .ToDictionary(item => (item.Method, item.Role, item.Parameters));
        return
        [
            .. other.Cases
                .Where(item => references.ContainsKey((item.Method, item.Role, item.Parameters)))
                .Select(item => new CasePair(
                    references[(item.Method, item.Role, item.Parameters)],
                    item,
                    filter.Selects(item.Method, $"{item.Method}/{item.Parameters.Describe()}"))),
        ];
    }

    private static string NothingInCommon(StoredRun reference, StoredRun other, ComparisonOptions options) =>
        $"{reference.Path} and {other.Path} have no case in common"
        + (options.Filters.Count > 0 ? " that the filter selects" : ": methods or parameters differ");

    private static string? WhyNothing(CaseComparison[] cases, ComparisonBasis basis)
    {
        if (cases.Length == 0)
        {
            return basis == ComparisonBasis.Ratio
                ? "the common cases that are selected have no baseline in both runs, which a comparison by ratio needs"
                : "the filter selects none of the common cases";
        }

        if (cases.Any(item => item.Verdict.Verdict != VerdictWords.TooLittleData))
        {
            return null;
        }

        IEnumerable<string> reasons = cases.Select(item => item.Verdict.Reason ?? "").GroupBy(reason => reason)
            .OrderByDescending(group => group.Count()).Select(group => group.Key).Take(3);
        return $"too little data in every case: {string.Join("; ", reasons)}";
    }
}
