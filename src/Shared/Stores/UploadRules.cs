using System.Text;

namespace Millrace.Transfer.Server;

/// <summary>What every store decides about uploads in the same way.</summary>
internal static class UploadRules
{
    /// <summary>How long a request waits for the one from which it takes over an upload.</summary>
    /// <remarks>The other one only has to finish a write; a device that takes longer is broken.</remarks>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    /// <summary>How long after a store was opened expired uploads wait for events to be turned on.</summary>
    /// <remarks>That takes a few requests to a bucket. Until then, the uploads are invisible and use their space.</remarks>
    private static readonly TimeSpan ReceiverPatience = TimeSpan.FromMinutes(1);

    /// <summary>Longest <see cref="StartUploadOptions.Metadata"/>, in bytes of UTF-8.</summary>
    private const int MaxMetadataBytes = 4096;

    /// <summary>How often expired uploads are searched for; more often if they live shorter.</summary>
    /// <remarks>An expired upload is invisible meanwhile; only its space is used a little longer.</remarks>
    private static readonly TimeSpan LongestPeriod = TimeSpan.FromMinutes(10);

    private static readonly TimeSpan ShortestPeriod = TimeSpan.FromSeconds(1);

    /// <summary>The time between two searches for expired uploads.</summary>
    public static TimeSpan Period(TimeSpan lifetime, TimeSpan emptyLifetime)
    {
        TimeSpan period = (lifetime < emptyLifetime ? lifetime : emptyLifetime) / 4;
        return period > LongestPeriod ? LongestPeriod : period < ShortestPeriod ? ShortestPeriod : period;
    }

    /// <summary>When an upload is deleted. A request without bytes does not keep an upload that has none.</summary>
    /// <param name="hasBytes">Whether a byte of it was received, or none is needed.</param>
    /// <param name="started">When it was started.</param>
    /// <param name="touched">When a request last started or continued it.</param>
    /// <param name="lifetime">How long it is kept.</param>
    /// <param name="emptyLifetime">How long it is kept without bytes.</param>
    public static DateTimeOffset Expires(
        bool hasBytes, DateTimeOffset started, DateTimeOffset touched, TimeSpan lifetime, TimeSpan emptyLifetime) =>
        hasBytes || emptyLifetime > lifetime ? touched + lifetime : started + emptyLifetime;

    /// <summary>
    /// Whether an upload that has expired while no server ran waits for <see cref="IUploadStore.Expiring"/>, which is set after the store was opened
    /// and reports the end of an upload whose start was reported.
    /// </summary>
    /// <param name="upload">The upload.</param>
    /// <param name="expiring">Reports expired uploads; null for nothing.</param>
    /// <param name="isOpenFor">The time since the store was opened.</param>
    public static bool AwaitsReport(UploadTerms upload, UploadExpiry? expiring, TimeSpan isOpenFor) =>
        upload.IsReported && expiring is null && isOpenFor < ReceiverPatience;

    /// <summary>
    /// Whether the bytes of an upload that was refused for lack of room keep another one from its end: without that, two uploads that do not both
    /// fit could refuse each other until they expire. The one that is further goes on.
    /// </summary>
    /// <param name="refused">The upload.</param>
    /// <param name="others">The unfinished uploads; it may be one of them.</param>
    /// <param name="free">Bytes that the store may still have.</param>
    public static bool IsInTheWay(UploadStatus refused, IReadOnlyCollection<UploadStatus> others, long free)
    {
        return refused.Offset > 0 && others.Any(other =>
            NeedsRoom(other) && IsBefore(other, refused)
            && other.Length - other.Offset is { } missing && missing > free
            && missing <= free + others.Where(one => NeedsRoom(one) && IsBefore(other, one)).Sum(static one => one.Offset));

        // One with all its bytes never gives way, and one that is joined of parts has its room.
        static bool NeedsRoom(UploadStatus one) => one is { Published: null, Parts: null, IsComplete: false };

        static bool IsBefore(UploadStatus one, UploadStatus other) => one.Offset == other.Offset
            ? string.CompareOrdinal(one.Id.Value, other.Id.Value) < 0
            : one.Offset > other.Offset;
    }

    /// <summary>Checks a client's options at the start, apart from the limits of the store.</summary>
    /// <param name="options">The client's options.</param>
    /// <param name="length">The length, or that of all parts; 0 if it is not known.</param>
    public static void ThrowIfNotStartable(StartUploadOptions options, long length)
    {
        if (options.Metadata is { } metadata && Encoding.UTF8.GetByteCount(metadata) > MaxMetadataBytes)
        {
            throw Errors.Invalid($"The metadata of an upload may have {MaxMetadataBytes} bytes. Send less.");
        }

        ArgumentOutOfRangeException.ThrowIfNegative(length, nameof(options));
    }

    /// <exception cref="TransferException"><see cref="TransferError.UploadComplete"/>, <see cref="TransferError.OffsetMismatch"/>.</exception>
    public static void ThrowIfNotAppendable(UploadStatus status, long offset)
    {
        if (status.Published is not null || status.IsComplete)
        {
            throw Errors.AlreadyComplete(status.Id, status.Offset);
        }

        if (status.Offset != offset)
        {
            throw Errors.WrongOffset(status.Id, $"the request would continue it at {offset}", status.Offset);
        }
    }

    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>: another length was set, or there are more bytes.</exception>
    public static void ThrowIfOtherLength(UploadStatus status, long length)
    {
        if ((status.Length ?? length) != length || status.Offset > length)
        {
            throw new TransferException(
                TransferError.InvalidRequest,
                status.Length is { } known
                    ? $"The upload '{status.Id}' cannot have {length} bytes: its length was already set to {known}."
                    : $"The upload '{status.Id}' cannot have {length} bytes: {status.Offset} are there already.")
            {
                Offset = status.Offset,
            };
        }
    }

    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>: it lacks bytes, or a name.</exception>
    public static void ThrowIfUnfinished(UploadStatus status)
    {
        if (status.IsPartial || !status.IsComplete)
        {
            throw new TransferException(
                TransferError.InvalidRequest,
                status.IsPartial
                    ? $"The upload '{status.Id}' is only a part of others and has no name. Join it to one that has."
                    : status.Length is { } length
                        ? $"The upload '{status.Id}' has {status.Offset} of {length} bytes. Send the rest, then complete it."
                        : $"The length of the upload '{status.Id}' is not known. Set it, then complete the upload.")
            {
                Offset = status.Offset,
            };
        }
    }

    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>: it has a name, or lacks bytes.</exception>
    public static void ThrowIfNotJoinable(UploadStatus status)
    {
        if (!status.IsPartial || !status.IsComplete)
        {
            throw Errors.Invalid($"The upload '{status.Id}' is not a finished part. Finish it, then join it.");
        }
    }

    /// <summary>Finds the digest that an upload must have and does not: that of the last request, or that of the first.</summary>
    /// <returns>Null if it has the digests that were given.</returns>
    public static TransferException? FindMismatch(UploadStatus status, Sha256Digest? expected, Sha256Digest? actual)
    {
        Sha256Digest? wrong = expected is not null && expected != actual ? expected
            : status.Expected is not null && status.Expected != actual ? status.Expected
            : null;
        return wrong is { } wanted ? Errors.WrongDigest(status.Name, wanted, actual) : null;
    }
}
