namespace Millrace.Lab.Results;

/// <summary>What a case's samples come to.</summary>
public sealed record CaseSummary
{
    /// <summary>Wall time.</summary>
    public required Distribution WallNs { get; init; }

    /// <summary>Mean of the ratios to the baseline's median within the same round.</summary>
    public double? Ratio { get; init; }

    /// <summary>Standard deviation of those.</summary>
    public double? RatioStdDev { get; init; }

    /// <summary>Median by the baseline's median.</summary>
    public double? MedianRatio { get; init; }

    /// <summary>File length by median wall time.</summary>
    public required double MibPerSecond { get; init; }

    /// <summary>Managed bytes allocated per invocation.</summary>
    public double? AllocatedBytes { get; init; }

    /// <summary>By the baseline's.</summary>
    public double? AllocatedRatio { get; init; }

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

    /// <summary>System calls per invocation.</summary>
    public double? SystemCalls { get; init; }

    /// <summary>Calls that read, per invocation.</summary>
    public double? ReadCalls { get; init; }
}
