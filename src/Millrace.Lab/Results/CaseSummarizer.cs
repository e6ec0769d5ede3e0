namespace Millrace.Lab.Results;

internal static class CaseSummarizer
{
    private const double PerThousand = 1000;

    // Metadata and the like come from the disk beside a file that is in the cache, and the other way round.
    private const double NextToNothing = 0.01;

    /// <param name="baseline">The baseline of the same parameters; null when there is none.</param>
    public static CaseResult Summarize(CaseResult item, CaseResult? baseline)
    {
        CaseSamples samples = item.Samples!;
        PassSamples? passes = samples.Passes;
        var wall = new Statistics(samples.WallNs);
        Statistics? ratios = baseline is null
            ? null
            : Summarizer.Ratios(Rounds(samples), Rounds(baseline.Samples!));
        double? allocated = Mean(passes?.AllocatedBytes);
        double? allocatedByBaseline = Mean(baseline?.Samples?.Passes?.AllocatedBytes);
        double? physical = Median(samples.PhysicalReadBytes);
        var summary = new CaseSummary
        {
            WallNs = Summarizer.Describe(wall),
            Ratio = ratios?.Mean,
            RatioStdDev = ratios is { N: > 1 } ? ratios.StandardDeviation : null,
            MedianRatio = baseline is null ? null : wall.Median / new Statistics(baseline.Samples!.WallNs).Median,
            MibPerSecond = Moved(item.Parameters) / (double)ByteSize.MiB / (wall.Median / 1e9),
            RecordsPerSecond = item.Parameters.Records / (wall.Median / 1e9),
            AllocatedBytes = allocated,
            AllocatedRatio = allocatedByBaseline > 0 ? allocated / allocatedByBaseline : null,
            AllocatedObjects = Mean(passes?.AllocatedObjects),
            AllocatedObjectsStdDev = Mean(passes?.AllocatedObjectsStdDev),
            Gen0 = Mean(passes?.Gen0) * PerThousand,
            Gen1 = Mean(passes?.Gen1) * PerThousand,
            Gen2 = Mean(passes?.Gen2) * PerThousand,
            UserCpuNs = Mean(samples.UserCpuNs) ?? 0,
            SystemCpuNs = Mean(samples.SystemCpuNs) ?? 0,
            CoresUsed = Of(samples, index => (samples.UserCpuNs[index] + samples.SystemCpuNs[index]) / samples.WallNs[index]),
            CallingThreadShare = samples.CallingThreadNs is { } calling
                ? Of(samples, index => calling[index] / samples.WallNs[index])
                : null,
            MinorFaults = Median(samples.MinorFaults),
            MajorFaults = Median(samples.MajorFaults),
            ContextSwitches = samples is { VoluntarySwitches: { } voluntary, InvoluntarySwitches: { } involuntary }
                ? Of(samples, index => voluntary[index] + involuntary[index])
                : null,
            LogicalReadBytes = Median(samples.LogicalReadBytes),
            PhysicalReadBytes = physical,
            LogicalWriteBytes = Median(samples.LogicalWriteBytes),
            PhysicalWriteBytes = Median(samples.PhysicalWriteBytes),
            BytesFrom = item.Parameters is { Chunk: null, Records: null, Direction: null } ? BytesFrom(physical, item.Parameters.Bytes) : null,
            PeakResidentBytes = Median(passes?.PeakResidentBytes),
            PeakOverIdleBytes = Median(passes?.PeakOverIdleBytes),
            SystemCalls = Median(passes?.SystemCalls),
            ReadCalls = Median(samples.ReadCalls),
            WriteCalls = Median(samples.WriteCalls),
            ServerCpuNs = Mean(samples.ServerCpuNs),
            ServerAllocatedBytes = Median(samples.ServerAllocatedBytes),
            ServerGen2 = Mean(samples.ServerGen2) * PerThousand,
            ServerPeakResidentBytes = Median(samples.ServerPeakResidentBytes),
            LargeObjectBytes = Median(passes?.LargeObjectBytes),
            ServerLargeObjectBytes = Median(passes?.ServerLargeObjectBytes),
            LinkShare = Median(samples.LinkShare),
            NetworkBytes = Median(samples.NetworkBytes),
            OthersPagesLeft = Median(samples.OthersPagesLeft),
            OwnPagesLeft = Median(samples.OwnPagesLeft),
            Distributions = Distributions(samples),
        };
        return item with { Summary = summary };
    }

    /// <summary>Samples with the round that they were taken in; rounds of different launches are different ones.</summary>
    public static IEnumerable<((int Launch, int Round) Round, double Value)> Rounds(CaseSamples samples) =>
        samples.WallNs.Select((value, index) => ((samples.Launch[index], samples.Round[index]), value));

    // Readers at once each take the whole of the file.
    private static long Moved(CaseParameters parameters) =>
        (parameters.Bytes ?? 0) * (parameters.Readers ?? 1) * (parameters.Files ?? 1);

    private static string? BytesFrom(double? physical, long? bytes)
    {
        if (physical is not { } read || bytes is not { } total || total == 0)
        {
            return null;
        }

        double share = read / total;
        return share < NextToNothing ? "page cache"
            : share > 1 - NextToNothing ? "disk"
            : string.Create(System.Globalization.CultureInfo.InvariantCulture, $"{share * 100:0} % disk");
    }

    private static SortedDictionary<string, Distribution> Distributions(CaseSamples samples) => new(
        samples.Counters().Concat(samples.Passes?.Counters() ?? [])
            .Where(counter => counter.Values is { Count: > 0 })
            .ToDictionary(counter => counter.Name, counter => Summarizer.Describe(Statistics(counter.Values!))),
        StringComparer.Ordinal);

    private static Statistics Statistics(IReadOnlyList<long> list) => new(list.Select(value => (double)value));

    private static double? Median(IReadOnlyList<long>? list) => list is { Count: > 0 } ? Statistics(list).Median : null;

    private static double? Median(IReadOnlyList<double>? list) => list is { Count: > 0 } ? new Statistics(list).Median : null;

    private static double? Mean(IReadOnlyList<long>? list) => list is { Count: > 0 } ? Statistics(list).Mean : null;

    private static double? Mean(IReadOnlyList<double>? list) => list is { Count: > 0 } ? list.Average() : null;

    private static double? Mean(IReadOnlyList<int>? list) => list is { Count: > 0 } ? list.Average() : null;

    private static double Of(CaseSamples samples, Func<int, double> value) =>
        new Statistics(Enumerable.Range(0, samples.WallNs.Count).Select(value)).Median;
}

internal static class Summarizer
{
    private const int SamplesForError = 3;

    public static Distribution Describe(Statistics statistics) => new()
    {
        N = statistics.N,
        Mean = statistics.Mean,
        Error = statistics.N < SamplesForError ? null : Finite(statistics.Margin),
        StdDev = Finite(statistics.StandardDeviation) ?? 0,
        Min = statistics.Min,
        P25 = statistics.Percentile(25),
        Median = statistics.Median,
        P75 = statistics.Percentile(75),
        P90 = statistics.Percentile(90),
        P99 = statistics.Percentile(99),
        Max = statistics.Max,
    };

    /// <summary>
    /// One ratio per round that both have samples of: median by median. Both were measured within the same
    /// second or so, so that a machine that drifts does not show in the ratios.
    /// </summary>
    /// <returns>Null when they have no round in common.</returns>
    public static Statistics? Ratios(
        IEnumerable<((int Launch, int Round) Round, double Value)> samples, IEnumerable<((int Launch, int Round) Round, double Value)> baseline)
    {
        Dictionary<(int Launch, int Round), double> medians = MediansByRound(baseline);
        double[] ratios =
        [
            .. from round in MediansByRound(samples)
               where medians.ContainsKey(round.Key)
               select round.Value / medians[round.Key],
        ];
        return ratios.Length == 0 ? null : new Statistics(ratios);
    }

    private static Dictionary<(int Launch, int Round), double> MediansByRound(IEnumerable<((int Launch, int Round) Round, double Value)> samples) => samples
        .GroupBy(sample => sample.Round, sample => sample.Value)
        .ToDictionary(round => round.Key, round => new Statistics(round).Median);

    private static double? Finite(double value) => double.IsFinite(value) ? value : null;
}
