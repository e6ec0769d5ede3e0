namespace Millrace.Lab.Results;

/// <summary>
/// Samples of meters that would disturb the others and therefore run in passes of their own, after the rounds. Every list
/// has a length of its own; one that is absent was not measured.
/// </summary>
internal sealed record PassSamples
{
    /// <summary>Managed bytes that an invocation allocated, on all threads.</summary>
    public IReadOnlyList<long>? AllocatedBytes { get; init; }

    /// <summary>Collections of generation 0 during an invocation, those of higher generations included.</summary>
    public IReadOnlyList<int>? Gen0 { get; init; }

    /// <summary>Collections of generation 1 during an invocation, those of generation 2 included.</summary>
    public IReadOnlyList<int>? Gen1 { get; init; }

    /// <summary>Collections of generation 2 during an invocation.</summary>
    public IReadOnlyList<int>? Gen2 { get; init; }

    /// <summary>System calls of an invocation.</summary>
    public IReadOnlyList<long>? SystemCalls { get; init; }

    /// <summary>Bytes of large objects that an invocation allocated.</summary>
    public IReadOnlyList<long>? LargeObjectBytes { get; init; }

    /// <summary>The same of a server in a process of its own.</summary>
    public IReadOnlyList<long>? ServerLargeObjectBytes { get; init; }

    /// <summary>Managed objects that an invocation allocated, on all threads: an estimate from samples.</summary>
    public IReadOnlyList<double>? AllocatedObjects { get; init; }

    /// <summary>The standard deviation of that estimate.</summary>
    public IReadOnlyList<double>? AllocatedObjectsStdDev { get; init; }

    /// <summary>The largest resident memory of a process that did nothing but this invocation.</summary>
    public IReadOnlyList<long>? PeakResidentBytes { get; init; }

    /// <summary>The same less what that process had before it.</summary>
    public IReadOnlyList<long>? PeakOverIdleBytes { get; init; }
}
