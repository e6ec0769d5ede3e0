namespace Millrace.Lab.Results;

internal sealed record CaseResult
{
    public required string Method { get; init; }
    public bool Baseline { get; init; }

    /// <summary>"noise" for the second copy of a baseline; otherwise absent.</summary>
    public string? Role { get; init; }
    public bool Verified { get; init; }
    public string? UnverifiedReason { get; init; }
    public string? Error { get; init; }
    public required CaseParameters Parameters { get; init; }
    public string? Strategy { get; init; }
    public string? StrategyReason { get; init; }
    public CaseSamples? Samples { get; init; }
    public CaseSummary? Summary { get; init; }
    public IReadOnlyList<VerdictResult>? Verdicts { get; init; }
    public IReadOnlyDictionary<string, string>? Unavailable { get; init; }

    /// <summary>Whether it is the first copy of a method's case with these parameters.</summary>
    public bool IsCase(string method, CaseParameters parameters) => Role is null && Method == method && Parameters == parameters;
}

internal sealed record VerdictResult
{
    public required string Metric { get; init; }
    public required string Against { get; init; }
    public required string Verdict { get; init; }
    public bool? Better { get; init; }
    public double? Ratio { get; init; }
    public double? Low { get; init; }
    public double? High { get; init; }
    public double? Threshold { get; init; }
    public string? Reason { get; init; }
}

internal sealed record CaseSamples
{
    public required IReadOnlyList<int> Launch { get; init; }
    public required IReadOnlyList<int> Round { get; init; }
    public required IReadOnlyList<double> WallNs { get; init; }
    public required IReadOnlyList<long> UserCpuNs { get; init; }
    public required IReadOnlyList<long> SystemCpuNs { get; init; }
    public IReadOnlyList<long>? CallingThreadNs { get; init; }
    public IReadOnlyList<long>? MinorFaults { get; init; }
    public IReadOnlyList<long>? MajorFaults { get; init; }
    public IReadOnlyList<long>? VoluntarySwitches { get; init; }
    public IReadOnlyList<long>? InvoluntarySwitches { get; init; }
    public IReadOnlyList<long>? LogicalReadBytes { get; init; }
    public IReadOnlyList<long>? PhysicalReadBytes { get; init; }
    public IReadOnlyList<long>? ReadCalls { get; init; }
    public IReadOnlyList<long>? LogicalWriteBytes { get; init; }
    public IReadOnlyList<long>? PhysicalWriteBytes { get; init; }
    public IReadOnlyList<long>? WriteCalls { get; init; }
    public IReadOnlyList<long>? ServerCpuNs { get; init; }
    public IReadOnlyList<long>? ServerAllocatedBytes { get; init; }
    public IReadOnlyList<long>? ServerGen2 { get; init; }
    public IReadOnlyList<long>? ServerPeakResidentBytes { get; init; }
    public IReadOnlyList<double>? LinkShare { get; init; }
    public IReadOnlyList<long>? NetworkBytes { get; init; }
    public IReadOnlyList<double>? OthersPagesLeft { get; init; }
    public IReadOnlyList<double>? OwnPagesLeft { get; init; }
    public PassSamples? Passes { get; init; }
    public IReadOnlyList<int>? Unverified { get; init; }

    /// <summary>The counters that have a value for each sample, by their names in results.json.</summary>
    public IEnumerable<(string Name, IReadOnlyList<long>? Values)> Counters() =>
    [
        ("userCpuNs", UserCpuNs),
        ("systemCpuNs", SystemCpuNs),
        ("callingThreadNs", CallingThreadNs),
        ("minorFaults", MinorFaults),
        ("majorFaults", MajorFaults),
        ("voluntarySwitches", VoluntarySwitches),
        ("involuntarySwitches", InvoluntarySwitches),
        ("logicalReadBytes", LogicalReadBytes),
        ("physicalReadBytes", PhysicalReadBytes),
        ("readCalls", ReadCalls),
        ("logicalWriteBytes", LogicalWriteBytes),
        ("physicalWriteBytes", PhysicalWriteBytes),
        ("writeCalls", WriteCalls),
        ("serverCpuNs", ServerCpuNs),
        ("serverAllocatedBytes", ServerAllocatedBytes),
        ("serverGen2", ServerGen2),
        ("serverPeakResidentBytes", ServerPeakResidentBytes),
        ("networkBytes", NetworkBytes),
    ];
}

/// <summary>
/// Samples of meters that would disturb the others and therefore run in separate passes after the rounds. The lists
/// differ in length; one that is absent was not measured.
/// </summary>
internal sealed record PassSamples
{
    public IReadOnlyList<long>? AllocatedBytes { get; init; }
    public IReadOnlyList<int>? Gen0 { get; init; }
    public IReadOnlyList<int>? Gen1 { get; init; }
    public IReadOnlyList<int>? Gen2 { get; init; }
    public IReadOnlyList<long>? SystemCalls { get; init; }
    public IReadOnlyList<long>? LargeObjectBytes { get; init; }
    public IReadOnlyList<long>? ServerLargeObjectBytes { get; init; }
    public IReadOnlyList<double>? AllocatedObjects { get; init; }
    public IReadOnlyList<double>? AllocatedObjectsStdDev { get; init; }
    public IReadOnlyList<long>? PeakResidentBytes { get; init; }
    public IReadOnlyList<long>? PeakOverIdleBytes { get; init; }

    /// <summary>The counters that people compare, by their names in results.json.</summary>
    public IEnumerable<(string Name, IReadOnlyList<long>? Values)> Counters() =>
    [
        ("allocatedBytes", AllocatedBytes),
        ("systemCalls", SystemCalls),
        ("peakResidentBytes", PeakResidentBytes),
        ("peakOverIdleBytes", PeakOverIdleBytes),
    ];
}

internal sealed record CaseSummary
{
    public required Distribution WallNs { get; init; }
    public double? Ratio { get; init; }
    public double? RatioStdDev { get; init; }
    public double? MedianRatio { get; init; }
    public double? FloorRatio { get; init; }

    /// <summary>File length, once per reader at once, by median wall time.</summary>
    public required double MibPerSecond { get; init; }
    public double? RecordsPerSecond { get; init; }
    public double? AllocatedBytes { get; init; }
    public double? AllocatedRatio { get; init; }
    public double? AllocatedObjects { get; init; }
    public double? AllocatedObjectsStdDev { get; init; }
    public double? Gen0 { get; init; }
    public double? Gen1 { get; init; }
    public double? Gen2 { get; init; }
    public double UserCpuNs { get; init; }
    public double SystemCpuNs { get; init; }
    public double? CallingThreadShare { get; init; }
    public double? CoresUsed { get; init; }
    public double? MinorFaults { get; init; }
    public double? MajorFaults { get; init; }
    public double? ContextSwitches { get; init; }
    public double? LogicalReadBytes { get; init; }
    public double? PhysicalReadBytes { get; init; }
    public double? LogicalWriteBytes { get; init; }
    public double? PhysicalWriteBytes { get; init; }
    public string? BytesFrom { get; init; }
    public double? PeakResidentBytes { get; init; }
    public double? PeakOverIdleBytes { get; init; }
    public double? SystemCalls { get; init; }
    public double? ReadCalls { get; init; }
    public double? WriteCalls { get; init; }
    public double? ServerCpuNs { get; init; }
    public double? ServerAllocatedBytes { get; init; }
    public double? ServerGen2 { get; init; }
    public double? ServerPeakResidentBytes { get; init; }
    public double? LargeObjectBytes { get; init; }
    public double? ServerLargeObjectBytes { get; init; }
    public double? LinkShare { get; init; }
    public double? NetworkBytes { get; init; }
    public double? OthersPagesLeft { get; init; }
    public double? OwnPagesLeft { get; init; }
    public IReadOnlyDictionary<string, Distribution>? Distributions { get; init; }
}

internal sealed record Distribution
{
    public required int N { get; init; }
    public required double Mean { get; init; }
    public double? Error { get; init; }
    public required double StdDev { get; init; }
    public required double Min { get; init; }
    public required double P25 { get; init; }
    public required double Median { get; init; }
    public required double P75 { get; init; }
    public required double P90 { get; init; }
    public required double P99 { get; init; }
    public required double Max { get; init; }
}
