namespace Millrace.Lab.Results;

/// <summary>The content of results.json, schema millrace.results/1; docs/results-schema.md describes every field.</summary>
/// <remarks>The serializer sets a list that is absent, as in an older file, to null: such a list is an empty one.</remarks>
internal sealed record LabResults
{
    /// <summary>The schema that this version writes.</summary>
    public const string CurrentSchema = "millrace.results/1";

    /// <summary>"millrace.results/1".</summary>
    public required string Schema { get; init; }

    /// <summary>The suite, for example "files".</summary>
    public required string Suite { get; init; }

    /// <summary>"quick" or "full".</summary>
    public required string Mode { get; init; }

    /// <summary>"null" when every method was measured against itself; absent otherwise.</summary>
    public string? Purpose { get; init; }

    /// <summary>The command line.</summary>
    public required string Command { get; init; }

    /// <summary>When the run began, UTC.</summary>
    public required DateTimeOffset Started { get; init; }

    /// <summary>How long it took.</summary>
    public required double DurationSeconds { get; init; }

    /// <summary>Whether the user or the time limit ended it before it was complete.</summary>
    public bool Interrupted { get; init; }

    /// <summary>The seed of the shuffled order.</summary>
    public required int Seed { get; init; }

    /// <summary>What ran the cases.</summary>
    public required EngineFacts Engine { get; init; }

    /// <summary>Where it ran.</summary>
    public required MachineFacts Machine { get; init; }

    /// <summary>Where each meter's numbers come from, by its name.</summary>
    public required IReadOnlyDictionary<string, string> Meters { get; init; }

    /// <summary>The processes that measured, one after the other.</summary>
    public IReadOnlyList<LaunchFacts> Launches { get; init => field = value ?? []; } = [];

    /// <summary>What the meters themselves cost on this machine.</summary>
    public IReadOnlyList<MeterCost> MeterCosts { get; init => field = value ?? []; } = [];

    /// <summary>Cases that were planned and are absent, with the reason.</summary>
    public IReadOnlyList<AbsentCases> Absent { get; init => field = value ?? []; } = [];

    /// <summary>What the user should know about the run, for example that the build was not optimised.</summary>
    public IReadOnlyList<string> Warnings { get; init => field = value ?? []; } = [];

    /// <summary>How much the baseline differs from itself, per group of parameters.</summary>
    public IReadOnlyList<NoiseResult> Noise { get; init => field = value ?? []; } = [];

    /// <summary>What the suite states as its aims, and whether this run reached them.</summary>
    public IReadOnlyList<BarResult> Bars { get; init => field = value ?? []; } = [];

    /// <summary>The result in a sentence.</summary>
    public string? Finding { get; init; }

    /// <summary>All cases.</summary>
    public required IReadOnlyList<CaseResult> Cases { get; init; }
}
