namespace Millrace.Lab.Advising;

/// <summary>Advice on iterating over bytes and lines.</summary>
internal static class ByteRules
{
    private const string OurLines = "MillraceLines.Lines";
    private const string FrameworkLines = "StreamReader.Lines";

    /// <summary>Which method of reading bytes is fastest here, and its cost in code and memory.</summary>
    public static IEnumerable<Advice> BestWay(SituatedCases cases) =>
        from source in WaySource.Of(cases)
        where source.Cases.Count > 1
        let first = source.Cases.MinBy(Figures.Median)!
        let equal = source.Cases.Where(item => item != first && Figures.IsNear(item, first) && cases.IsSame(item, first)).OrderBy(Figures.Median).Prepend(first).ToArray()

        // Of those as fast: without room for all bytes, then with the least processor time.
        let chosen = equal.OrderBy(item => Way.Of(item).Arrival is "AllAtOnce" or "Completion")
            .ThenBy(item => Figures.Cpu(item) ?? double.MaxValue).First()
        let baseline = source.Find(Way.Baseline)
        let shown = baseline is null || equal.Contains(baseline) ? equal : [.. equal, baseline]
        select Advisor.Hint(
            "way",
            $"{source.Name}, {ByteSize.ToText(first.Parameters.Bytes!.Value)}: {first.Method} is fastest with {Figures.Time(first)}; "
                + $"{FileRules.OthersAsFast(equal)}.",
            shown.Select(item => new AdviceEvidence(
                item,
                Figures.Time(item)
                    + (baseline is null || item == baseline
                        ? ""
                        : $", {Figures.Ratio(Figures.RatioOf(item, baseline))} of {baseline.Method}")
                    + $", {Figures.PerByte(item)} a byte" + Figures.CpuAndPeak(item))),
            $"Use {Way.Describe(chosen)}"
                + (equal.Length > 1 && Figures.Cpu(chosen) is not null ? ": of those as fast it takes the least processor time." : "."),
            SnippetText.Of(chosen.Method, chosen.Parameters.Buffer),
            CheckCommand.Again(cases.Results, shown.Select(item => item.Method)));

    /// <summary>The cost of a byte by the way of iterating: choose the shape of an interface by this figure.</summary>
    public static IEnumerable<Advice> CostOfByte(SituatedCases cases)
    {
        (WaySource Source, string[] Walks)[] sources =
            [.. WaySource.Of(cases).Select(source => (source, Walks(source))).Where(item => item.Item2.Length > 1)];
        if (sources.Length == 0)
        {
            yield break;
        }

        CaseResult[] all = [.. sources.SelectMany(item => item.Source.Cases)];
        CaseResult least = all.MinBy(Figures.Median)!;
        CaseResult most = all.MaxBy(Figures.Median)!;
        yield return Advisor.Hint(
            "cost of a byte",
            $"A byte costs from {Figures.PerByte(least)} ({least.Method}, {least.Parameters.Source}) to {Figures.PerByte(most)} "
                + $"({most.Method}, {most.Parameters.Source}), including everything needed to read it.",
            sources.Select(item => new AdviceEvidence($"{item.Source.Name}: {string.Join(", ", item.Walks)}")),
            "For many bytes, pass segments and iterate over them as spans; use sequences and delegates of single bytes only "
                + "for a few.",
            SnippetText.Of("MillraceBytes.Span"),
            CheckCommand.Again(cases.Results, least.Method, most.Method));
    }

    // An await for each byte costs what its sequence makes of it; so do the walks of one that awaits for each.
    private static string[] Walks(WaySource source) =>
    [
        .. source.Cases
            .GroupBy(item => Way.Of(item) is { Walk: not "AwaitForEach", Arrival: not "AsyncBytes" } way ? way.Walk : item.Method)
            .OrderBy(group => group.Min(Figures.Median))
            .Select(group => $"{group.Key} {Range(group)}"),
    ];

    private static string Range(IEnumerable<CaseResult> cases)
    {
        string least = Figures.PerByte(cases.MinBy(Figures.Median)!);
        string most = Figures.PerByte(cases.MaxBy(Figures.Median)!);
        return least == most ? least : $"{least[..^" ns".Length]} to {most}";
    }

    /// <summary>Lines as bytes against lines as strings.</summary>
    public static IEnumerable<Advice> Lines(SituatedCases cases) =>
        from situation in cases.Situations
        let mine = situation.Best(OurLines)
        let other = situation.Best(FrameworkLines)
        where mine is not null && other is not null
        let isSlower = cases.IsSlower(mine, other)
        select Advisor.Hint(
            "lines",
            $"{situation.Name}: ReadLinesAsync takes {Figures.Ratio(Figures.RatioOf(mine, other))} of the time of a StreamReader"
                + (cases.IsSame(mine, other) ? ", within the noise" : "")
                + (mine.Summary!.AllocatedBytes is { } ours && other.Summary!.AllocatedBytes is { } theirs
                    ? $", and allocates {Figures.Bytes(ours)} instead of {Figures.Bytes(theirs)}."
                    : "."),
            new[] { mine, other }.Select(item => new AdviceEvidence(
                item,
                Figures.Time(item)
                    + (item.Parameters.Bytes == TaxiFareCsv.Bytes
                        ? $", {Figures.Nanoseconds(Figures.Median(item) / TaxiFareCsv.Lines)} a line"
                        : "")
                    + Figures.CpuText(item))),
            isSlower
                ? "Read lines with a StreamReader where strings are wanted anyway."
                : "Read lines as bytes and parse them as such, with Utf8Parser for one; make strings only where you need one.",
            isSlower ? null : SnippetText.Of(OurLines),
            CheckCommand.Again(cases.Results, OurLines, FrameworkLines));
}
