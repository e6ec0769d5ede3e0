namespace Millrace.Transfer.Server;

/// <summary>How a <see cref="LocalFileStore"/> keeps files.</summary>
public sealed record LocalFileStoreOptions
{
    /// <summary>Default of <see cref="UploadLifetime"/>, in hours.</summary>
    /// <remarks>Over a night, and a day on which nobody looked.</remarks>
    public const int DefaultUploadLifetimeHours = 24;

    /// <summary>Default of <see cref="FreeSpaceToLeave"/>, in bytes: 64 MiB.</summary>
    /// <remarks>What else is on the device must be able to go on: logs, the system's own files.</remarks>
    public const long DefaultFreeSpaceToLeave = 64L * 1024 * 1024;

    /// <summary>Default of <see cref="CheapDigestBytes"/>: 64 MiB.</summary>
    /// <remarks>Less than a tenth of a second where SHA-256 runs at 1 GB/s.</remarks>
    public const long DefaultCheapDigestBytes = 64L * 1024 * 1024;

    /// <summary>Bytes that one file may have; null without a limit.</summary>
    public long? MaxFileBytes { get; init; }

    /// <summary>Bytes that all files and uploads may have together; null without a limit.</summary>
    public long? MaxTotalBytes { get; init; }

    /// <summary>Bytes of the device that stay free.</summary>
    public long FreeSpaceToLeave { get; init; } = DefaultFreeSpaceToLeave;

    /// <summary>How long an upload is kept that nobody continues.</summary>
    public TimeSpan UploadLifetime { get; init; } = TimeSpan.FromHours(DefaultUploadLifetimeHours);

    /// <summary>Up to what size <see cref="DigestNeed.IfCheap"/> reads a file.</summary>
    public long CheapDigestBytes { get; init; } = DefaultCheapDigestBytes;

    /// <summary>What a published file has to survive; <see cref="Durability.OnCommit"/> by default.</summary>
    public Durability Durability { get; init; } = Durability.OnCommit;

    /// <summary>
    /// Whether a file's SHA-256 is computed while it arrives. True by default; false leaves it to whoever asks for it first.
    /// </summary>
    public bool ComputeSha256 { get; init; } = true;

    /// <summary>The clock by which uploads expire.</summary>
    public TimeProvider Clock { get; init; } = TimeProvider.System;

    /// <summary>Whether only the framework's own calls are used, and none of Linux's.</summary>
    public bool Portable { get; init; }
}
