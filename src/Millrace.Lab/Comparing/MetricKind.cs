namespace Millrace.Lab.Comparing;

/// <summary>A metric: what it is called, which direction is good, and how it is compared.</summary>
internal sealed record MetricKind
{
    /// <summary>Its name in results.json, for example "wallNs".</summary>
    public required string Name { get; init; }

    /// <summary>What people call it.</summary>
    public required string Title { get; init; }

    /// <summary>"ns", "bytes", "MiB/s", or empty for counts.</summary>
    public required string Unit { get; init; }

    /// <summary>Which direction is good.</summary>
    public required Polarity Polarity { get; init; }

    /// <summary>Whether verdicts say faster and slower instead of less and more.</summary>
    public bool IsSpeed { get; init; }

    /// <summary>Whether it wobbles from round to round, so that launches and rounds are compared; otherwise it is a count.</summary>
    public bool IsMeasured { get; init; }

    /// <summary>A count's differences up to this, in its unit, do not matter.</summary>
    public double SmallestDifference { get; init; }

    /// <summary>The word for a ratio above or below 1.</summary>
    public string Word(bool isMore) => IsSpeed
        ? isMore == (Polarity == Polarity.HigherIsBetter) ? VerdictWords.Faster : VerdictWords.Slower
        : isMore ? VerdictWords.More : VerdictWords.Less;

    /// <summary>Whether a ratio above or below 1 is good; null where it is neither.</summary>
    public bool? IsBetter(bool isMore) =>
        Polarity == Polarity.Neither ? null : isMore == (Polarity == Polarity.HigherIsBetter);
}
