namespace Millrace.Transfer.Server;

/// <summary>The state file of an upload. Text where a public type has no form that a file can keep.</summary>
internal sealed record UploadRecord
{
    /// <summary>The version of this form; others are not understood.</summary>
    public const int CurrentVersion = 1;

    public int Version { get; init; } = CurrentVersion;

    public string Name { get; init; } = "";

    public long? Length { get; init; }

    public bool CreateNew { get; init; }

    public bool MustExist { get; init; }

    public IReadOnlyList<string>? Match { get; init; }

    public DateTimeOffset? UnmodifiedSince { get; init; }

    public string? Metadata { get; init; }

    public string? Expected { get; init; }

    public string? Owner { get; init; }

    public string? Caller { get; init; }

    public IReadOnlyList<string>? Parts { get; init; }

    /// <summary>Bytes that were verified; a restart cuts the rest. Null when all bytes count.</summary>
    public long? Verified { get; init; }

    /// <summary>The file that the upload is about to become: if its bytes are gone, it has become it.</summary>
    public PublishedRecord? Published { get; init; }

    /// <summary>Whether <see cref="Published"/> has happened.</summary>
    public bool IsPublished { get; init; }

    public WritePrecondition ToPrecondition() => new()
    {
        CreateNew = CreateNew,
        MustExist = MustExist,
        Match = Match is null ? null : [.. Match.Select(static tag => new EntityTag(tag))],
        UnmodifiedSince = UnmodifiedSince,
    };

    public TransferName ToName() => Name.Length == 0 ? default : TransferName.Parse(Name);

    public Sha256Digest? ToExpected() =>
        Sha256Digest.TryParse(Expected, out Sha256Digest digest) ? digest : null;

    public static UploadRecord Of(StartUploadOptions options) => new()
    {
        Name = options.Name.Value,
        Length = options.Length,
        CreateNew = options.Precondition.CreateNew,
        MustExist = options.Precondition.MustExist,
        Match = options.Precondition.Match is { } tags ? [.. tags.Select(static tag => tag.Value)] : null,
        UnmodifiedSince = options.Precondition.UnmodifiedSince,
        Metadata = options.Metadata,
        Expected = options.Expected?.ToString(),
        Owner = options.Owner,
        Caller = options.Caller,
    };
}

/// <param name="Length">Bytes.</param>
/// <param name="Modified">Nanoseconds since 1970.</param>
/// <param name="Tag">Empty until the file was renamed.</param>
/// <param name="Sha256">Hexadecimal; null when it was not computed.</param>
internal sealed record PublishedRecord(long Length, long Modified, string Tag, string? Sha256)
{
    public StoredFile ToFile(TransferName name) => new(
        name,
        Length,
        DateTimeOffset.UnixEpoch.AddTicks(Modified / 100),
        new EntityTag(Tag),
        Sha256Digest.TryParse(Sha256, out Sha256Digest digest) ? digest : null);
}
