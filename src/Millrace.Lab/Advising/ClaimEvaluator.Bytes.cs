using Millrace.Lab.Suites.Bytes;

namespace Millrace.Lab.Advising;

// The tests of published claims about reading bytes at an address.
internal static partial class ClaimEvaluator
{
    // Clocks of processor time have steps, and a process is never the same size twice.
    private const double CpuTolerance = 1.05;
    private const double MemoryTolerance = 256 * 1024;
    private const int MinWays = 5;

    // The published figures, a table of medians for each machine.
    private static IReadOnlyList<PublishedTable> Machines => field ??=
        [.. PublishedFigures.Get("url-bytes").Tables.Where(table => table.Name.EndsWith("medians", StringComparison.Ordinal))];

    private static bool IsPublished(CaseResult item) => Machines[0].Rows.Any(row => row.OurMethod == Way.Of(item).Name);

    /// <summary>Tests a conclusion with the rows that it was drawn from.</summary>
    /// <param name="cases">Those of URLSession.</param>
    /// <returns>Null where the run lacks the cases.</returns>
    public static Advice? TestUrlSession(SituatedCases cases, PublishedSet set, PublishedClaim claim)
    {
        Advice advice = Test(cases, set, claim);
        if (advice.Claim is not { Holds: not Holds.Inconclusive } tested)
        {
            return null;
        }

        string statement = advice.Statement.Replace(Way.Baseline, UrlSession.Best, StringComparison.Ordinal)
            .Replace("IAsyncEnumerable<byte>", "bytes(from:)", StringComparison.Ordinal);
        return advice with
        {
            Topic = $"{claim.Topic}, URLSession",
            Statement = statement,
            Action = "Take this for Swift; what to do in .NET follows from the rows in .NET.",
            Code = null,
            Check = CheckCommand.Again(cases.Results, $"{UrlSession.Prefix}*"),
            Claim = tested with { Says = $"{claim.Says} (URLSession itself)", Reason = statement },
        };
    }

    // Some walks are slower than another of the same arrival, on every source; by the claim's limit where it has one.
    private static Found? Walks(SituatedCases cases, PublishedClaim claim)
    {
        Comparison[] all = CompareWalks(cases, claim, out IEnumerable<AdviceEvidence> evidence);
        int agreeing = all.Count(item => item.IsSlower && item.Ratio >= (claim.Limit ?? 1));
        return all.Length == 0 ? null : new Found(OutcomeOf(agreeing, all.Length), evidence, ("found", Comparison.Describe(all)))
        {
            Mostly = claim.Limit is null && Comparison.AreMostly(all, Comparing.VerdictWords.Slower),
        };
    }

    // No pair is apart by more than the noise, or by more than the claim's limit.
    private static Found? EqualWalks(SituatedCases cases, PublishedClaim claim)
    {
        Comparison[] all = CompareWalks(cases, claim, out IEnumerable<AdviceEvidence> evidence);
        double limit = 1 + claim.Limit!.Value;
        int agreeing = all.Count(item => item.Verdict.Verdict == Comparing.VerdictWords.Same
            || (item.Ratio <= limit && item.Ratio >= 1 / limit));
        return all.Length == 0 ? null : new Found(OutcomeOf(agreeing, all.Length), evidence, ("found", Comparison.Describe(all)));
    }

    private static Comparison[] CompareWalks(SituatedCases cases, PublishedClaim claim, out IEnumerable<AdviceEvidence> evidence)
    {
        (WaySource Source, string Walk, Comparison[] All)[] parts =
        [
            .. from source in WaySource.Of(cases)
               from walk in claim.Mine
               let found = Comparison.Of(source.Walks([walk], claim.Other!), cases.Compare)
               where found.Length > 0
               select (source, walk, found),
        ];
        evidence = parts.Select(part => new AdviceEvidence(
            $"{part.Source.Name}, {part.Walk}: {Comparison.Describe(part.All)} of {claim.Other} with the same arrival"));
        return [.. parts.SelectMany(part => part.All)];
    }

    private static Found? BestOfAll(SituatedCases cases, PublishedClaim claim)
    {
        (CaseResult Mine, CaseResult[] Others)[] sources =
        [
            .. from source in WaySource.Of(cases)
               let mine = source.Find(claim.Mine[0])
               let others = source.Cases.Where(item => item != mine && IsPublished(item)).ToArray()
               where mine is not null && others.Length > 0
               select (mine, others),
        ];
        Comparison[] all = Comparison.Of(
            sources.SelectMany(source => source.Others.Select(other => (other, source.Mine))), cases.Compare);
        if (all.Length == 0)
        {
            return null;
        }

        bool minCpu = sources.All(source => source.Others.All(other =>
            !(Figures.Cpu(source.Mine) > Figures.Cpu(other) * CpuTolerance)));
        bool minMemory = sources.All(source => source.Others.All(other =>
            !(source.Mine.Summary!.PeakOverIdleBytes > other.Summary!.PeakOverIdleBytes + MemoryTolerance)));
        Outcome outcome = OutcomeOf(all.Count(item => item.IsSlower), all.Length);
        return new Found(
            outcome == Outcome.Always && !(minCpu && minMemory) ? Outcome.Sometimes : outcome,
            sources.SelectMany(source => Evidence(source.Mine, source.Others)),
            ("found", Comparison.Describe(all)),
            ("but", (minCpu ? "" : "; some take less processor time") + (minMemory ? "" : "; some take less memory")));

        static IEnumerable<AdviceEvidence> Evidence(CaseResult mine, CaseResult[] others) =>
            new[] { mine, others.MinBy(Figures.Median)!, others.MaxBy(Figures.Median)! }.Distinct().Select((item, index) =>
                new AdviceEvidence(
                    item,
                    Figures.Time(item)
                        + (index == 0 ? "" : $", {Figures.Ratio(Figures.RatioOf(item, mine))} times, the "
                            + (index == 1 ? "fastest" : "slowest") + " of the others")
                        + Figures.CpuAndPeak(item)));
    }

    private static Found? SecondBest(SituatedCases cases, PublishedClaim claim)
    {
        (WaySource Source, CaseResult Best, CaseResult Baseline, CaseResult? Ours)[] sources =
        [
            .. from source in WaySource.Of(cases)
               let best = source.OfArrival(claim.Mine[0]).MinBy(Figures.Median)
               let baseline = source.Find(claim.Other!)
               where best is not null && baseline is not null
               select (source, best, baseline, source.Find(claim.Snippet!)),
        ];
        return sources.Length == 0 ? null : new Found(
            OutcomeOf(sources.Count(item => Faster(item.Source, item.Best).All(other => other == item.Baseline)), sources.Length),
            sources.SelectMany(Evidence),
            ("found", string.Join(" ", sources.Select(item =>
                $"{item.Source.Name}: {Faster(item.Source, item.Best).Count()} of {Others(item.Source).Count()} of their other methods "
                + $"are faster than IAsyncEnumerable<byte>, which takes {Figures.Ratio(Figures.RatioOf(item.Best, item.Baseline))} "
                + $"times the time of {claim.Other}."))))
        {
            Action = sources.All(item => item.Ours is { } ours && cases.IsFaster(ours, item.Best)) ? Outcome.Always : Outcome.Never,
        };

        IEnumerable<CaseResult> Others(WaySource source) =>
            source.Cases.Where(item => IsPublished(item) && Way.Of(item).Arrival != claim.Mine[0]);

        IEnumerable<CaseResult> Faster(WaySource source, CaseResult best) => Others(source).Where(item => cases.IsFaster(item, best));

        IEnumerable<AdviceEvidence> Evidence((WaySource Source, CaseResult Best, CaseResult Baseline, CaseResult? Ours) item)
        {
            CaseResult plain = item.Source.Find($"{claim.Mine[0]}.AwaitForEach") ?? item.Best;
            yield return new AdviceEvidence(plain, $"{Figures.PerByte(plain)} a byte");
            if (item.Ours is { } ours)
            {
                yield return new AdviceEvidence(
                    ours, $"{Figures.PerByte(ours)} a byte, {Figures.Ratio(Figures.RatioOf(ours, plain))} of the plain one's");
            }
        }
    }

    // A copy adds the whole length; the claim's limit, a part of it, is more than a peak varies by.
    private static Found? MemoryOfView(SituatedCases cases, PublishedClaim claim)
    {
        (CaseResult Mine, CaseResult Other)[] pairs =
        [
            .. WaySource.Of(cases).SelectMany(source => source.Walks(["Span"], "For")).Where(pair =>
                claim.Mine.Contains(Way.Of(pair.Mine).Arrival) && Peak(pair.Mine) is not null && Peak(pair.Other) is not null),
        ];
        int copying = pairs.Count(pair => Peak(pair.Mine) - Peak(pair.Other) > claim.Limit * pair.Mine.Parameters.Bytes);
        return pairs.Length == 0 ? null : new Found(
            OutcomeOf(copying, pairs.Length),
            pairs.Select(pair => new AdviceEvidence(
                pair.Mine,
                $"{Figures.Bytes(Peak(pair.Mine)!.Value)} of peak memory over idle, {Figures.Bytes(Peak(pair.Other)!.Value)} with For")),
            ("found", Of(copying, pairs.Length, "comparison")));
    }

    private static Found? MemoryOfAllAtOnce(SituatedCases cases, PublishedClaim claim)
    {
        (CaseResult Mine, CaseResult Other)[] pairs =
        [
            .. from source in WaySource.Of(cases)
               from mine in source.Cases
               where claim.Mine.Contains(Way.Of(mine).Arrival) && Peak(mine) is not null
               let other = source.Find($"Increments.{Way.Of(mine).Walk}")
               where other is not null && Peak(other) is not null
               select (mine, other),
        ];
        int many = pairs.Count(pair => Peak(pair.Mine) >= claim.Limit * Math.Max(Peak(pair.Other)!.Value, 1));
        IEnumerable<CaseResult> shown = pairs.GroupBy(pair => pair.Mine.Parameters.Source)
            .SelectMany(group => new[] { group.MaxBy(pair => Peak(pair.Mine)).Mine, group.MinBy(pair => Peak(pair.Other)).Other });
        return pairs.Length == 0 ? null : new Found(
            OutcomeOf(many, pairs.Length),
            shown.Select(item => new AdviceEvidence(
                item,
                $"{Figures.Bytes(Peak(item)!.Value)} of peak memory over idle"
                    + (item.Summary!.PeakResidentBytes is { } whole ? $", {Figures.Bytes(whole)} with the runtime" : ""))),
            ("found", Of(many, pairs.Length, "comparison")));
    }

    // Whether a way that is among the fast ones there is among the fast ones here; 0.97 between their two machines.
    private static Found? SameOrder(SituatedCases cases, PublishedClaim claim)
    {
        (string Name, Dictionary<string, double> Times)[] sources =
        [
            .. WaySource.Of(cases)
                .Select(source => (source.Name, source.Cases.Where(IsPublished).ToDictionary(item => Way.Of(item).Name, Figures.Median)))
                .Where(source => source.Item2.Count >= MinWays),
        ];
        if (sources.Length == 0)
        {
            return null;
        }

        // They read a file; another source counts where the run has no file.
        (string judged, Dictionary<string, double> times) = sources[0];
        double least = Machines.Min(table => Correlation(table, times));
        return new Found(
            least >= claim.Limit ? Outcome.Always : Outcome.Never,
            from source in sources
            from table in Machines
            let theirs = table.Rows.Where(row => source.Times.ContainsKey(row.OurMethod!)).Select(row => table.Figure(row, "wall"))
            select new AdviceEvidence(
                $"{source.Name} against {table.Machine}: rank correlation {Figures.Ratio(Correlation(table, source.Times))}; the "
                + $"slowest takes {Figures.Ratio(source.Times.Values.Max() / source.Times.Values.Min())} times the time of the fastest "
                + $"here, {Figures.Ratio((theirs.Max() / theirs.Min())!.Value)} times there"),
            ("source", judged),
            ("total", $"{times.Count}"),
            ("found", Figures.Ratio(least)));

        static double Correlation(PublishedTable table, Dictionary<string, double> times)
        {
            PublishedRow[] rows = [.. table.Rows.Where(row => times.ContainsKey(row.OurMethod!))];
            return RankCorrelation(
                [.. rows.Select(row => table.Figure(row, "wall")!.Value)], [.. rows.Select(row => times[row.OurMethod!])]);
        }
    }

    // Of ways that wait for the same bytes, a walk that takes half of another's time was not waiting for them.
    private static Found? WalkIsTheLimit(SituatedCases cases, PublishedClaim claim)
    {
        (CaseResult Fast, CaseResult Slow)[] arrivals =
        [
            .. from source in WaySource.Of(cases)
               from arrival in source.Arrivals
               let walks = source.OfArrival(arrival).ToArray()
               where walks.Any(item => Way.Of(item).Walk is "Span" or "Vector") && walks.Length > 1
               select (walks.MinBy(Figures.Median)!, walks.MaxBy(Figures.Median)!),
        ];
        int decided = arrivals.Count(pair =>
            Figures.RatioOf(pair.Slow, pair.Fast) >= claim.Limit && cases.IsSlower(pair.Slow, pair.Fast));
        return arrivals.Length == 0 ? null : new Found(
            OutcomeOf(decided, arrivals.Length),
            arrivals.GroupBy(pair => pair.Fast.Parameters.Source).SelectMany(Evidence),
            ("found", Figures.Times(arrivals.Select(pair => Figures.RatioOf(pair.Slow, pair.Fast)))),
            ("count", Of(decided, arrivals.Length, "arrival")));

        IEnumerable<AdviceEvidence> Evidence(IEnumerable<(CaseResult Fast, CaseResult Slow)> pairs)
        {
            CaseResult fast = pairs.Select(pair => pair.Fast).MinBy(Figures.Median)!;
            CaseResult slow = pairs.Select(pair => pair.Slow).MaxBy(Figures.Median)!;

            // Vectors iterate faster than a loop. Where that shows, the loop was not waiting for bytes.
            bool bytesAreTheLimit = Way.Of(fast) is { Walk: "Vector" } way
                && cases.Find($"{way.Arrival}.Span", fast.Parameters) is { } span && cases.IsSame(fast, span);
            yield return new AdviceEvidence(fast, $"{fast.Summary!.MibPerSecond:#,0} MiB/s, the most"
                + (bytesAreTheLimit ? "; a loop over the span is as fast, so here the bytes are the limit" : ""));
            yield return new AdviceEvidence(slow, $"{slow.Summary!.MibPerSecond:#,0} MiB/s, the least");
        }
    }

    private static double? Peak(CaseResult item) => item.Summary!.PeakOverIdleBytes;

    /// <summary>
    /// Spearman's coefficient: 1 for the same order, -1 for the opposite. Equal values share the mean of their places
    /// (Spearman, "The Proof and Measurement of Association between Two Things", 1904).
    /// </summary>
    internal static double RankCorrelation(IReadOnlyList<double> first, IReadOnlyList<double> second)
    {
        double[] a = Places(first);
        double[] b = Places(second);
        double mean = (a.Length + 1) / 2.0;
        double both = a.Zip(b, (x, y) => (x - mean) * (y - mean)).Sum();
        double each = Math.Sqrt(a.Sum(x => (x - mean) * (x - mean)) * b.Sum(y => (y - mean) * (y - mean)));
        return each > 0 ? both / each : 0;

        static double[] Places(IReadOnlyList<double> values) =>
            [.. values.Select(value => values.Count(other => other < value) + ((values.Count(other => other == value) + 1) / 2.0))];
    }
}
