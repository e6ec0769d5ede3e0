using System.Text.Json.Serialization;

namespace Millrace.Transfer.S3;

/// <summary>The state of an upload as an object.</summary>
internal sealed record UploadRecord : UploadTerms
{
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

    public PartProgress ToProgress() => new(Tags, End, Hash is null ? new Sha256State() : Sha256State.Import(Hash));

    public UploadStatus ToStatus(UploadId id, DateTimeOffset expires) =>
        ToStatus(id, Offset, Published?.ToFile(ToName(), ToModified()), Joined, expires);
}

/// <summary>The file that an upload has become.</summary>
internal sealed record PublishedRecord(long Length, DateTimeOffset Modified, string Tag, string? Sha256)
{
    public static PublishedRecord Of(StoredFile file) => new(file.Length, file.Modified.ToDateTimeOffset(), file.Tag.Value, file.Sha256?.ToString());

    public StoredFile ToFile(TransferName name, FileTime? given) => new(name, Length, given ?? Modified, new EntityTag(Tag), UploadTerms.DigestOf(Sha256));
}

[JsonSerializable(typeof(TrashRecord))]
[JsonSerializable(typeof(UploadRecord))]
[JsonSourceGenerationOptions(DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
internal sealed partial class S3Json : JsonSerializerContext;
