namespace Millrace.Lab.Comparing;

/// <summary>Which direction of a metric is good.</summary>
internal enum Polarity
{
    /// <summary>Neither: it only describes.</summary>
    Neither,

    /// <summary>Less is better.</summary>
    LowerIsBetter,

    /// <summary>More is better.</summary>
    HigherIsBetter,
}
