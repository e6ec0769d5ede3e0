using BenchmarkDotNet.Running;
using Millrace.Lab.Meters;
using Millrace.Lab.Results;

namespace Millrace.Lab.Running;

/// <summary>One method with one set of parameters, and what was measured of it so far.</summary>
internal sealed class LabCase
{
    /// <summary>Describes a case that has not run yet.</summary>
    /// <param name="plan">Its index in the suite's plan, the same in every process.</param>
    /// <param name="method">The name in results.</param>
    /// <param name="role">Null, or <see cref="NoiseRole"/>.</param>
    /// <param name="benchmark">BenchmarkDotNet's description of it.</param>
    /// <param name="parameters">The parameters as results name them.</param>
    public LabCase(int plan, string method, string? role, BenchmarkCase benchmark, CaseParameters parameters)
    {
        Plan = plan;
        Method = method;
        Role = role;
        Benchmark = benchmark;
        Parameters = parameters;
    }

    /// <summary>The role of a second copy of a case, which shows how much a method differs from itself.</summary>
    public const string NoiseRole = "noise";

    /// <summary>What the second copy's name has more than the first's.</summary>
    public const string NoiseSuffix = "Again";

    /// <summary>Its index in the suite's plan, the same in every process that measures it.</summary>
    public int Plan { get; }

    /// <summary>The name in results; the benchmark's own, but for a second copy of it.</summary>
    public string Method { get; }

    /// <summary>Null, or "noise" for the copy that shows how much a method differs from itself.</summary>
    public string? Role { get; }

    /// <summary>BenchmarkDotNet's description of it.</summary>
    public BenchmarkCase Benchmark { get; }

    /// <summary>The parameters as results name them.</summary>
    public CaseParameters Parameters { get; }

    /// <summary>Whether ratios are against this case.</summary>
    public bool IsBaseline => Role is null && Benchmark.Descriptor.Baseline && MayBeBaseline;

    /// <summary>Whether its parameters are those of a baseline, if its method is one.</summary>
    public bool MayBeBaseline { get; init; } = true;

    /// <summary>See <see cref="PlannedCase.Foreign"/>.</summary>
    public string? Foreign { get; init; }

    /// <summary>Names the case for a filter and for messages, for example "FilePipe/128MiB/65536/SequentialScan/hot".</summary>
    public string Id => $"{Method}/{Parameters.Describe()}";

    /// <summary>All that was measured, in the order in which it was.</summary>
    public List<Sample> Samples { get; } = [];

    /// <summary>Why the case failed; null when it did not.</summary>
    public string? Error { get; set; }

    /// <summary>The first reason why a sample's state was not as it should be.</summary>
    public string? Violation { get; private set; }

    /// <summary>What the method chose to do.</summary>
    public string? Strategy { get; set; }

    /// <summary>Why.</summary>
    public string? StrategyReason { get; set; }

    /// <summary>What a pass of its own found allocated.</summary>
    public List<AllocationSample> Allocations { get; } = [];

    /// <summary>System calls per invocation, of a pass of its own.</summary>
    public List<long> SystemCalls { get; } = [];

    /// <summary>Objects allocated per invocation, of a pass of its own; null when that was not measured.</summary>
    public ObjectEstimate? Objects { get; set; }

    /// <summary>Bytes of large objects of an invocation, of a pass of its own; null when that was not measured.</summary>
    public long? LargeObjectBytes { get; set; }

    /// <summary>The same of a server in a process of its own.</summary>
    public long? ServerLargeObjectBytes { get; set; }

    /// <summary>Why they could not be estimated; null when they were, or when nobody tried.</summary>
    public string? NoObjectsReason { get; set; }

    /// <summary>How long an invocation takes by the warm-up, in nanoseconds; 0 before it.</summary>
    public double ExpectedNs { get; set; }

    /// <summary>Keeps a sample.</summary>
    public void Add(in Sample sample)
    {
        Samples.Add(sample);
        if (sample.Violation is not null)
        {
            Violation ??= sample.Violation;
        }
    }
}
