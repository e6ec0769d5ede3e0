namespace Millrace.Transfer.Server;

/// <summary>The state file of an upload.</summary>
internal sealed record UploadRecord : UploadTerms
{
    /// <summary>The version of this form; others are not understood.</summary>
    public const int CurrentVersion = 1;

    public int Version { get; init; } = CurrentVersion;

    public IReadOnlyList<string>? Parts { get; init; }

    /// <summary>Bytes that were verified; a restart cuts the rest. Null when all bytes count.</summary>
    public long? Verified { get; init; }

    /// <summary>The file that the upload is about to become: if its bytes are gone, it has become it.</summary>
    public PublishedRecord? Published { get; init; }

    /// <summary>Whether <see cref="Published"/> has happened.</summary>
    public bool IsPublished { get; init; }
}

/// <param name="Length">Bytes.</param>
/// <param name="Modified">Nanoseconds since 1970, by which a restart finds the file.</param>
/// <param name="Tag">Empty until the file was renamed.</param>
/// <param name="Sha256">Hexadecimal; null when it was not computed.</param>
internal sealed record PublishedRecord(long Length, long Modified, string Tag, string? Sha256)
{
    /// <param name="name">Its name.</param>
    /// <param name="given">When it was changed, if the upload's client specified it; null otherwise.</param>
    public StoredFile ToFile(TransferName name, FileTime? given) => new(
        name,
        Length,
        given ?? new FileTime(Modified / 1_000_000_000, (int)(Modified % 1_000_000_000)),
        new EntityTag(Tag),
        UploadTerms.DigestOf(Sha256));
}
