using Millrace.Lab.Data;
using Millrace.Lab.Suites.Files;

namespace Millrace.Lab.Running;

/// <summary>What one process has to measure.</summary>
internal sealed record LaunchRequest
{
    /// <summary>The suite's name.</summary>
    public required string Suite { get; init; }

    /// <summary>What the user asked for.</summary>
    public required LabOptions Options { get; init; }

    /// <summary>The files, inspected once for all processes.</summary>
    public required IReadOnlyList<TestFile> Inputs { get; init; }

    /// <summary>Where a server has them; null without one.</summary>
    public Uri? Server { get; init; }

    /// <summary>Which of the processes this is, from 0.</summary>
    public required int Index { get; init; }

    /// <summary>How many there are.</summary>
    public required int Count { get; init; }

    /// <summary>The seed of the shuffled order.</summary>
    public required int Seed { get; init; }

    /// <summary>After which nothing new begins; null for as long as it takes.</summary>
    public TimeSpan? Limit { get; init; }

    /// <summary>What follows it is expected to take this long; for the estimate of the time left.</summary>
    public TimeSpan After { get; init; }

    /// <summary>Whether it makes the passes after the rounds, too, and measures what the meters cost.</summary>
    public bool WithPasses { get; init; }
}
