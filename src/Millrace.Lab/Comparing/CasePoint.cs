
namespace Millrace.Lab.Comparing;

/// <summary>A case in one run of its history.</summary>
internal sealed record CasePoint
{
    /// <summary>The run's file.</summary>
    public required string Path { get; init; }

    /// <summary>When the run began.</summary>
    public required DateTimeOffset Started { get; init; }

    /// <summary>The version of Millrace that ran.</summary>
    public required string Millrace { get; init; }

    /// <summary>Median of the metric, in its unit; null when the run has none.</summary>
    public double? Median { get; init; }

    /// <summary>25th percentile.</summary>
    public double? P25 { get; init; }

    /// <summary>75th percentile.</summary>
    public double? P75 { get; init; }

    /// <summary>Median ratio to the baseline of the same run.</summary>
    public double? MedianRatio { get; init; }

    /// <summary>How it compares with the run before; absent for the first.</summary>
    public VerdictResult? Verdict { get; init; }
}
