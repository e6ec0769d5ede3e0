using Millrace.Lab.Comparing;

namespace Millrace.Lab.Cli;

/// <summary>What the user asks `lab compare` for.</summary>
internal sealed record CompareArguments
{
    /// <summary>Paths, the reference first.</summary>
    public required IReadOnlyList<string> Runs { get; init; }

    /// <summary>By what; null decides by the machines.</summary>
    public ComparisonBasis? By { get; init; }

    /// <summary>Path of a stored null run.</summary>
    public string? NullRun { get; init; }

    /// <summary>Names of metrics to show in full.</summary>
    public IReadOnlyList<string> Metrics { get; init; } = [];

    /// <summary>Globs.</summary>
    public IReadOnlyList<string> Filters { get; init; } = [];

    /// <summary>Whether to write JSON.</summary>
    public bool Json { get; init; }
}
