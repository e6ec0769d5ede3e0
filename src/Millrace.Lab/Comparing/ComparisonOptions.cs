
namespace Millrace.Lab.Comparing;

/// <summary>How runs are to be compared.</summary>
internal readonly record struct ComparisonOptions
{
    /// <summary>The usual way.</summary>
    public ComparisonOptions()
    {
    }

    /// <summary>By what to compare; null decides by whether the machine is the same.</summary>
    public ComparisonBasis? By { get; init; }

    /// <summary>Metrics besides time.</summary>
    public IReadOnlyList<MetricKind> Metrics { get; init; } = [];

    /// <summary>Globs that select cases, as in `lab files`; all when empty.</summary>
    public IReadOnlyList<string> Filters { get; init; } = [];

    /// <summary>A run that measured every method against itself, on the same machine; its noise counts, too.</summary>
    public LabResults? NullRun { get; init; }
}
