namespace Millrace.Transfer.Server;

/// <summary>
/// A client's options for an upload, as every store keeps them. Text where a public type has no form that a file can keep.
/// </summary>
internal abstract record UploadTerms
{
    public string Name { get; init; } = "";

    public long? Length { get; init; }

    public bool CreateNew { get; init; }

    public bool MustExist { get; init; }

    public IReadOnlyList<string>? Match { get; init; }

    public DateTimeOffset? UnmodifiedSince { get; init; }

    public string? Metadata { get; init; }

    public string? Expected { get; init; }

    public string? Modified { get; init; }

    public bool? IsExecutable { get; init; }

    public string? Owner { get; init; }

    public string? Caller { get; init; }

    public bool IsReported { get; init; }

    public static T Of<T>(StartUploadOptions options)
        where T : UploadTerms, new() => new()
        {
            Name = options.Name.Value,
            Length = options.Length,
            CreateNew = options.Precondition.CreateNew,
            MustExist = options.Precondition.MustExist,
            Match = options.Precondition.Match is { } tags ? [.. tags.Select(static tag => tag.Value)] : null,
            UnmodifiedSince = options.Precondition.UnmodifiedSince,
            Metadata = options.Metadata,
            Expected = options.Expected?.ToString(),
            Modified = options.Modified?.ToString(),
            IsExecutable = options.IsExecutable,
            Owner = options.Owner,
            Caller = options.Caller ?? options.Owner ?? "",
            IsReported = options.IsReported,
        };

    public TransferName ToName() => Name.Length == 0 ? default : TransferName.Parse(Name);

    public WritePrecondition ToPrecondition() => new()
    {
        CreateNew = CreateNew,
        MustExist = MustExist,
        Match = Match is null ? null : [.. Match.Select(static tag => new EntityTag(tag))],
        UnmodifiedSince = UnmodifiedSince,
    };

    /// <param name="id">The upload.</param>
    /// <param name="offset">Bytes that are stored.</param>
    /// <param name="published">The file that it has become; null before that.</param>
    /// <param name="parts">The uploads of which it was joined; null for none.</param>
    /// <param name="expires">When it is deleted.</param>
    public UploadStatus ToStatus(
        UploadId id, long offset, StoredFile? published, IReadOnlyList<string>? parts, DateTimeOffset expires) => new()
        {
            Id = id,
            Name = ToName(),
            Offset = offset,
            Length = Length,
            Published = published,
            Precondition = ToPrecondition(),
            Metadata = Metadata,
            Expected = DigestOf(Expected),
            Owner = Owner,
            Parts = parts is null ? null : [.. parts.Select(ParseId)],
            Expires = expires,
        };

    public FileTime? ToModified() => FileTime.TryParse(Modified, out FileTime time) ? time : null;

    public static Sha256Digest? DigestOf(string? text) => Sha256Digest.TryParse(text, out Sha256Digest digest) ? digest : null;

    private static UploadId ParseId(string text) =>
        UploadId.TryParse(text, out UploadId id) ? id : throw new FormatException($"'{text}' is not the id of an upload.");
}
