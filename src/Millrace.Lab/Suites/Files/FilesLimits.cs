using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Files;

/// <summary>How long the parts of the suite may take.</summary>
internal sealed record FilesLimits : SuiteLimits
{
    /// <summary>Length of the file that the warm-up reads.</summary>
    public long WarmUpBytes { get; init; } = FilesPlan.SmallSize;

    /// <summary>Rounds of a group of hot cases in one launch.</summary>
    public required RunLimits Hot { get; init; }

    /// <summary>Rounds of cold cases in one launch.</summary>
    public required RunLimits Cold { get; init; }

    /// <summary>
    /// Three minutes in all, of which some are needed for files, three warm-ups, and the passes after the rounds. Two
    /// processors of 2024 need about a second per hot round.
    /// </summary>
    public static FilesLimits Quick { get; } = new()
    {
        Total = TimeSpan.FromSeconds(170),
        Hot = new RunLimits { MinimumRounds = 5, MaximumRounds = 20, Time = TimeSpan.FromSeconds(21) },
        Cold = new RunLimits { MinimumRounds = 5, MaximumRounds = 7, Time = TimeSpan.FromSeconds(8) },
    };

    /// <summary>As long as enough samples take: half an hour where a quick run takes two minutes.</summary>
    public static FilesLimits Full { get; } = new()
    {
        Hot = new RunLimits { MinimumRounds = 10, MaximumRounds = 20, Time = TimeSpan.FromSeconds(150) },
        Cold = new RunLimits { MinimumRounds = 5, MaximumRounds = 10, Time = TimeSpan.FromMinutes(3) },
    };
}
