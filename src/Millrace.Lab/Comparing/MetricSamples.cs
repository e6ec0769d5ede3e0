namespace Millrace.Lab.Comparing;

internal sealed record MetricSamples
{
    public required MetricKind Kind { get; init; }
    public required string Method { get; init; }
    public IReadOnlyList<RoundValue> Rounds { get; init; } = [];

    /// <summary>Counts: every value.</summary>
    public IReadOnlyList<double> Counts { get; init; } = [];

    /// <summary>Why there is nothing to compare; null when there is.</summary>
    public string? Missing { get; init; }

    /// <summary>The median of all values; null where there is none.</summary>
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
    private const double PerThousand = 1000;

    /// <summary>Takes them; samples that did not begin in the stated state are left out.</summary>
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
                    new Statistics(group.Select(index => ValueAt(index, none.Kind.Name, item, samples))).Median)),
        ];
        int without = rounds.Count(round => round.Value <= 0);
        return without > 0
            ? none with { Missing = $"{item.Method} shows none in {without} of {rounds.Length} rounds: below what the meter can tell" }
            : none with { Rounds = rounds };
    }

    private static double ValueAt(int index, string metric, CaseResult item, CaseSamples samples) => metric switch
    {
        "wallNs" => samples.WallNs[index],
        "cpuNs" => samples.UserCpuNs[index] + samples.SystemCpuNs[index],
        "userCpuNs" => samples.UserCpuNs[index],
        "systemCpuNs" => samples.SystemCpuNs[index],
        "mibPerSecond" => samples.WallNs[index] <= 0
            ? 0
            : (item.Parameters.Bytes ?? 0) / (double)ByteSize.MiB / (samples.WallNs[index] / 1e9),
        _ => throw new ArgumentException($"{metric} is not measured by rounds.", nameof(metric)),
    };

    private static MetricSamples Counted(MetricSamples none, CaseResult item, CaseSamples samples)
    {
        string name = none.Kind.Name;
        CaseSummary? summary = item.Summary;
        double[] counts = name switch
        {
            "gen0" => Collections(samples.Passes?.Gen0, summary?.Gen0),
            "gen1" => Collections(samples.Passes?.Gen1, summary?.Gen1),
            "gen2" => Collections(samples.Passes?.Gen2, summary?.Gen2),
            "contextSwitches" => Doubles(Sum(samples), summary?.ContextSwitches),
            _ => Doubles(
                samples.Counters().Concat(samples.Passes?.Counters() ?? []).FirstOrDefault(counter => counter.Name == name).Values,
                SummaryOf(summary, name)),
        };
        if (counts.Length > 0)
        {
            return none with { Counts = counts };
        }

        string reason = item.Unavailable?.GetValueOrDefault(none.Kind.Name) ?? "not measured";
        return none with { Missing = $"{none.Kind.Name} of {item.Method}: {reason}" };
    }

    private static double? SummaryOf(CaseSummary? summary, string name) => name switch
    {
        "allocatedBytes" => summary?.AllocatedBytes,
        "peakOverIdleBytes" => summary?.PeakOverIdleBytes,
        "systemCalls" => summary?.SystemCalls,
        "readCalls" => summary?.ReadCalls,
        "writeCalls" => summary?.WriteCalls,
        "minorFaults" => summary?.MinorFaults,
        "majorFaults" => summary?.MajorFaults,
        "physicalReadBytes" => summary?.PhysicalReadBytes,
        "physicalWriteBytes" => summary?.PhysicalWriteBytes,
        "logicalReadBytes" => summary?.LogicalReadBytes,
        "logicalWriteBytes" => summary?.LogicalWriteBytes,
        _ => throw new ArgumentException($"{name} is not a count.", nameof(name)),
    };

    // Older files have the summary's figure only.
    private static double[] Doubles(IReadOnlyList<long>? values, double? summary) =>
        values is { Count: > 0 } ? [.. values.Select(value => (double)value)] : summary is { } figure ? [figure] : [];

    // One collection in a pass says as much as none does; per 1,000 invocations, as the summary has it.
    private static double[] Collections(IReadOnlyList<int>? values, double? summary) =>
        values is { Count: > 0 } ? [values.Average() * PerThousand] : summary is { } figure ? [figure] : [];

    private static List<long>? Sum(CaseSamples samples) =>
        samples is { VoluntarySwitches: { } voluntary, InvoluntarySwitches: { } involuntary }
            ? [.. voluntary.Zip(involuntary, (one, two) => one + two)]
            : null;

    private static string FirstLine(string text) => text.Split('\n', 2)[0].TrimEnd();
}
