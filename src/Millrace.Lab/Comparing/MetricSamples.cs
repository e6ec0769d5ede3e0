namespace Millrace.Lab.Comparing;

internal sealed record MetricSamples
{
    public required MetricKind Kind { get; init; }
    public required string Method { get; init; }
    public IReadOnlyList<RoundValue> Rounds { get; init; } = [];
    public IReadOnlyList<double> Counts { get; init; } = [];
    public string? Missing { get; init; }

    public double? Median => Kind.IsMeasured
        ? Rounds.Count == 0 ? null : new Statistics(Rounds.Select(round => round.Value)).Median
        : Counts.Count == 0 ? null : new Statistics(Counts).Median;

    /// <summary>
    /// The ratios to another case of the same run, round by round. Both were measured within a second or so, so that a
    /// machine that drifts does not show.
    /// </summary>
    public MetricSamples RelativeTo(MetricSamples baseline)
    {
        Dictionary<(int, int), double> others =
            baseline.Rounds.ToDictionary(round => (round.Launch, round.Round), round => round.Value);
        return this with
        {
            Rounds =
            [
                .. Rounds.Where(round => others.ContainsKey((round.Launch, round.Round)))
                    .Select(round => round with { Value = round.Value / others[(round.Launch, round.Round)] }),
            ],
            Missing = Missing ?? (baseline.Missing is { } missing ? $"{baseline.Method}: {missing}" : null),
        };
    }

    public MetricSamples Without(Func<int, double> factorOfLaunch) =>
        this with { Rounds = [.. Rounds.Select(round => round with { Value = round.Value / factorOfLaunch(round.Launch) })] };
}

internal readonly record struct RoundValue(int Launch, int Round, double Value);

internal static class MetricReader
{
    public static MetricSamples Read(CaseResult item, MetricKind kind)
    {
        var none = new MetricSamples { Kind = kind, Method = item.Method };
        if (item.Error is not null)
        {
            return none with { Missing = $"{item.Method} failed: {FirstLine(item.Error)}" };
        }

        if (item.Samples is not { } samples)
        {
            return none with { Missing = $"{item.Method} has no samples" };
        }

        return kind.IsMeasured ? Measured(none, item, samples) : Counted(none, item, samples);
    }

    private static MetricSamples Measured(MetricSamples none, CaseResult item, CaseSamples samples)
    {
        HashSet<int> unverified = [.. samples.Unverified ?? []];
        int count = samples.WallNs.Count;
        if (unverified.Count * 2 > count)
        {
            return none with
            {
                Missing = $"{unverified.Count} of {count} samples of {item.Method} not verified: {item.UnverifiedReason}",
            };
        }

        RoundValue[] rounds =
        [
            .. Enumerable.Range(0, count).Where(index => !unverified.Contains(index))
                .GroupBy(index => (Launch: samples.Launch[index], Round: samples.Round[index]))
                .OrderBy(group => group.Key)
                .Select(group => new RoundValue(
                    group.Key.Launch,
                    group.Key.Round,
                    new Statistics(group.Select(index => none.Kind.ValueAt!(item, samples, index))).Median)),
        ];
        int without = rounds.Count(round => round.Value <= 0);
        return without > 0
            ? none with { Missing = $"{item.Method} shows none in {without} of {rounds.Length} rounds: below the meter's resolution" }
            : none with { Rounds = rounds };
    }

    private static MetricSamples Counted(MetricSamples none, CaseResult item, CaseSamples samples)
    {
        string name = none.Kind.Name;
        IReadOnlyList<long>? values = name == "contextSwitches"
            ? Sum(samples)
            : samples.Counters().Concat(samples.Passes?.Counters() ?? []).FirstOrDefault(counter => counter.Name == name).Values;
        if (values is { Count: > 0 })
        {
            return none with { Counts = [.. values.Select(value => (double)value)] };
        }

        // One collection in a pass means as much as none, so their mean counts; older files have the summary's figure only.
        return item.Summary is { } summary && none.Kind.Figure!(summary) is { } figure
            ? none with { Counts = [figure] }
            : none with { Missing = $"{name} of {item.Method}: {item.Unavailable?.GetValueOrDefault(name) ?? "not measured"}" };
    }

    private static List<long>? Sum(CaseSamples samples) =>
        samples is { VoluntarySwitches: { } voluntary, InvoluntarySwitches: { } involuntary }
            ? [.. voluntary.Zip(involuntary, (one, two) => one + two)]
            : null;

    private static string FirstLine(string text) => text.Split('\n', 2)[0].TrimEnd();
}
