using System.Text.Json.Serialization;

namespace Millrace.Transfer.S3;

/// <summary>The state of an upload as an object. Text where a public type has no form that an object can keep.</summary>
internal sealed record UploadRecord
{
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

    /// <summary>The uploads of which it was joined.</summary>
    public IReadOnlyList<string>? Joined { get; init; }

    /// <summary>Bytes of every part; null if they grow.</summary>
    public long? PartBytes { get; init; }

    /// <summary>The <see cref="FileMetadata.Version"/> of the file to come.</summary>
    public string FileVersion { get; init; } = "";

    /// <summary>The multipart upload; null before the first part.</summary>
    public string? MultipartId { get; init; }

    /// <summary>The tags of the parts that were sent.</summary>
    public IReadOnlyList<string> Tags { get; init; } = [];

    /// <summary>Bytes of these parts.</summary>
    public long End { get; init; }

    /// <summary>The state of the hash at <see cref="End"/>; null once <see cref="Sha256"/> is known.</summary>
    public byte[]? Hash { get; init; }

    /// <summary>The object with the bytes after <see cref="End"/>; null for none. It may have more of them than count.</summary>
    public string? TailKey { get; init; }

    public long TailBytes { get; init; }

    /// <summary>The digest of all bytes, once they are there.</summary>
    public string? Sha256 { get; init; }

    public PublishedRecord? Published { get; init; }

    [JsonIgnore]
    public long Offset => Published?.Length ?? End + TailBytes;

    [JsonIgnore]
    public bool HasBytes => Offset > 0 || Length == 0 || Published is not null;

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
        Caller = options.Caller ?? options.Owner ?? "",
        FileVersion = FileMetadata.NewVersion(),
    };

    public TransferName ToName() => Name.Length == 0 ? default : TransferName.Parse(Name);

    public WritePrecondition ToPrecondition() => new()
    {
        CreateNew = CreateNew,
        MustExist = MustExist,
        Match = Match is null ? null : [.. Match.Select(static tag => new EntityTag(tag))],
        UnmodifiedSince = UnmodifiedSince,
    };

    public PartProgress ToProgress() => new(Tags, End, Hash is null ? new Sha256State() : Sha256State.Import(Hash));

    public UploadStatus ToStatus(UploadId id, DateTimeOffset expires) => new()
    {
        Id = id,
        Name = ToName(),
        Offset = Offset,
        Length = Length,
        Published = Published?.ToFile(ToName()),
        Precondition = ToPrecondition(),
        Metadata = Metadata,
        Expected = DigestOf(Expected),
        Owner = Owner,
        Parts = Joined is null ? null : [.. Joined.Select(ParseId)],
        Expires = expires,
    };

    public static Sha256Digest? DigestOf(string? text) => Sha256Digest.TryParse(text, out Sha256Digest digest) ? digest : null;

    private static UploadId ParseId(string text) =>
        UploadId.TryParse(text, out UploadId id) ? id : throw new FormatException($"'{text}' is not the id of an upload.");
}

/// <summary>The file that an upload has become.</summary>
internal sealed record PublishedRecord(long Length, DateTimeOffset Modified, string Tag, string? Sha256)
{
    public static PublishedRecord Of(StoredFile file) => new(file.Length, file.Modified, file.Tag.Value, file.Sha256?.ToString());

    public StoredFile ToFile(TransferName name) => new(name, Length, Modified, new EntityTag(Tag), UploadRecord.DigestOf(Sha256));
}

[JsonSerializable(typeof(UploadRecord))]
[JsonSourceGenerationOptions(DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
internal sealed partial class S3Json : JsonSerializerContext;
