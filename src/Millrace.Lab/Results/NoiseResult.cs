namespace Millrace.Lab.Results;

/// <summary>How much a method differs from itself: the same method measured as two cases of the same rounds.</summary>
internal sealed record NoiseResult
{
    /// <summary>The method.</summary>
    public required string Method { get; init; }

    /// <summary>The parameters of both cases.</summary>
    public required CaseParameters Parameters { get; init; }

    /// <summary>Median of the second by median of the first.</summary>
    public required double MedianRatio { get; init; }

    /// <summary>Mean of the ratios of both medians within a round.</summary>
    public required double Ratio { get; init; }

    /// <summary>The standard deviation of those.</summary>
    public required double RatioStdDev { get; init; }

    /// <summary>How far <see cref="MedianRatio"/> is from 1: differences up to this are noise.</summary>
    public required double Deviation { get; init; }
}
