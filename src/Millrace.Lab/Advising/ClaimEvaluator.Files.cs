namespace Millrace.Lab.Advising;

// The tests of published claims about reading files.
internal static partial class ClaimEvaluator
{
    private static IEnumerable<(CaseResult Mine, CaseResult Other)> WithAndWithoutAsynchronous(
        SituatedCases cases, IReadOnlyList<string> methods) =>
        from mine in cases.All
        where (methods.Count == 0 || methods.Contains(mine.Method)) && SituatedCases.IsAsynchronous(mine.Parameters)
        let options = string.Join('|', mine.Parameters.Options!.Split('|').Where(option => option != "Asynchronous"))
        let other = cases.Find(mine.Method, mine.Parameters with { Options = options })
        where other is not null
        select (mine, other);

    private static Found? SmallerFile(SituatedCases cases, PublishedClaim claim)
    {
        CaseResult[] hot =
        [
            .. cases.Hot.Where(situation => situation.Parameters is { File: null, Bytes: > 0 })
                .SelectMany(situation => situation.Cases)
                .Where(item => claim.Mine.Contains(item.Method)),
        ];
        long smallest = hot.Min(item => item.Parameters.Bytes) ?? 0;
        long largest = hot.Max(item => item.Parameters.Bytes) ?? 0;
        IEnumerable<(CaseResult Mine, CaseResult Other)> pairs =
            from small in hot
            where small.Parameters.Bytes == smallest && smallest < largest
            let large = cases.Find(small.Method, small.Parameters with { Bytes = largest })
            where large is not null && hot.Contains(large)
            select (small, large);
        return Slower(
            pairs,
            cases.ComparePerMib,
            (small, large) => $"{Figures.Time(Figures.PerMib(small))} per MiB against {Figures.Time(Figures.PerMib(large))}",
            ("small", ByteSize.ToText(smallest)),
            ("large", ByteSize.ToText(largest)));
    }

    private static Found? LargeBuffers(SituatedCases cases, PublishedClaim claim)
    {
        BufferChoice[] choices =
        [
            .. cases.Hot.Select(situation => situation.ChooseBuffer(cases, claim.Mine[0])).OfType<BufferChoice>()
                .Where(choice => choice.All[0].Parameters.Buffer < claim.Limit && choice.All[^1].Parameters.Buffer >= claim.Limit),
        ];
        return choices.Length == 0 ? null : new Found(
            OutcomeOf(choices.Count(choice => choice.Smallest.Parameters.Buffer >= claim.Limit), choices.Length),
            choices.Select(choice => new AdviceEvidence(
                choice.Smallest,
                $"{Figures.Time(choice.Smallest)}, the best is {Figures.Time(choice.Best)} at {Figures.Buffer(choice.Best)}")),
            ("found", string.Join(", ", choices.Select(choice =>
                $"{Figures.Buffer(choice.Smallest)} for {ByteSize.ToText(choice.Smallest.Parameters.Bytes ?? 0)}"))))
        {
            Buffer = choices.Max(choice => choice.Smallest.Parameters.Buffer),
        };
    }

    private static Found? Collections(SituatedCases cases, PublishedClaim claim, Func<CaseResult[], bool> holds)
    {
        CaseResult[] measured = [.. cases.All.Where(item => claim.Mine.Contains(item.Method) && item.Summary!.Gen0 is not null)];
        CaseResult[] collecting = [.. measured.Where(item => item.Summary is { Gen0: > 0 } or { Gen1: > 0 } or { Gen2: > 0 })];
        string[] methods = [.. measured.Select(item => item.Method).Distinct()];
        CaseResult? worst = measured.MaxBy(item => item.Summary!.Gen0);
        return worst is null ? null : new Found(
            holds(collecting) ? Outcome.Always : Outcome.Never,
            [
                collecting.Length == 0
                    ? new AdviceEvidence($"gen0, gen1 and gen2 are 0 in every case of {string.Join(methods.Length > 2 ? ", " : " and ", methods)}")
                    : new AdviceEvidence(
                        worst,
                        $"{worst.Summary!.Gen0:0.##}, {worst.Summary.Gen1 ?? 0:0.##} and {worst.Summary.Gen2 ?? 0:0.##} collections "
                            + "of generations 0, 1 and 2 per 1,000 invocations, the most of them"),
            ],
            ("found", collecting.Length == 0
                ? $"None of {measured.Length} cases needed a collection."
                : $"{collecting.Length} of {measured.Length} cases needed collections."));
    }

    private static Found? FewerAllocations(SituatedCases cases, PublishedClaim claim)
    {
        (CaseResult Mine, CaseResult Other)[] pairs =
        [
            .. cases.Pairs(claim.Other!, claim.Mine)
                .Where(pair => pair is { Mine.Summary.AllocatedBytes: not null, Other.Summary.AllocatedBytes: not null }),
        ];
        IEnumerable<CaseResult> worst = pairs.GroupBy(pair => pair.Mine.Method)
            .Select(group => group.MaxBy(pair => pair.Mine.Summary!.AllocatedBytes).Mine)
            .Concat(pairs.Select(pair => pair.Other).OrderByDescending(item => item.Summary!.AllocatedBytes).Take(1));
        return pairs.Length == 0 ? null : new Found(
            OutcomeOf(pairs.Count(pair => pair.Mine.Summary!.AllocatedBytes < pair.Other.Summary!.AllocatedBytes), pairs.Length),
            worst.Select(item => new AdviceEvidence(item, $"{Figures.Bytes(item.Summary!.AllocatedBytes!.Value)} at most")));
    }

    // The published worst is 20 MB for 128 MiB, 160 bytes for every KiB; the claim's limit is a part of the file.
    private static Found? AllocationsByFile(SituatedCases cases, PublishedClaim claim)
    {
        CaseResult? worst = cases.All
            .Where(item => claim.Mine.Contains(item.Method) && SituatedCases.IsAsynchronous(item.Parameters)
                && item.Summary!.AllocatedBytes is not null && item.Parameters.Bytes > 0)
            .MaxBy(item => item.Summary!.AllocatedBytes / item.Parameters.Bytes);
        if (worst?.Summary!.AllocatedBytes is not { } allocated)
        {
            return null;
        }

        return new Found(
            allocated / worst.Parameters.Bytes > claim.Limit ? Outcome.Always : Outcome.Never,
            [new AdviceEvidence(worst, $"{Figures.Bytes(allocated)} per invocation")],
            ("found", $"{Figures.Bytes(allocated)} for {Figures.Where(worst)}"));
    }

    // The claim's limit allows for the steps of the processor clock.
    private static Found? Processors(SituatedCases cases, PublishedClaim claim)
    {
        // The largest file of each source.
        CaseResult[][] sources =
        [
            .. cases.Hot.Where(situation => situation.Parameters.Content != "csv")
                .GroupBy(situation => situation.Parameters.Source)
                .Select(group => group.First().BestOfEach().Where(item => Figures.Cores(item) is not null)
                    .OrderByDescending(Figures.Cores).ToArray())
                .Where(group => group.Length > 0),
        ];
        CaseResult[] all = [.. sources.SelectMany(group => group)];
        CaseResult[] shown = [.. sources.SelectMany(group => new[] { group[0], group[^1] }).Distinct()];
        bool isOfFiles = cases.Results.Suite == "files";
        int more = all.Count(item => Figures.Cores(item) > claim.Limit);
        return all.Length == 0 ? null : new Found(
            OutcomeOf(more, all.Length),
            shown.Select(item => new AdviceEvidence(
                item,
                $"{Figures.Number(Figures.Cores(item)!.Value)} processors at a time"
                    + (item.Parameters.Source == "http" ? ", without those of the server, which is another process" : ""))),
            ("found", $"{more} of {all.Length}"),
            ("strategy", isOfFiles ? "; ReadStrategy.Buffered uses one" : ""))
        {
            WithoutCode = !isOfFiles,
            Again = shown.Select(item => item.Method).Distinct(),
        };
    }

    // Cases that differ in how many read at once, each all of it: the fastest method of each source.
    private static Found? Readers(IEnumerable<(int Readers, CaseResult Case)> measured, double reached)
    {
        const int Few = 3;
        (int Readers, CaseResult Case)[][] ways =
        [
            .. measured.GroupBy(item => (item.Case.Method, item.Case.Parameters with { Readers = null }))
                .Select(way => way.OrderBy(item => item.Readers).ToArray())
                .Where(way => way.Length > 1 && way[0].Readers == 1 && way[^1].Readers > Few)
                .GroupBy(way => way[0].Case.Parameters.Source)
                .Select(source => source.MinBy(way => Figures.Median(way[0].Case))!),
        ];
        return ways.Length == 0 ? null : new Found(
            OutcomeOf(ways.Count(way => FewOf(way) >= reached * MaxOf(way)), ways.Length),
            from way in ways
            from item in way
            select new AdviceEvidence(item.Case, $"{Figures.Time(item.Case)}, {Figures.Ratio(Speed(way, item))} times the bytes of one"),
            ("found", string.Join(" ", ways.Select(way =>
                $"{(way[0].Case.Parameters.Source is { } source ? $"{source}: up to" : "Up to")} {Few} readers move "
                + $"{Figures.Ratio(FewOf(way))} times the bytes of one in the same time; the most that any number moves is "
                + $"{Figures.Ratio(MaxOf(way))} times."))))
        {
            Action = ways.All(way => FewOf(way) >= reached * MaxOf(way)) ? Outcome.Always : Outcome.Never,
            Again = ways.Select(way => way[0].Case.Method).Distinct(),
        };

        static double Speed((int Readers, CaseResult Case)[] way, (int Readers, CaseResult Case) item) =>
            item.Readers * Figures.RatioOf(way[0].Case, item.Case);

        static double FewOf((int Readers, CaseResult Case)[] way) =>
            way.Where(item => item.Readers <= Few).Max(item => Speed(way, item));

        static double MaxOf((int Readers, CaseResult Case)[] way) => way.Max(item => Speed(way, item));
    }
}
