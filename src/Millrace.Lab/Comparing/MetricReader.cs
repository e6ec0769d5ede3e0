namespace Millrace.Lab.Comparing;

/// <summary>Takes a metric's values out of a case.</summary>
internal static class MetricReader
{
    private const double PerThousand = 1000;

    /// <summary>Takes them; samples that did not begin in the stated state are left out.</summary>
    public static MetricSamples Read(CaseResult item, MetricKind kind)
    {
        ArgumentNullException.ThrowIfNull(item);
        ArgumentNullException.ThrowIfNull(kind);
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
        double[] counts = none.Kind.Name switch
        {
            "allocatedBytes" => Doubles(samples.Passes?.AllocatedBytes, item.Summary?.AllocatedBytes),
            "gen0" => Collections(samples.Passes?.Gen0, item.Summary?.Gen0),
            "gen1" => Collections(samples.Passes?.Gen1, item.Summary?.Gen1),
            "gen2" => Collections(samples.Passes?.Gen2, item.Summary?.Gen2),
            "peakOverIdleBytes" => Doubles(samples.Passes?.PeakOverIdleBytes, item.Summary?.PeakOverIdleBytes),
            "systemCalls" => Doubles(samples.Passes?.SystemCalls, item.Summary?.SystemCalls),
            "readCalls" => Doubles(samples.ReadCalls, item.Summary?.ReadCalls),
            "writeCalls" => Doubles(samples.WriteCalls, item.Summary?.WriteCalls),
            "minorFaults" => Doubles(samples.MinorFaults, item.Summary?.MinorFaults),
            "majorFaults" => Doubles(samples.MajorFaults, item.Summary?.MajorFaults),
            "contextSwitches" => Doubles(Sum(samples), item.Summary?.ContextSwitches),
            "physicalReadBytes" => Doubles(samples.PhysicalReadBytes, item.Summary?.PhysicalReadBytes),
            "physicalWriteBytes" => Doubles(samples.PhysicalWriteBytes, item.Summary?.PhysicalWriteBytes),
            "logicalWriteBytes" => Doubles(samples.LogicalWriteBytes, item.Summary?.LogicalWriteBytes),
            "logicalReadBytes" => Doubles(samples.LogicalReadBytes, item.Summary?.LogicalReadBytes),
            _ => throw new ArgumentException($"{none.Kind.Name} is no count.", nameof(none)),
        };
        if (counts.Length > 0)
        {
            return none with { Counts = counts };
        }

        string reason = item.Unavailable?.GetValueOrDefault(none.Kind.Name) ?? "not measured";
        return none with { Missing = $"{none.Kind.Name} of {item.Method}: {reason}" };
    }

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
