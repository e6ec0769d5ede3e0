namespace Millrace.Lab.Comparing;

/// <summary>All metrics that can be compared.</summary>
internal static class Metrics
{
    /// <summary>Wall time of an invocation.</summary>
    public static MetricKind WallNs { get; } = Measured("wallNs", "time", "ns") with { IsSpeed = true };

    /// <summary>Processor time of the whole process, in user mode and in the kernel.</summary>
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

    /// <summary>All of them, by the names of results.json.</summary>
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

    /// <summary>What a comparison shows when nothing else is asked for.</summary>
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
