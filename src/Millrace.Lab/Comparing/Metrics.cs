namespace Millrace.Lab.Comparing;

internal static class Metrics
{
    public static MetricKind WallNs { get; } = Measured("wallNs", "time", "ns") with { IsSpeed = true };
    public static MetricKind CpuNs { get; } = Measured("cpuNs", "CPU", "ns");

    /// <summary>Managed bytes allocated by an invocation.</summary>
    /// <remarks>1 KiB: what a task or two and their state machines take, once per file.</remarks>
    public static MetricKind AllocatedBytes { get; } = Count("allocatedBytes", "allocated", "bytes", 1024);

    /// <summary>Peak of the resident memory over what the process had before.</summary>
    /// <remarks>256 KiB: the C library's and the runtime's own arenas grow in steps of about that.</remarks>
    public static MetricKind PeakOverIdleBytes { get; } = Count("peakOverIdleBytes", "peak memory", "bytes", 256 * 1024);

    /// <summary>System calls of an invocation.</summary>
    /// <remarks>4: a timer or a thread of the pool that wakes up once calls that often.</remarks>
    public static MetricKind SystemCalls { get; } = Count("systemCalls", "system calls", "", 4);

    public static IReadOnlyList<MetricKind> All { get; } =
    [
        WallNs,
        CpuNs,
        Measured("userCpuNs", "user CPU", "ns"),
        Measured("systemCpuNs", "system CPU", "ns"),
        Measured("mibPerSecond", "throughput", "MiB/s") with { IsSpeed = true, Polarity = Polarity.HigherIsBetter },
        AllocatedBytes,
        // Per 1,000 invocations: one in a pass of twenty.
        Count("gen0", "collections of generation 0", "", 50),
        Count("gen1", "collections of generation 1", "", 50),
        Count("gen2", "collections of generation 2", "", 50),
        PeakOverIdleBytes,
        SystemCalls,
        Count("readCalls", "calls that read", "", 4),
        Count("writeCalls", "calls that write", "", 4),
        Count("minorFaults", "page faults without disk", "", 32),
        Count("majorFaults", "page faults with disk", "", 2),
        Count("contextSwitches", "context switches", "", 2),
        Count("physicalReadBytes", "bytes from the disk", "bytes", 1024 * 1024),
        Count("physicalWriteBytes", "bytes to the disk", "bytes", 1024 * 1024),
        Count("logicalReadBytes", "bytes that calls returned", "bytes", 0) with { Polarity = Polarity.Neither },
        Count("logicalWriteBytes", "bytes that calls took", "bytes", 0) with { Polarity = Polarity.Neither },
    ];

    public static IReadOnlyList<MetricKind> Usual { get; } =
        [WallNs, CpuNs, AllocatedBytes, PeakOverIdleBytes, SystemCalls];

    /// <summary>Finds one by its name, whatever the case.</summary>
    /// <exception cref="LabException">There is none; the message lists all.</exception>
    public static MetricKind Find(string name) =>
        All.FirstOrDefault(kind => string.Equals(kind.Name, name, StringComparison.OrdinalIgnoreCase))
        ?? throw new LabException(
            $"There is no metric \"{name}\". There are {string.Join(", ", All.Select(kind => kind.Name))}.");

    private static MetricKind Measured(string name, string title, string unit) => new()
    {
        Name = name,
        Title = title,
        Unit = unit,
        Polarity = Polarity.LowerIsBetter,
        IsMeasured = true,
    };

    private static MetricKind Count(string name, string title, string unit, double smallest) => new()
    {
        Name = name,
        Title = title,
        Unit = unit,
        Polarity = Polarity.LowerIsBetter,
        SmallestDifference = smallest,
    };
}

internal sealed record MetricKind
{
    /// <summary>Its name in results.json, for example "wallNs".</summary>
    public required string Name { get; init; }
    public required string Title { get; init; }
    public required string Unit { get; init; }
    public required Polarity Polarity { get; init; }
    public bool IsSpeed { get; init; }

    /// <summary>Whether it wobbles from round to round, so that launches and rounds are compared; otherwise it is a count.</summary>
    public bool IsMeasured { get; init; }
    public double SmallestDifference { get; init; }

    public string Word(bool isMore) => IsSpeed
        ? isMore == (Polarity == Polarity.HigherIsBetter) ? VerdictWords.Faster : VerdictWords.Slower
        : isMore ? VerdictWords.More : VerdictWords.Less;

    /// <summary>Whether a ratio above or below 1 is good; null where it is neither.</summary>
    public bool? IsBetter(bool isMore) =>
        Polarity == Polarity.Neither ? null : isMore == (Polarity == Polarity.HigherIsBetter);
}

internal enum Polarity
{
    Neither,

    LowerIsBetter,

    HigherIsBetter,
}
