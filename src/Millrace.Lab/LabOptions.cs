namespace Millrace.Lab;

internal sealed record LabOptions
{
    /// <summary>The default of <see cref="OutputFolder"/>, under the current folder.</summary>
    public const string DefaultOutputFolder = "results/latest";

    public LabMode Mode { get; init; } = LabMode.Quick;

    /// <summary>How many processes measure, one after the other; null for the suite's own number. At least 1.</summary>
    public int? Launches { get; init; }

    /// <summary>Measure every method against itself, to see which differences are noise on this machine.</summary>
    public bool AgainstItself { get; init; }

    /// <summary>A file of the user's own to measure; null measures generated ones.</summary>
    public string? FilePath { get; init; }
    public string OutputFolder { get; init; } = DefaultOutputFolder;

    /// <summary>Where generated files are kept; null for the user's cache folder.</summary>
    public string? DataFolder { get; init; }

    /// <summary>The bucket for the suite that uses one; null for none.</summary>
    public LabBucket? Bucket { get; init; }

    /// <summary>Globs of methods or of whole cases; none selects all.</summary>
    public IReadOnlyList<string> Filters { get; init; } = [];

    /// <summary>"busy" measures only while other work keeps every processor busy, "none" only without; null both, in full mode.</summary>
    public string? Load { get; init; }

    /// <summary>The seed of the shuffled order; null chooses one, which results record.</summary>
    public int? Seed { get; init; }
    public string Command { get; init; } = "";
}

public enum LabMode
{
    Quick,

    /// <summary>Every method with every parameter, as long as it takes.</summary>
    Full,
}

/// <summary>What results call a machine that other work keeps busy.</summary>
internal static class CaseLoad
{
    public const string Busy = "busy";
    public const string None = "none";
}
