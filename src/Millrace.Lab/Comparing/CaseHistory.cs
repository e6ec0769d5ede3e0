
namespace Millrace.Lab.Comparing;

/// <summary>A case over stored runs of one machine.</summary>
internal sealed record CaseHistory
{
    /// <summary>The suite.</summary>
    public required string Suite { get; init; }

    /// <summary>The method.</summary>
    public required string Method { get; init; }

    /// <summary>Its parameters.</summary>
    public required CaseParameters Parameters { get; init; }

    /// <summary>The metric.</summary>
    public required string Metric { get; init; }

    /// <summary>One per run that has the case, the oldest first.</summary>
    public required IReadOnlyList<CasePoint> Points { get; init; }
}
