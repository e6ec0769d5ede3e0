namespace Millrace.Lab.Comparing;

internal static class Metrics
{
    public static MetricKind WallNs { get; } =
        Measured("wallNs", "time", "ns", (_, samples, i) => samples.WallNs[i]) with { IsSpeed = true };

    public static MetricKind CpuNs { get; } =
        Measured("cpuNs", "CPU", "ns", (_, samples, i) => samples.UserCpuNs[i] + samples.SystemCpuNs[i]);

    /// <remarks>1 KiB: the size of a task or two and their state machines, once per file.</remarks>
    public static MetricKind AllocatedBytes { get; } =
        Count("allocatedBytes", "allocated", "bytes", 1024, summary => summary.AllocatedBytes);

    /// <summary>Peak of the resident memory over the process' memory before.</summary>
    /// <remarks>256 KiB: the C library's and the runtime's own arenas grow in steps of about that.</remarks>
    public static MetricKind PeakOverIdleBytes { get; } =
        Count("peakOverIdleBytes", "peak memory", "bytes", 256 * 1024, summary => summary.PeakOverIdleBytes);

    /// <remarks>4: a timer or a thread of the pool that wakes up once calls that often.</remarks>
    public static MetricKind SystemCalls { get; } = Count("systemCalls", "system calls", "", 4, summary => summary.SystemCalls);

    public static IReadOnlyList<MetricKind> All { get; } =
    [
        WallNs,
        CpuNs,
        Measured("userCpuNs", "user CPU", "ns", (_, samples, i) => samples.UserCpuNs[i]),
        Measured("systemCpuNs", "system CPU", "ns", (_, samples, i) => samples.SystemCpuNs[i]),
        Measured("mibPerSecond", "throughput", "MiB/s", MibPerSecond) with { IsSpeed = true, HigherIsBetter = true },
        AllocatedBytes,
        // Per 1,000 invocations: one in a pass of twenty.
        Count("gen0", "collections of generation 0", "", 50, summary => summary.Gen0),
        Count("gen1", "collections of generation 1", "", 50, summary => summary.Gen1),
        Count("gen2", "collections of generation 2", "", 50, summary => summary.Gen2),
        PeakOverIdleBytes,
        SystemCalls,
        Count("readCalls", "calls that read", "", 4, summary => summary.ReadCalls),
        Count("writeCalls", "calls that write", "", 4, summary => summary.WriteCalls),
        Count("minorFaults", "page faults without disk", "", 32, summary => summary.MinorFaults),
        Count("majorFaults", "page faults with disk", "", 2, summary => summary.MajorFaults),
        Count("contextSwitches", "context switches", "", 2, summary => summary.ContextSwitches),
        Count("physicalReadBytes", "bytes from the disk", "bytes", 1024 * 1024, summary => summary.PhysicalReadBytes),
        Count("physicalWriteBytes", "bytes to the disk", "bytes", 1024 * 1024, summary => summary.PhysicalWriteBytes),
        Count("logicalReadBytes", "bytes that calls returned", "bytes", 0, summary => summary.LogicalReadBytes) with { HigherIsBetter = null },
        Count("logicalWriteBytes", "bytes that calls took", "bytes", 0, summary => summary.LogicalWriteBytes) with { HigherIsBetter = null },
    ];

    public static IReadOnlyList<MetricKind> Usual { get; } =
        [WallNs, CpuNs, AllocatedBytes, PeakOverIdleBytes, SystemCalls];

    /// <exception cref="LabException">There is none; the message lists all.</exception>
    public static MetricKind Find(string name) =>
        All.FirstOrDefault(kind => string.Equals(kind.Name, name, StringComparison.OrdinalIgnoreCase))
        ?? throw new LabException(
            $"Unknown metric \"{name}\". The metrics are {string.Join(", ", All.Select(kind => kind.Name))}.");

    private static double MibPerSecond(CaseResult item, CaseSamples samples, int index) => samples.WallNs[index] <= 0
        ? 0
        : (item.Parameters.Bytes ?? 0) * (double)(item.Parameters.Files ?? 1) / ByteSize.MiB / (samples.WallNs[index] / 1e9);

    private static MetricKind Measured(string name, string title, string unit, Func<CaseResult, CaseSamples, int, double> valueAt) =>
        new(name, title, unit) { ValueAt = valueAt };

    private static MetricKind Count(string name, string title, string unit, double smallest, Func<CaseSummary, double?> figure) =>
        new(name, title, unit) { Figure = figure, SmallestDifference = smallest };
}

/// <param name="Name">Its name in results.json, for example "wallNs".</param>
internal sealed record MetricKind(string Name, string Title, string Unit)
{
    public bool? HigherIsBetter { get; init; } = false;
    public bool IsSpeed { get; init; }

    /// <summary>The value of a sample, of what wobbles from round to round; null for a count.</summary>
    public Func<CaseResult, CaseSamples, int, double>? ValueAt { get; init; }

    /// <summary>A count as in the summary; null for measured values.</summary>
    public Func<CaseSummary, double?>? Figure { get; init; }

    /// <summary>Whether launches and rounds are compared; otherwise it is a count.</summary>
    public bool IsMeasured => ValueAt is not null;
    public double SmallestDifference { get; init; }

    public string Word(bool isMore) => IsSpeed
        ? isMore == HigherIsBetter ? VerdictWords.Faster : VerdictWords.Slower
        : isMore ? VerdictWords.More : VerdictWords.Less;

    /// <summary>Whether a ratio above or below 1 is good; null where it is neither.</summary>
    public bool? IsBetter(bool isMore) => HigherIsBetter is { } higher ? isMore == higher : null;
}
