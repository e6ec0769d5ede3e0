namespace Millrace.Lab.Results;

/// <summary>How a figure is distributed over all samples, outliers included.</summary>
internal sealed record Distribution
{
    /// <summary>How many samples.</summary>
    public required int N { get; init; }

    /// <summary>Mean.</summary>
    public required double Mean { get; init; }

    /// <summary>Half the width of the 99.9 % confidence interval of the mean; absent with fewer than three samples.</summary>
    public double? Error { get; init; }

    /// <summary>Standard deviation.</summary>
    public required double StdDev { get; init; }

    /// <summary>Smallest.</summary>
    public required double Min { get; init; }

    /// <summary>25th percentile.</summary>
    public required double P25 { get; init; }

    /// <summary>Median.</summary>
    public required double Median { get; init; }

    /// <summary>75th percentile.</summary>
    public required double P75 { get; init; }

    /// <summary>90th percentile.</summary>
    public required double P90 { get; init; }

    /// <summary>99th percentile.</summary>
    public required double P99 { get; init; }

    /// <summary>Largest.</summary>
    public required double Max { get; init; }
}
