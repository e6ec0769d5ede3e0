namespace Millrace.Lab.Results;

/// <summary>Raw samples: the n-th entries of all lists are of the same invocation.</summary>
public sealed record CaseSamples
{
    /// <summary>Index of the process that measured it.</summary>
    public required IReadOnlyList<int> Launch { get; init; }

    /// <summary>Index of the round in which it was measured.</summary>
    public required IReadOnlyList<int> Round { get; init; }

    /// <summary>Wall time, nanoseconds.</summary>
    public required IReadOnlyList<double> WallNs { get; init; }

    /// <summary>Processor time in user mode, nanoseconds.</summary>
    public required IReadOnlyList<long> UserCpuNs { get; init; }

    /// <summary>Processor time in the kernel, nanoseconds.</summary>
    public required IReadOnlyList<long> SystemCpuNs { get; init; }

    /// <summary>Time inside the calls that read, nanoseconds; only in cold cases.</summary>
    public IReadOnlyList<long>? CallingThreadNs { get; init; }

    /// <summary>Indexes of the samples that did not begin in the stated state; absent when there are none.</summary>
    public IReadOnlyList<int>? Unverified { get; init; }
}
