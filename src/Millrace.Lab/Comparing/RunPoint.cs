namespace Millrace.Lab.Comparing;

/// <summary>A run in a history.</summary>
internal sealed record RunPoint
{
    /// <summary>Its file.</summary>
    public required string Path { get; init; }

    /// <summary>Its suite.</summary>
    public required string Suite { get; init; }

    /// <summary>When it began.</summary>
    public required DateTimeOffset Started { get; init; }

    /// <summary>"quick" or "full".</summary>
    public required string Mode { get; init; }

    /// <summary>The version of Millrace that ran.</summary>
    public required string Millrace { get; init; }

    /// <summary>How many processes measured.</summary>
    public required int Launches { get; init; }

    /// <summary>Its result in a sentence.</summary>
    public string? Finding { get; init; }

    /// <summary>How many cases have each verdict against the run before; empty for the first.</summary>
    public IReadOnlyDictionary<string, int> Verdicts { get; init; } = new Dictionary<string, int>();

    /// <summary>Why it cannot be compared with the run before; null when it can, or there is none.</summary>
    public string? NotCompared { get; init; }
}
