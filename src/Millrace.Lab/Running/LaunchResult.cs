using Millrace.Lab.Results;

namespace Millrace.Lab.Running;

/// <summary>What one process measured.</summary>
internal sealed record LaunchResult
{
    /// <summary>The process.</summary>
    public required LaunchFacts Facts { get; init; }

    /// <summary>How its warm-up went, and what measured.</summary>
    public required EngineFacts Engine { get; init; }

    /// <summary>The cases, without summaries.</summary>
    public required IReadOnlyList<LaunchCase> Cases { get; init; }

    /// <summary>Cases that it could not measure.</summary>
    public IReadOnlyList<AbsentCases> Absent { get; init; } = [];

    /// <summary>Where each meter's numbers come from.</summary>
    public IReadOnlyDictionary<string, string> Meters { get; init; } = new Dictionary<string, string>();

    /// <summary>Meters that this system lacks, with the reason.</summary>
    public IReadOnlyDictionary<string, string> Unavailable { get; init; } = new Dictionary<string, string>();

    /// <summary>What the meters cost; empty when that was not asked for.</summary>
    public IReadOnlyList<MeterCost> MeterCosts { get; init; } = [];

    /// <summary>Whether something was left out because the run had to end.</summary>
    public bool Cut { get; init; }
}
