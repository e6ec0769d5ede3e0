namespace Millrace.Transfer;

/// <summary>Names of fields that the framework has no constants for, and those of Millrace itself.</summary>
internal static class TransferHeaders
{
    /// <summary>RFC 9530: the digest of a whole file, whatever part of it or coding is sent.</summary>
    public const string ReprDigest = "Repr-Digest";

    /// <summary>RFC 9530: the digest of the bytes of this very message.</summary>
    public const string ContentDigest = "Content-Digest";

    /// <summary>RFC 9530: asks for <see cref="ReprDigest"/>, also where it has to be computed first.</summary>
    public const string WantReprDigest = "Want-Repr-Digest";

    /// <summary>Ours: when a file was last changed, as <see cref="FileTime"/> has it; of an upload, the time that its file gets.</summary>
    public const string Modified = "Millrace-Modified";

    /// <summary>Of the clients of ownCloud and Nextcloud, and of rclone: the same in seconds.</summary>
    public const string OwnCloudModified = "X-OC-Mtime";

    /// <summary>Resumable uploads: bytes that the server has, or where this request continues.</summary>
    public const string UploadOffset = "Upload-Offset";

    /// <summary>Resumable uploads: bytes of the whole.</summary>
    public const string UploadLength = "Upload-Length";

    /// <summary>Resumable uploads (IETF): <c>?1</c> when this request brings the last byte.</summary>
    public const string UploadComplete = "Upload-Complete";

    /// <summary>Resumable uploads (IETF): which draft is spoken.</summary>
    public const string UploadDraftInteropVersion = "Upload-Draft-Interop-Version";

    /// <summary>Resumable uploads: the body is a delta of the version with this entity tag.</summary>
    public const string UploadDeltaBase = "Upload-Delta-Base";

    /// <summary>Whether the owner of the file may run it: <c>?1</c> or <c>?0</c>. Responses have it only of those that may be run.</summary>
    public const string Executable = "Millrace-Executable";

    /// <summary><c>?1</c>: a sparse file may be answered with 303 and the address of its list of extents.</summary>
    public const string Holes = "Millrace-Holes";

    /// <summary>tus: the version of the protocol.</summary>
    public const string TusResumable = "Tus-Resumable";

    /// <summary>tus: name and type of the uploaded file.</summary>
    public const string UploadMetadata = "Upload-Metadata";

    /// <summary>tus: digest of what this request brings.</summary>
    public const string UploadChecksum = "Upload-Checksum";

    /// <summary>tus: partial uploads and what joins them.</summary>
    public const string UploadConcat = "Upload-Concat";

    /// <summary>tus: until when an unfinished upload is kept.</summary>
    public const string UploadExpires = "Upload-Expires";
}
