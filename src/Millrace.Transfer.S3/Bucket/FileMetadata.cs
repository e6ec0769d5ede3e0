namespace Millrace.Transfer.S3;

/// <summary>A file's description in an object's headers.</summary>
internal static class FileMetadata
{
    /// <summary>The SHA-256 of an object that was written by one request.</summary>
    public const string Sha256 = "millrace-sha256";

    /// <summary>Names one version of a file whose digest was not known when its metadata was written.</summary>
    public const string Version = "millrace-version";

    /// <summary>When the file was last changed, if its writer specified it. rclone has the same in its objects.</summary>
    public const string Modified = "mtime";

    /// <summary>1 if the owner of the file may run it.</summary>
    public const string Executable = "millrace-executable";

    /// <summary>Names a conditional write, whose writer may have to find out whether it was executed.</summary>
    public const string Write = "millrace-write";

    public static StoredFile ToFile(TransferName name, GetObjectMetadataResponse head, Sha256Digest? digest) => new(
        name, head.ContentLength, TimeOf(head), new EntityTag(Unquote(head.ETag)), digest)
    {
        IsExecutable = head.Metadata[Executable] == "1",
    };

    /// <summary>A file as lists have it.</summary>
    public static FileEntry ToEntry(TransferName name, S3Object found, Sha256Digest? digest)
    {
        DateTimeOffset modified = Time(found.LastModified);
        return new FileEntry(name, new StoredFile(name, found.Size ?? 0, modified, new EntityTag(Unquote(found.ETag)), digest), modified);
    }

    public static FileTime TimeOf(GetObjectMetadataResponse head) =>
        FileTime.TryParse(head.Metadata[Modified], out FileTime given) ? given : Time(head.LastModified);

    public static Sha256Digest? DigestOf(GetObjectMetadataResponse head) =>
        Sha256Digest.TryParse(head.Metadata[Sha256], out Sha256Digest digest) ? digest : null;

    /// <summary>The version that a stored digest belongs to: our own name of it, or tag and length of one that another tool wrote.</summary>
    public static string VersionOf(GetObjectMetadataResponse head) =>
        head.Metadata[Version] is { Length: > 0 } own ? own : $"{Unquote(head.ETag)}-{head.ContentLength}";

    /// <summary>Gives a new object the metadata of an old one, as a copy made by the bucket has it.</summary>
    public static void Copy(GetObjectMetadataResponse head, HeadersCollection headers, MetadataCollection metadata)
    {
        headers.ContentType = head.Headers.ContentType;
        headers.ContentDisposition = head.Headers.ContentDisposition;
        headers.ContentEncoding = head.Headers.ContentEncoding;
        headers.CacheControl = head.Headers.CacheControl;
        foreach (string field in head.Metadata.Keys)
        {
            metadata[field] = head.Metadata[field];
        }
    }

    public static string NewVersion() => RandomNumberGenerator.GetHexString(32, lowercase: true);

    /// <summary>Whole seconds: HEAD has no more, and a version has one time only.</summary>
    public static DateTimeOffset Time(DateTime? modified) => Seconds(
        new DateTimeOffset(DateTime.SpecifyKind((modified ?? DateTime.UnixEpoch).ToUniversalTime(), DateTimeKind.Utc)));

    public static DateTimeOffset Seconds(DateTimeOffset time) => DateTimeOffset.FromUnixTimeSeconds(time.ToUnixTimeSeconds());

    /// <summary>Ceph accepts tags in conditions only without quotes; AWS and MinIO accept both.</summary>
    public static string Unquote(string? tag) => tag?.Trim('"') ?? "";
}
