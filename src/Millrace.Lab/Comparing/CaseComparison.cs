
namespace Millrace.Lab.Comparing;

/// <summary>A case in two runs.</summary>
internal sealed record CaseComparison
{
    /// <summary>The method.</summary>
    public required string Method { get; init; }

    /// <summary>As in results.json.</summary>
    public string? Role { get; init; }

    /// <summary>Its parameters.</summary>
    public required CaseParameters Parameters { get; init; }

    /// <summary>The reference's median time in nanoseconds, as measured.</summary>
    public double? ReferenceNs { get; init; }

    /// <summary>The other run's.</summary>
    public double? OtherNs { get; init; }

    /// <summary>The method's place among those with the same parameters in the reference, by median time; 1 is the fastest.</summary>
    public int? ReferenceRank { get; init; }

    /// <summary>Its place in the other run.</summary>
    public int? OtherRank { get; init; }

    /// <summary>The verdict on time, which the exit code follows.</summary>
    public required VerdictResult Verdict { get; init; }

    /// <summary>The verdict on the ratio to the baseline of the same run, as a check; absent for the baseline.</summary>
    public VerdictResult? AgainstBaseline { get; init; }

    /// <summary>Verdicts on other metrics, where both runs have them.</summary>
    public IReadOnlyList<VerdictResult> Others { get; init; } = [];
}
