namespace Millrace.Lab.Results;

/// <summary>What a case's samples come to.</summary>
internal sealed record CaseSummary
{
    /// <summary>Wall time.</summary>
    public required Distribution WallNs { get; init; }

    /// <summary>Mean of the ratios to the baseline's median within the same round.</summary>
    public double? Ratio { get; init; }

    /// <summary>Standard deviation of those.</summary>
    public double? RatioStdDev { get; init; }

    /// <summary>Median by the baseline's median.</summary>
    public double? MedianRatio { get; init; }

    /// <summary>File length, once per reader at once, by median wall time.</summary>
    public required double MibPerSecond { get; init; }

    /// <summary>Records by median wall time; only where records are written.</summary>
    public double? RecordsPerSecond { get; init; }

    /// <summary>Managed bytes allocated per invocation.</summary>
    public double? AllocatedBytes { get; init; }

    /// <summary>By the baseline's.</summary>
    public double? AllocatedRatio { get; init; }

    /// <summary>Managed objects allocated per invocation, estimated from samples.</summary>
    public double? AllocatedObjects { get; init; }

    /// <summary>The standard deviation of that estimate.</summary>
    public double? AllocatedObjectsStdDev { get; init; }

    /// <summary>Collections of generation 0 per 1,000 invocations.</summary>
    public double? Gen0 { get; init; }

    /// <summary>Collections of generation 1 per 1,000 invocations.</summary>
    public double? Gen1 { get; init; }

    /// <summary>Collections of generation 2 per 1,000 invocations.</summary>
    public double? Gen2 { get; init; }

    /// <summary>Mean processor time in user mode, nanoseconds.</summary>
    public double UserCpuNs { get; init; }

    /// <summary>Mean processor time in the kernel, nanoseconds.</summary>
    public double SystemCpuNs { get; init; }

    /// <summary>Median of the part of the wall time spent inside the calls that read, 0 to 1; only in cold cases.</summary>
    public double? CallingThreadShare { get; init; }

    /// <summary>Median of the processors in use at a time: user and system time by wall time.</summary>
    public double? CoresUsed { get; init; }

    /// <summary>Median of the page faults that needed no reading.</summary>
    public double? MinorFaults { get; init; }

    /// <summary>Median of those that did.</summary>
    public double? MajorFaults { get; init; }

    /// <summary>Median of how often a thread gave the processor up or lost it.</summary>
    public double? ContextSwitches { get; init; }

    /// <summary>Median of the bytes that reading calls returned.</summary>
    public double? LogicalReadBytes { get; init; }

    /// <summary>Median of the bytes that came from a disk.</summary>
    public double? PhysicalReadBytes { get; init; }

    /// <summary>Median of the bytes that writing calls took.</summary>
    public double? LogicalWriteBytes { get; init; }

    /// <summary>Median of the bytes that have to go to a disk.</summary>
    public double? PhysicalWriteBytes { get; init; }

    /// <summary>"page cache", "disk", or for example "40 % disk": where the bytes came from.</summary>
    public string? BytesFrom { get; init; }

    /// <summary>Largest resident memory of a process that ran nothing but this case.</summary>
    public double? PeakResidentBytes { get; init; }

    /// <summary>That, less what the process had before.</summary>
    public double? PeakOverIdleBytes { get; init; }

    /// <summary>System calls per invocation.</summary>
    public double? SystemCalls { get; init; }

    /// <summary>Calls that read, per invocation.</summary>
    public double? ReadCalls { get; init; }

    /// <summary>Calls that write, per invocation.</summary>
    public double? WriteCalls { get; init; }

    /// <summary>Mean processor time of the server's process, nanoseconds; only where there is one.</summary>
    public double? ServerCpuNs { get; init; }

    /// <summary>Median of the managed bytes that the server's process allocated per invocation.</summary>
    public double? ServerAllocatedBytes { get; init; }

    /// <summary>Collections of generation 2 in the server's process per 1,000 invocations.</summary>
    public double? ServerGen2 { get; init; }

    /// <summary>Median of the largest resident memory of the server's process.</summary>
    public double? ServerPeakResidentBytes { get; init; }

    /// <summary>Bytes of large objects (85,000 bytes and more) that an invocation allocated.</summary>
    public double? LargeObjectBytes { get; init; }

    /// <summary>The same of the server's process; only where there is one.</summary>
    public double? ServerLargeObjectBytes { get; init; }

    /// <summary>Median of the part of a link's bandwidth that was used after the first second, 0 to 1.</summary>
    public double? LinkShare { get; init; }

    /// <summary>How the other meters are distributed, by the name of their list of samples.</summary>
    public IReadOnlyDictionary<string, Distribution>? Distributions { get; init; }
}
