namespace Millrace.Lab.Advising;

/// <summary>Tests a published conclusion with the cases of a run. The texts are data beside the figures; the tests are here.</summary>
internal static partial class ClaimEvaluator
{
    private const int MaxExamples = 4;
    private const double MostOf = 0.8;

    // The result of a test: how much agrees with the conclusion, the evidence, and the values for the braces in the claim's texts.
    private sealed record Found(Outcome Outcome, IEnumerable<AdviceEvidence> Evidence, params (string Name, string Text)[] Values)
    {
        // Nearly all comparisons agree with it, and the rest do not contradict it.
        public bool Mostly { get; init; }

        // Where what to do does not follow from whether the conclusion holds.
        public Outcome? Action { get; init; }

        // The buffer that the code shows.
        public int? Buffer { get; init; }
        public bool WithoutCode { get; init; }

        // The methods to measure again, where the cases decide.
        public IEnumerable<string>? Again { get; init; }
    }

    private static readonly Dictionary<string, Func<SituatedCases, PublishedClaim, Found?>> Tests = new()
    {
        ["sameParameters"] = (cases, claim) => Slower(
            cases.Pairs(claim.Other!, claim.Mine), cases.Compare, (mine, other) => $"{Figures.Time(mine)} against {Figures.Time(other)}"),
        ["asynchronousHandle"] = (cases, claim) => Slower(
            WithAndWithoutAsynchronous(cases, claim.Mine),
            cases.Compare,
            (mine, other) => $"{Figures.Time(mine)} with the option, {Figures.Time(other)} without"),
        ["smallerFile"] = SmallerFile,
        ["largeBuffers"] = LargeBuffers,
        ["noCollections"] = (cases, claim) => Collections(cases, claim, collecting => collecting.Length == 0),
        ["someCollections"] = (cases, claim) =>
            Collections(cases, claim, collecting => collecting.Any(item => item.Parameters.Buffer < claim.Limit)),
        ["fewerAllocations"] = FewerAllocations,
        ["allocationsByFile"] = AllocationsByFile,
        ["walks"] = Walks,
        ["equalWalks"] = EqualWalks,
        ["bestOfAll"] = BestOfAll,
        ["secondBest"] = SecondBest,
        ["memoryOfView"] = MemoryOfView,
        ["memoryOfAllAtOnce"] = MemoryOfAllAtOnce,
        ["processors"] = Processors,
        ["sameOrder"] = SameOrder,
        ["walkIsTheLimit"] = WalkIsTheLimit,
        ["readers"] = (cases, claim) => Readers(
            cases.All.Where(item => item.Parameters is { Readers: not null, Cache: null or "hot" })
                .Select(item => (item.Parameters.Readers!.Value, item)),
            claim.Limit!.Value),
    };

    public static Advice Test(SituatedCases cases, PublishedSet set, PublishedClaim claim)
    {
        Found? found = Tests[claim.Test](cases, claim);
        string reason = found is null
            ? $"Not measured: {claim.Missing.Replace("{why}", WhyOneReader(cases), StringComparison.Ordinal)}."
            : Fill(claim.Finding.Of(found.Outcome), found);
        Holds holds = found switch
        {
            null => Holds.Inconclusive,
            { Outcome: Outcome.Always } => Holds.Yes,
            { Mostly: true } => Holds.Mostly,
            _ => Holds.No,
        };
        return new Advice(
            claim.Topic,
            AdviceKind.Hint,
            reason,
            [.. found?.Evidence ?? []],
            found is null
                ? "Measure it before you rely on the published figure."
                : Fill(claim.Action.Of(found.Action ?? found.Outcome), found),
            found is null or { WithoutCode: true } || claim.Snippet is null ? null : SnippetText.Of(claim.Snippet, found.Buffer),
            claim.Full && found?.Again is null
                ? CheckCommand.Full(cases.Results, claim.Again)
                : CheckCommand.Again(cases.Results, found?.Again ?? claim.Again),
            new TestedClaim(set.Title, set.Source, claim.Says, holds, reason));
    }

    private static string Fill(string text, Found found) => found.Values.Aggregate(
        text, (filled, value) => filled.Replace($"{{{value.Name}}}", value.Text, StringComparison.Ordinal));

    private static string WhyOneReader(SituatedCases cases) => cases.All.Any(item => item.Parameters.Readers is not null)
        ? "quick mode reads with one"
        : $"the suite \"{cases.Results.Suite}\" reads with one";

    private static Outcome OutcomeOf(int agreeing, int total) =>
        agreeing == total ? Outcome.Always : agreeing > 0 ? Outcome.Sometimes : Outcome.Never;

    private static string Of(int count, int total, string what) => $"{count} of {total} {what}{(total == 1 ? "" : "s")}";

    // "The first is slower than the second", for pairs of cases; those with too little data are left out.
    private sealed record Comparison(CaseResult Mine, CaseResult Other, VerdictResult Verdict)
    {
        public static Comparison[] Of(
            IEnumerable<(CaseResult Mine, CaseResult Other)> pairs, Func<CaseResult, CaseResult, VerdictResult> compare) =>
        [
            .. pairs.Select(pair => new Comparison(pair.Mine, pair.Other, compare(pair.Mine, pair.Other)))
                .Where(item => item.Verdict.Verdict != VerdictWords.TooLittleData),
        ];

        public double Ratio => Verdict.Ratio!.Value;

        public bool IsSlower => Verdict.Verdict == VerdictWords.Slower;

        // The verdict's ratio is of the same rounds, the times beside it are of all: within the noise they may point apart.
        private bool ContradictsTimes => (Ratio - 1) * (Figures.Median(Mine) - Figures.Median(Other)) < 0;

        public static bool AreMostly(IReadOnlyCollection<Comparison> all, string verdict) =>
            all.Count(item => item.Verdict.Verdict == verdict) >= MostOf * all.Count
            && all.All(item => item.Verdict.Verdict == verdict || item.Verdict.Verdict == VerdictWords.Same);

        // For example "slower in 2 of 3 comparisons, within the noise in 1; 1.04 to 1.57 times the time".
        public static string Describe(IReadOnlyCollection<Comparison> all)
        {
            string[] parts =
            [
                .. new[] { (VerdictWords.Slower, "slower"), (VerdictWords.Same, "within the noise"), (VerdictWords.Faster, "faster") }
                    .Select(part => (Count: all.Count(item => item.Verdict.Verdict == part.Item1), Text: part.Item2))
                    .Where(part => part.Count > 0)
                    .Select((part, index) => index == 0
                        ? $"{part.Text} in {ClaimEvaluator.Of(part.Count, all.Count, "comparison")}"
                        : $"{part.Text} in {part.Count}"),
            ];
            return $"{string.Join(", ", parts)}; {Figures.Times(all.Select(item => item.Ratio))} the time";
        }

        // The largest and the smallest ratios.
        public static IEnumerable<AdviceEvidence> Extremes(Comparison[] all, Func<CaseResult, CaseResult, string> describe)
        {
            Comparison[] sorted = [.. all.OrderByDescending(item => item.Ratio)];
            return (sorted.Length <= MaxExamples ? sorted : [.. sorted[..(MaxExamples / 2)], .. sorted[^(MaxExamples / 2)..]])
                .Select(item => new AdviceEvidence(
                    item.Mine,
                    describe(item.Mine, item.Other)
                        + (item.ContradictsTimes ? "" : $", {Figures.Ratio(item.Ratio)} times")
                        + (item.Verdict.Verdict == VerdictWords.Same
                            ? $", within the noise of {Figures.Percent(item.Verdict.Threshold ?? 0)}"
                            : "")));
        }
    }

    private static Found? Slower(
        IEnumerable<(CaseResult Mine, CaseResult Other)> pairs,
        Func<CaseResult, CaseResult, VerdictResult> compare,
        Func<CaseResult, CaseResult, string> describe,
        params (string Name, string Text)[] values)
    {
        Comparison[] all = Comparison.Of(pairs, compare);
        return all.Length == 0 ? null : new Found(
            OutcomeOf(all.Count(item => item.IsSlower), all.Length),
            Comparison.Extremes(all, describe),
            [("found", Comparison.Describe(all)), .. values])
        {
            Mostly = Comparison.AreMostly(all, VerdictWords.Slower),
        };
    }
}
