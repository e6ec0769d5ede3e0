namespace Millrace.Lab.Results;

/// <summary>A method with one set of parameters.</summary>
internal sealed record CaseResult
{
    /// <summary>The method.</summary>
    public required string Method { get; init; }

    /// <summary>Whether ratios are against it.</summary>
    public bool Baseline { get; init; }

    /// <summary>"noise" for the second copy of a baseline; otherwise absent.</summary>
    public string? Role { get; init; }

    /// <summary>Whether every sample began in the state that the parameters state.</summary>
    public bool Verified { get; init; }

    /// <summary>Why not.</summary>
    public string? UnverifiedReason { get; init; }

    /// <summary>Why the case failed; absent when it did not.</summary>
    public string? Error { get; init; }

    /// <summary>The parameters.</summary>
    public required CaseParameters Parameters { get; init; }

    /// <summary>What a method with a choice did.</summary>
    public string? Strategy { get; init; }

    /// <summary>Why it chose that.</summary>
    public string? StrategyReason { get; init; }

    /// <summary>Every invocation; absent when the case failed.</summary>
    public CaseSamples? Samples { get; init; }

    /// <summary>What they come to; absent when the case failed or has too few samples.</summary>
    public CaseSummary? Summary { get; init; }

    /// <summary>How the case compares with the baseline of the same parameters, by metric; absent for the baseline.</summary>
    public IReadOnlyList<VerdictResult>? Verdicts { get; init; }

    /// <summary>Meters that have no number here, with the reason.</summary>
    public IReadOnlyDictionary<string, string>? Unavailable { get; init; }
}
