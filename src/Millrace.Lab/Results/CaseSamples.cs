namespace Millrace.Lab.Results;

/// <summary>Raw samples: the n-th entries of all lists are of the same invocation.</summary>
internal sealed record CaseSamples
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

    /// <summary>Page faults that needed no reading from a disk, whole process.</summary>
    public IReadOnlyList<long>? MinorFaults { get; init; }

    /// <summary>Page faults that needed reading, whole process.</summary>
    public IReadOnlyList<long>? MajorFaults { get; init; }

    /// <summary>How often a thread gave the processor up to wait.</summary>
    public IReadOnlyList<long>? VoluntarySwitches { get; init; }

    /// <summary>How often a thread lost the processor to another.</summary>
    public IReadOnlyList<long>? InvoluntarySwitches { get; init; }

    /// <summary>Bytes that calls like read(2) returned. Pages of a mapping are not in it.</summary>
    public IReadOnlyList<long>? LogicalReadBytes { get; init; }

    /// <summary>Bytes that had to come from a disk, read-ahead of the kernel included.</summary>
    public IReadOnlyList<long>? PhysicalReadBytes { get; init; }

    /// <summary>Calls that read, successful or not.</summary>
    public IReadOnlyList<long>? ReadCalls { get; init; }

    /// <summary>Bytes that writing calls took. Pages of a mapping are not in it.</summary>
    public IReadOnlyList<long>? LogicalWriteBytes { get; init; }

    /// <summary>Bytes that have to go to a disk, at once or later.</summary>
    public IReadOnlyList<long>? PhysicalWriteBytes { get; init; }

    /// <summary>Calls that write, successful or not.</summary>
    public IReadOnlyList<long>? WriteCalls { get; init; }

    /// <summary>Processor time of the server's process, in user mode and in the kernel, nanoseconds.</summary>
    public IReadOnlyList<long>? ServerCpuNs { get; init; }

    /// <summary>Managed bytes that the server's process allocated.</summary>
    public IReadOnlyList<long>? ServerAllocatedBytes { get; init; }

    /// <summary>Collections of generation 2 in the server's process.</summary>
    public IReadOnlyList<long>? ServerGen2 { get; init; }

    /// <summary>The largest resident memory of the server's process.</summary>
    public IReadOnlyList<long>? ServerPeakResidentBytes { get; init; }

    /// <summary>The part of a link's bandwidth that was used after the first second, 0 to 1.</summary>
    public IReadOnlyList<double>? LinkShare { get; init; }

    /// <summary>What passes of their own found: lists of their own length.</summary>
    public PassSamples? Passes { get; init; }

    /// <summary>Indexes of the samples that did not begin in the stated state; absent when there are none.</summary>
    public IReadOnlyList<int>? Unverified { get; init; }
}
