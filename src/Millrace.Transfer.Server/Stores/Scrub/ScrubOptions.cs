namespace Millrace.Transfer.Server;

/// <summary>How a <see cref="StoreScrub"/> reads a store.</summary>
public sealed class ScrubOptions
{
    /// <summary>
    /// The time in which a background scrub reads the whole store once, at an even rate between 256 KiB and 64 MiB per second. A small store is
    /// finished early, and read again when the time is over; a very large one takes longer.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Zero or negative.</exception>
    public TimeSpan Period
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(value, TimeSpan.Zero);
            field = value;
        }
    } = TimeSpan.FromDays(30);

    /// <summary>Bytes per second at most for <see cref="StoreScrub.RunAsync"/>; null without a limit.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Zero or negative.</exception>
    public long? MaxBytesPerSecond
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value ?? 1, 1, nameof(value));
            field = value;
        }
    }

    /// <summary>Receives the state after each file, and every few MiB of a large one, on the thread that reads.</summary>
    public IProgress<ScrubStatus>? Progress { get; set; }

    /// <summary>Takes an error for each damaged file, and a line for each pass; null for no log.</summary>
    public ILogger? Logger { get; set; }

    /// <summary>The clock.</summary>
    public TimeProvider TimeProvider { get; set; } = TimeProvider.System;
}

/// <summary>The position and the findings of a scrub.</summary>
public sealed record ScrubStatus
{
    /// <summary>When the current or interrupted pass began; null if there is none.</summary>
    public DateTimeOffset? Started { get; init; }

    /// <summary>When the last whole pass ended; null if none has.</summary>
    public DateTimeOffset? Completed { get; init; }

    /// <summary>Files that this pass, or else the last one, has read.</summary>
    public long Files { get; init; }

    /// <summary>Bytes of these files.</summary>
    public long Bytes { get; init; }

    /// <summary>Bytes of all files when the pass began.</summary>
    public long TotalBytes { get; init; }

    /// <summary>Files of the pass that could not be compared: the process may not open them, or they change all the time.</summary>
    public long Skipped { get; init; }

    /// <summary>
    /// Files that are damaged now, at most 1,000. A file that is replaced or deleted leaves the list within minutes.
    /// </summary>
    public IReadOnlyList<DamagedFile> Damaged { get; init; } = [];
}

/// <summary>A file whose bytes have changed although its date, size and identity have not.</summary>
public sealed record DamagedFile
{
    /// <summary>Its name.</summary>
    public required string Name { get; init; }

    /// <summary>The tag of the damaged version.</summary>
    public required string Tag { get; init; }

    /// <summary>Its bytes.</summary>
    public long Length { get; init; }

    /// <summary>The SHA-256 that was kept for the version, as hexadecimal digits; null if none was.</summary>
    public string? Sha256 { get; init; }

    /// <summary>The SHA-256 of the bytes that were read; null if the device did not return them.</summary>
    public string? FoundSha256 { get; init; }

    /// <summary>The error of the device; null if it returned bytes.</summary>
    public string? Reason { get; init; }

    /// <summary>When it was found.</summary>
    public DateTimeOffset Found { get; init; }
}
