namespace Millrace.Lab.Suites;

/// <summary>A target of a suite, checked with a run's ratios. A target whose cases were not measured is neither met nor missed.</summary>
/// <param name="Measure">The measured value in words, and whether it meets the limit; null when it was not measured.</param>
internal sealed record TargetDefinition(string Figure, string Limit, Func<MeasuredCases, (string Text, bool Met)?> Measure)
{
    /// <summary>Checks all targets of a suite; none are stated for a user's own file.</summary>
    public static IReadOnlyList<TargetResult> Check(LabResults results, IEnumerable<TargetDefinition> targets)
    {
        var cases = new MeasuredCases(results);
        return results.Cases.Any(item => item.Parameters.File is not null) ? [] : [.. targets.Select(target => target.Check(cases))];
    }

    /// <summary>Each case takes no more than a part of the time of the case that it is compared with.</summary>
    /// <param name="noiseOf">The method whose noise at the same parameters is allowed for; null for none.</param>
    public static TargetDefinition Ratio(
        string figure,
        double limit,
        Func<MeasuredCases, IEnumerable<CasePair>> select,
        string? noiseOf = null,
        Func<MeasuredCases, string>? details = null)
    {
        return new(
            figure,
            Invariant($"≤ {limit:0.00}") + (noiseOf is null ? "" : ", or within the run's noise"),
            cases =>
            {
                CasePair[] all = [.. select(cases)];
                if (all.Length == 0)
                {
                    return null;
                }

                // Nearest to its own limit, or furthest past it.
                CasePair worst = all.MaxBy(pair => pair.Ratio / LimitOf(cases, pair));
                int missed = all.Count(pair => pair.Ratio > LimitOf(cases, pair));
                string noise = noiseOf is null
                    ? ""
                    : $", where {noiseOf} differed from itself by {cases.NoiseOf(worst.Mine.Parameters, noiseOf):P1}";
                string text = Invariant($"{worst.Ratio:0.000}{(all.Length > 1 ? " at worst" : "")} ({Where(worst.Mine)}{noise}), ")
                    + $"{Figures.Time(worst.Mine)} against {Figures.Time(worst.Other)}"
                    + (worst.Other.Parameters.Buffer != worst.Mine.Parameters.Buffer ? $" at {Figures.Buffer(worst.Other)}" : "")
                    + (missed > 1 ? $"; {missed} of {all.Length} miss it" : "")
                    + details?.Invoke(cases);
                return (text, missed == 0);
            });

        double LimitOf(MeasuredCases cases, CasePair pair) => noiseOf is null
            ? limit
            : Math.Max(limit, 1 + cases.NoiseOf(pair.Mine.Parameters, noiseOf));
    }

    public static TargetDefinition Max(
        string figure,
        string limitText,
        double limit,
        Func<MeasuredCases, IEnumerable<CaseResult>> select,
        Func<CaseSummary, double?> value,
        Func<CaseResult, double, string> text) =>
        new(figure, $"≤ {limitText}", cases => select(cases).Where(item => value(item.Summary!) is not null)
            .MaxBy(item => value(item.Summary!)) is { } worst
            ? (text(worst, value(worst.Summary!)!.Value), value(worst.Summary!) <= limit)
            : null);

    public static TargetDefinition MaxBytes(
        string figure,
        long limit,
        Func<MeasuredCases, IEnumerable<CaseResult>> select,
        Func<CaseSummary, double?>? bytes = null,
        Func<CaseResult, string>? where = null) =>
        Max(figure, ByteSize.ToText(limit), limit, select, bytes ?? (summary => summary.AllocatedBytes), (item, found) =>
            Invariant($"{found:0} B at most ({(where ?? Where)(item)})"));

    /// <param name="has">Whether it does; null when that was not measured.</param>
    public static TargetDefinition None(
        string figure,
        Func<MeasuredCases, IEnumerable<CaseResult>> select,
        Func<CaseSummary, bool?> has,
        Func<CaseResult, string>? where = null) =>
        new(figure, "none", cases =>
        {
            CaseResult[] all = [.. select(cases).Where(item => has(item.Summary!) is not null)];
            CaseResult[] others = [.. all.Where(item => has(item.Summary!) == true)];
            return all.Length == 0 ? null
                : others.Length == 0 ? ("none", true)
                : ($"in {others.Length} cases, first {(where ?? Where)(others[0])}", false);
        });

    public static TargetDefinition NoCollections(string figure, Func<MeasuredCases, IEnumerable<CaseResult>> select) =>
        None(figure, select, summary => summary.Gen0 is null ? null : summary is not { Gen0: 0, Gen1: 0, Gen2: 0 });

    /// <summary>For example "128 MiB at 64 KiB", or the file's content.</summary>
    public static string Where(CaseResult item)
    {
        CaseParameters parameters = item.Parameters;
        string bytes = ByteSize.ToText(parameters.Bytes ?? 0);
        return parameters.Chunk is { } chunk
            ? $"{bytes} at {ByteSize.ToText(chunk)}" + (parameters.Durability == "commit" ? ", durable" : "")
            : parameters.Buffer is { } buffer ? $"{bytes} at {ByteSize.ToText(buffer)}" : parameters.Content ?? bytes;
    }

    public static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    private TargetResult Check(MeasuredCases cases)
    {
        (string Text, bool Met)? measured = Measure(cases);
        return new TargetResult
        {
            Figure = Figure,
            Limit = Limit,
            Measured = measured?.Text ?? "not measured in this run",
            Met = measured?.Met,
        };
    }
}

internal readonly record struct CasePair(CaseResult Mine, CaseResult Other)
{
    public double Ratio => Figures.RatioOf(Mine, Other);

    /// <summary>Each case with that of another method with the same parameters, where that was measured.</summary>
    /// <param name="change">The parameters of the other, where they are not quite the same.</param>
    public static IEnumerable<CasePair> WithSame(
        MeasuredCases cases, IEnumerable<CaseResult> mine, string other, Func<CaseParameters, CaseParameters>? change = null) =>
        from item in mine
        let same = cases.Find(other, change?.Invoke(item.Parameters) ?? item.Parameters)
        where same is not null
        select new CasePair(item, same);
}
