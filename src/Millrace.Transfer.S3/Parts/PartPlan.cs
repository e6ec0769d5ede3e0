namespace Millrace.Transfer.S3;

/// <summary>How large the parts of a file are: all alike if its length is known, otherwise larger after every thousand.</summary>
/// <param name="fixedBytes">Bytes of every part; null to let them grow.</param>
/// <param name="maxBytes">Bytes of the largest part.</param>
internal sealed class PartPlan(long? fixedBytes, long maxBytes)
{
    /// <summary>Parts of one multipart upload.</summary>
    public const int MaxParts = 10_000;

    private const long Step = 1L << 20;

    /// <summary>Bytes of every part; null if they grow.</summary>
    public long? FixedBytes => fixedBytes;

    /// <summary>Chooses the size for a file.</summary>
    /// <param name="length">Its length; null if it is not known.</param>
    /// <param name="options">The options of the store.</param>
    public static PartPlan For(long? length, S3FileStoreOptions options) => new(
        options.PartBytes ?? (length is { } known ? Math.Max(S3FileStoreOptions.DefaultPartBytes, RoundUp(known / MaxParts + 1)) : null),
        MaxPartBytes(options));

    /// <summary>The largest part: one is received while another is sent.</summary>
    public static long MaxPartBytes(S3FileStoreOptions options) =>
        options.PartBytes ?? Math.Max(S3FileStoreOptions.DefaultPartBytes, Math.Min(options.MemoryBytes / 2 / Step * Step, 5L << 30));

    /// <summary>Bytes of a part.</summary>
    /// <param name="number">From 1.</param>
    public long SizeOf(int number) =>
        fixedBytes ?? Math.Min(S3FileStoreOptions.DefaultPartBytes << Math.Min((number - 1) / 1000, 16), maxBytes);

    private static long RoundUp(long bytes) => (bytes + Step - 1) / Step * Step;
}
