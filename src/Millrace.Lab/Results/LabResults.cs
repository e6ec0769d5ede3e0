using System.Text.Json.Serialization;

namespace Millrace.Lab.Results;

/// <summary>The content of results.json, schema millrace.results/1; docs/results-schema.md describes every field.</summary>
/// <remarks>The serializer sets a list that is absent, as in an older file, to null: such a list is an empty one.</remarks>
internal sealed record LabResults
{
    public const string CurrentSchema = "millrace.results/1";

    public required string Schema { get; init; }
    public required string Suite { get; init; }
    public required string Mode { get; init; }
    public string? Purpose { get; init; }
    public required string Command { get; init; }
    public required DateTimeOffset Started { get; init; }
    public required double DurationSeconds { get; init; }
    public bool Interrupted { get; init; }
    public required int Seed { get; init; }
    public required EngineFacts Engine { get; init; }
    public required MachineFacts Machine { get; init; }
    public required IReadOnlyDictionary<string, string> Meters { get; init; }
    public IReadOnlyList<LaunchFacts> Launches { get; init => field = value ?? []; } = [];
    public IReadOnlyList<MeterCost> MeterCosts { get; init => field = value ?? []; } = [];
    public IReadOnlyList<AbsentCases> Absent { get; init => field = value ?? []; } = [];
    public IReadOnlyList<string> Warnings { get; init => field = value ?? []; } = [];
    public IReadOnlyList<NoiseResult> Noise { get; init => field = value ?? []; } = [];
    [JsonPropertyName("bars")]
    public IReadOnlyList<TargetResult> Targets { get; init => field = value ?? []; } = [];
    public string? Finding { get; init; }

    /// <summary>Whether the command line asked the run to fail under its targets (--fail-under).</summary>
    public bool FailsUnderTargets() => Command.Split(' ').Contains("--fail-under");
    public required IReadOnlyList<CaseResult> Cases { get; init; }
}

internal sealed record EngineFacts
{
    public required string Name { get; init; }
    public required string Millrace { get; init; }
    public required string Build { get; init; }
    public int WarmUpPhases { get; init; }
    public int WarmUpCalls { get; init; }
    public bool CompilerQuiet { get; init; }

    /// <summary>Settings of the runtime that the environment changes from their defaults.</summary>
    /// <remarks>Fields that an older file lacks are null.</remarks>
    public IReadOnlyDictionary<string, string> RuntimeSettings { get; init => field = value ?? None; } = None;

    private static IReadOnlyDictionary<string, string> None { get; } = new Dictionary<string, string>();
}

internal sealed record LaunchFacts
{
    /// <summary>Its index; <see cref="CaseSamples.Launch"/> refers to it.</summary>
    public required int Index { get; init; }
    public required DateTimeOffset Started { get; init; }
    public required double DurationSeconds { get; init; }
    public required int Seed { get; init; }
    public int HotRounds { get; init; }
    public int ColdRounds { get; init; }
    public bool CompilerQuiet { get; init; }
    public double? LoadAverage { get; init; }

    /// <summary>The part of all processors' time that other processes used while the laboratory measured, if known.</summary>
    public double? OthersShare { get; init; }
}

internal sealed record MeterCost(string Meter, double Nanoseconds, string Per, string Where);

internal sealed record AbsentCases(string What, string Reason);

internal sealed record NoiseResult
{
    public required string Method { get; init; }
    public required CaseParameters Parameters { get; init; }
    public required double MedianRatio { get; init; }
    public required double Ratio { get; init; }
    public required double RatioStdDev { get; init; }
    public required double Deviation { get; init; }
}

internal sealed record TargetResult
{
    public required string Figure { get; init; }
    public required string Limit { get; init; }
    public required string Measured { get; init; }
    public bool? Met { get; init; }
}
