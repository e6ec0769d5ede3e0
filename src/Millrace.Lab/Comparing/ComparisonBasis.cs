namespace Millrace.Lab.Comparing;

/// <summary>By what two runs are compared.</summary>
internal enum ComparisonBasis
{
    /// <summary>By time, less what the machine itself became faster or slower by in between.</summary>
    AdjustedTime,

    /// <summary>By time as it was measured.</summary>
    Time,

    /// <summary>By the ratio to the baseline of the same run and rounds.</summary>
    Ratio,
}
