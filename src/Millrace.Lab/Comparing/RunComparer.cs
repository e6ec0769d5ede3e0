namespace Millrace.Lab.Comparing;

internal static class RunComparer
{
    public static RunComparison Compare(StoredRun reference, StoredRun other, ComparisonOptions options)
    {
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

        CommonCase[] pairs = Pairs(reference.Results, other.Results);
        if (pairs.Length == 0)
        {
            return comparison with { Impossible = NothingInCommon(reference, other, options) };
        }

        var judge = new CaseJudge(reference.Results, other.Results, pairs, basis, options);

        // The cases that the user did not ask for still show how the machine drifted.
        var filter = new CaseFilter(options.Filters);
        CaseComparison[] cases =
            [.. pairs.Where(pair => filter.Selects(pair.Other.Method, Figures.Id(pair.Other))).Select(judge.Judge).OfType<CaseComparison>()];
        comparison = comparison with
        {
            Cases = cases,
            Drift = judge.DriftFactors,
            Notes = [.. ComparisonNotes.Of(reference.Results, other.Results, basis, same, judge.DriftFactors, pairs, cases)],
        };
        return comparison with { Impossible = WhyNothing(cases, basis, ComparisonNotes.UnknownRows(reference.Results, other.Results)) };
    }

    private static CommonCase[] Pairs(LabResults reference, LabResults other) =>
        [.. other.Cases.Join(reference.Cases, KeyOf, KeyOf, (item, before) => new CommonCase(before, item))];

    private static (string, string?, CaseParameters) KeyOf(CaseResult item) => (item.Method, item.Role, item.Parameters);

    private static string NothingInCommon(StoredRun reference, StoredRun other, ComparisonOptions options) =>
        $"{reference.Path} and {other.Path} have no case in common"
        + (options.Filters.Count > 0 ? " that the filter selects" : ": methods or parameters differ")
        + AsAddition(ComparisonNotes.UnknownRows(reference.Results, other.Results));

    private static string AsAddition(string? note) => note is null ? "" : $" ({note.TrimEnd('.')})";

    private static string? WhyNothing(CaseComparison[] cases, ComparisonBasis basis, string? unknown)
    {
        if (cases.Length == 0)
        {
            return basis == ComparisonBasis.Ratio
                ? "the common cases that are selected have no baseline in both runs, which a comparison by ratio needs"
                : "the filter selects none of the common cases" + AsAddition(unknown);
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

internal static class ComparisonNotes
{
    // Below it, drift is not worth a sentence.
    private const double Worth = 0.02;

    // A shift is common when that part of the cases went the same way by nearly the same factor.
    private const double NearlyAll = 0.8;
    private const double NearlySame = 0.05;
    private const int CasesForCommon = 5;

    /// <summary>Names the rows that only one of the runs has and that this version does not measure; null when there are none.</summary>
    public static string? UnknownRows(LabResults reference, LabResults other)
    {
        IReadOnlyList<string>? known = SuiteCatalog.All.FirstOrDefault(suite => suite.Name == reference.Suite)?.Methods;
        string[] unknown = known is null ? [] :
        [
            .. Rows(reference).Except(Rows(other)).Concat(Rows(other).Except(Rows(reference))).Except(known).Order(StringComparer.Ordinal),
        ];
        return unknown.Length == 0
            ? null
            : $"Only one of the runs has the rows {string.Join(", ", unknown)}, which this version of the laboratory does not have.";

        static IEnumerable<string> Rows(LabResults run) => run.Cases.Where(item => item.Role is null).Select(item => item.Method);
    }

    public static IEnumerable<string> Of(
        LabResults reference,
        LabResults other,
        ComparisonBasis basis,
        bool same,
        IReadOnlyDictionary<string, double> drift,
        CommonCase[] pairs,
        CaseComparison[] cases)
    {
        if (!same && basis != ComparisonBasis.Ratio)
        {
            yield return "The machines differ: times depend more on them than on the methods. Compare the methods with --by ratio.";
        }

        foreach ((string cache, double factor) in drift.Where(item => Math.Abs(item.Value - 1) > Worth))
        {
            string which = cache.Length == 0 ? "" : $" ({cache})";
            string measured = $"The baseline's own cases{which} took {factor:0.00} times as long as in the reference: the machine, "
                + "or the software below it, rather than the methods.";
            yield return basis switch
            {
                ComparisonBasis.AdjustedTime => $"{measured} That factor is taken out of the verdicts; --by time leaves it in.",
                ComparisonBasis.Time => $"{measured} The verdicts contain it.",
                _ => measured,
            };
        }

        if (basis == ComparisonBasis.AdjustedTime && drift.Count == 0)
        {
            yield return "The runs have no common baseline: the machine's drift is unknown and left in the times.";
        }

        if (basis == ComparisonBasis.Time && CommonShift(cases) is { } shift)
        {
            yield return $"Nearly all cases changed by about the same factor, {shift:0.00}: that is probably the machine.";
        }

        int onlyReference = reference.Cases.Count - pairs.Length;
        int onlyOther = other.Cases.Count - pairs.Length;
        if (onlyReference + onlyOther > 0)
        {
            yield return $"Not in both: {onlyReference} cases of the reference, {onlyOther} of the other run.";
        }

        if (UnknownRows(reference, other) is { } unknown)
        {
            yield return unknown;
        }

        if (reference.Mode != other.Mode)
        {
            yield return $"The reference was measured in {reference.Mode} mode, the other run in {other.Mode} mode.";
        }

        foreach ((string name, LabResults run) in new[] { ("The reference", reference), ("The compared run", other) })
        {
            if (run.Engine.Build != "Release")
            {
                yield return $"{name} is a {run.Engine.Build} build: its times mean nothing.";
            }

            if (run.Interrupted)
            {
                yield return $"{name} was interrupted before all was measured.";
            }
        }
    }

    private static double? CommonShift(CaseComparison[] cases)
    {
        double[] shifts = [.. cases.Select(item => item.Verdict.Ratio).OfType<double>().Order()];
        if (shifts.Length < CasesForCommon)
        {
            return null;
        }

        double middle = shifts[shifts.Length / 2];
        int near = shifts.Count(shift => Math.Abs((shift / middle) - 1) <= NearlySame);
        return Math.Abs(middle - 1) > Worth && near >= NearlyAll * shifts.Length ? middle : null;
    }
}
