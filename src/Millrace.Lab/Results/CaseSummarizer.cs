namespace Millrace.Lab.Results;

/// <summary>What the samples of a case come to.</summary>
internal static class CaseSummarizer
{
    private const double PerThousand = 1000;

    // Metadata and the like come from the disk beside a file that is in the cache, and the other way round.
    private const double NextToNothing = 0.01;

    /// <summary>Adds the summary.</summary>
    /// <param name="item">A case with samples.</param>
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
            LinkShare = samples.LinkShare is { Count: > 0 } shares ? new Statistics(shares).Median : null,
            Distributions = Distributions(samples),
        };
        return item with { Summary = summary };
    }

    /// <summary>Samples with the round that they were taken in; rounds of different launches are different ones.</summary>
    public static IEnumerable<((int Launch, int Round) Round, double Value)> Rounds(CaseSamples samples) =>
        samples.WallNs.Select((value, index) => ((samples.Launch[index], samples.Round[index]), value));

    // Readers at once each take the whole of the file.
    private static long Moved(CaseParameters parameters) => (parameters.Bytes ?? 0) * (parameters.Readers ?? 1);

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

    private static SortedDictionary<string, Distribution> Distributions(CaseSamples samples)
    {
        var all = new SortedDictionary<string, Distribution>(StringComparer.Ordinal);
        Add("userCpuNs", samples.UserCpuNs);
        Add("systemCpuNs", samples.SystemCpuNs);
        Add("callingThreadNs", samples.CallingThreadNs);
        Add("minorFaults", samples.MinorFaults);
        Add("majorFaults", samples.MajorFaults);
        Add("voluntarySwitches", samples.VoluntarySwitches);
        Add("involuntarySwitches", samples.InvoluntarySwitches);
        Add("logicalReadBytes", samples.LogicalReadBytes);
        Add("physicalReadBytes", samples.PhysicalReadBytes);
        Add("readCalls", samples.ReadCalls);
        Add("logicalWriteBytes", samples.LogicalWriteBytes);
        Add("physicalWriteBytes", samples.PhysicalWriteBytes);
        Add("writeCalls", samples.WriteCalls);
        Add("serverCpuNs", samples.ServerCpuNs);
        Add("serverAllocatedBytes", samples.ServerAllocatedBytes);
        Add("serverGen2", samples.ServerGen2);
        Add("serverPeakResidentBytes", samples.ServerPeakResidentBytes);
        Add("allocatedBytes", samples.Passes?.AllocatedBytes);
        Add("systemCalls", samples.Passes?.SystemCalls);
        Add("peakResidentBytes", samples.Passes?.PeakResidentBytes);
        Add("peakOverIdleBytes", samples.Passes?.PeakOverIdleBytes);
        return all;

        void Add(string meter, IReadOnlyList<long>? list)
        {
            if (list is { Count: > 0 })
            {
                all[meter] = Summarizer.Describe(Statistics(list));
            }
        }
    }

    private static Statistics Statistics(IReadOnlyList<long> list) => new(list.Select(value => (double)value));

    private static double? Median(IReadOnlyList<long>? list) => list is { Count: > 0 } ? Statistics(list).Median : null;

    private static double? Mean(IReadOnlyList<long>? list) => list is { Count: > 0 } ? Statistics(list).Mean : null;

    private static double? Mean(IReadOnlyList<double>? list) => list is { Count: > 0 } ? list.Average() : null;

    private static double? Mean(IReadOnlyList<int>? list) => list is { Count: > 0 } ? list.Average() : null;

    private static double Of(CaseSamples samples, Func<int, double> value) =>
        new Statistics(Enumerable.Range(0, samples.WallNs.Count).Select(value)).Median;
}
