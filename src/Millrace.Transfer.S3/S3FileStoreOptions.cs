namespace Millrace.Transfer.S3;

/// <summary>Where and how an <see cref="S3FileStore"/> keeps files. Set before the store is created.</summary>
public sealed class S3FileStoreOptions
{
    /// <summary>The smallest part that S3 accepts, except for the last one of a file.</summary>
    internal const long MinPartBytes = 5L << 20;

    /// <summary>Default of a part; see <see cref="PartBytes"/>.</summary>
    /// <remarks>Four of them in flight fill a link of 10 Gbit/s to a bucket in the same region, and take 32 MiB.</remarks>
    internal const long DefaultPartBytes = 8L << 20;

    /// <summary>Default of <see cref="MemoryBytes"/>.</summary>
    /// <remarks>32 parts: eight uploads at full speed, or more of them at the speed of the bucket.</remarks>
    internal const long DefaultMemoryBytes = 256L << 20;

    /// <summary>Maximum and default of <see cref="RedirectLifetime"/>.</summary>
    internal static readonly TimeSpan MaxRedirectLifetime = TimeSpan.FromMinutes(5);

    /// <summary>The bucket, which exists.</summary>
    public required string Bucket { get; init; }

    /// <summary>The names that the store takes and lists; all valid ones by default, portable ones if this server runs on Windows.</summary>
    public AllowedNames Names { get; set; } = NameChoice.Default;

    /// <summary>The prefix of the keys of files, before a slash; a valid <see cref="TransferName"/>, or empty for the whole bucket.</summary>
    public string Prefix { get; set; } = "";

    /// <summary>
    /// The client, which stays yours; null to have the store create one from <see cref="Endpoint"/>, <see cref="Region"/> and
    /// <see cref="PathStyle"/>, with the credentials that the SDK finds (environment, profile, instance role).
    /// </summary>
    /// <remarks>
    /// Set <c>RequestChecksumCalculation</c> and <c>ResponseChecksumValidation</c> to <c>WHEN_REQUIRED</c> for services other than
    /// AWS, and <c>HttpClientFactory</c> to an <see cref="S3HttpClientFactory"/>: without it, a request that is cancelled can hold another
    /// one up.
    /// </remarks>
    public IAmazonS3? Client { get; set; }

    /// <summary>The address of the service, http or https; null for AWS.</summary>
    public Uri? Endpoint { get; set; }

    /// <summary>The region; null for the SDK's choice, or us-east-1 with an <see cref="Endpoint"/>.</summary>
    public string? Region { get; set; }

    /// <summary>Whether the bucket is in the path of URLs instead of the host's name.</summary>
    public bool PathStyle { get; set; }

    /// <summary>
    /// Bytes of every part of a multipart upload, 5 MiB to 5 GiB in whole MiB; null for 8 MiB, or more where a file would have more than
    /// 10,000 parts. Without it, parts grow during an upload whose length is unknown, which some services refuse.
    /// </summary>
    public long? PartBytes
    {
        get;
        set => field = value is null || (value is >= MinPartBytes and <= 5L << 30 && value % (1L << 20) == 0)
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "A part has 5 MiB to 5 GiB, in whole MiB.");
    }

    /// <summary>
    /// Bytes of memory for all parts that are received or sent, 16 MiB or more; writers wait for it. A part has at most half of it.
    /// </summary>
    public long MemoryBytes
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 16L << 20);
            field = value;
        }
    } = DefaultMemoryBytes;

    /// <summary>Whether clients that ask for it (<c>Prefer: redirect</c>) are sent to the bucket by presigned URLs.</summary>
    public bool Redirects { get; set; }

    /// <summary>How long a presigned URL is valid: up to 5 minutes, the default.</summary>
    public TimeSpan RedirectLifetime
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, TimeSpan.FromSeconds(1));
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, MaxRedirectLifetime);
            field = value;
        }
    } = MaxRedirectLifetime;

    /// <summary>Bytes that one file may have; null without a limit. 10,000 parts is a limit as well.</summary>
    public long? MaxFileBytes { get; set; }

    /// <summary>Bytes that all files and uploads below <see cref="Prefix"/> may have together; null without a limit.</summary>
    /// <remarks>Each server counts the bucket at its start and at every upkeep, and between these only its own writes.</remarks>
    public long? MaxTotalBytes { get; set; }

    /// <summary>How long an upload that no client continues is kept.</summary>
    /// <remarks>Longer than a night, or a day without attention.</remarks>
    public TimeSpan UploadLifetime { get; set; } = TimeSpan.FromHours(24);

    /// <summary>How long an upload that received no bytes is kept.</summary>
    public TimeSpan EmptyUploadLifetime { get; set; } = TimeSpan.FromMinutes(10);

    /// <summary>Unfinished uploads that each <see cref="StartUploadOptions.Caller"/> may have; 1 or more.</summary>
    /// <remarks>Each server counts those of others at every upkeep.</remarks>
    public int MaxUploadsPerCaller { get; set => field = Positive(value); } = 1000;

    /// <summary>Unfinished uploads of all callers; 1 or more.</summary>
    public int MaxUploads { get; set => field = Positive(value); } = 4000;

    /// <summary>How long deleted and replaced files are kept in the trash; null to keep none. The same for all servers of a bucket.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Zero or negative.</exception>
    public TimeSpan? TrashLifetime
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(value ?? TimeSpan.MaxValue, TimeSpan.Zero, nameof(value));
            field = value;
        }
    }

    /// <summary>Maximum bytes in the trash; each upkeep deletes the oldest entries above that. Null for no separate limit.</summary>
    public long? MaxTrashBytes { get; set; }

    /// <summary>Up to what size <see cref="DigestNeed.IfCheap"/> reads a file.</summary>
    public long CheapDigestBytes { get; set; } = 64L << 20;

    /// <summary>The clock of the upkeep. Ages are measured with the times that the bucket gives to objects.</summary>
    public TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    private static int Positive(int value)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(value);
        return value;
    }
}
