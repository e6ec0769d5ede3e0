using Millrace.Lab.Comparing;

namespace Millrace.Lab.Cli;

/// <summary>What the user asks `lab compare` for.</summary>
internal sealed record CompareArguments
{
    public required IReadOnlyList<string> Runs { get; init; }
    public ComparisonBasis? By { get; init; }
    public string? NullRun { get; init; }
    public IReadOnlyList<string> Metrics { get; init; } = [];
    public IReadOnlyList<string> Filters { get; init; } = [];
    public bool Json { get; init; }
}
