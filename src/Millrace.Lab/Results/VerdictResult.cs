namespace Millrace.Lab.Results;

/// <summary>What a comparison of two cases says about one metric.</summary>
internal sealed record VerdictResult
{
    /// <summary>The metric, by the name of its list of samples or of its field in the summary: "wallNs", "allocatedBytes".</summary>
    public required string Metric { get; init; }

    /// <summary>The method that the case is compared with.</summary>
    public required string Against { get; init; }

    /// <summary>"faster", "slower", "same", "noise" or "too little data"; for other metrics than time "less" and "more".</summary>
    public required string Verdict { get; init; }

    /// <summary>Whether that is good: true, false, or null where it is neither.</summary>
    public bool? Better { get; init; }

    /// <summary>The case's by the other's; below 1 is less.</summary>
    public double? Ratio { get; init; }

    /// <summary>Lower end of the ratio's 95 % confidence interval.</summary>
    public double? Low { get; init; }

    /// <summary>Upper end.</summary>
    public double? High { get; init; }

    /// <summary>Effects up to this, as a part of 1, are noise.</summary>
    public double? Threshold { get; init; }

    /// <summary>Why, where the verdict alone does not say it: what is missing, where the threshold comes from.</summary>
    public string? Reason { get; init; }
}
