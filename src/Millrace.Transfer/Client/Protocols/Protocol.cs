namespace Millrace.Transfer;

/// <summary>
/// One way for files between this client and its server. A call is one request: whoever calls tries again. What ends a
/// request is a <see cref="TransferException"/> that says whether that may help.
/// </summary>
internal abstract class Protocol
{
    public abstract TransferProtocol Kind { get; }

    /// <summary>Whether an upload can be continued.</summary>
    public abstract bool CanResume { get; }

    /// <summary>Whether the server compares the digest of the whole before it publishes.</summary>
    public abstract bool VerifiesWhole { get; }

    /// <summary>Whether a digest can be sent after the last byte, so that the same request publishes the file.</summary>
    public virtual bool SupportsTrailingDigest => false;

    /// <summary>Whether the bytes of a request have to be counted before it is sent.</summary>
    public virtual bool NeedsCount => false;

    /// <summary>Whether large files are sent in parts by several connections where that is faster.</summary>
    public virtual bool MayDivide => true;

    /// <summary>Bytes of one request of an upload at most.</summary>
    /// <param name="verify">Whether digests are compared.</param>
    public abstract long MaxRequestBytes(bool verify);

    /// <summary>What is known of a file; null when there is none.</summary>
    public abstract Task<StoredFile?> FindAsync(TransferName name, bool digest, IdleWatch watch);

    /// <summary>Asks for a file.</summary>
    /// <param name="name">The file.</param>
    /// <param name="range">The part; null for all of it. A length of <see cref="long.MaxValue"/> means up to the end.</param>
    /// <param name="tag">The version of which a part is wanted: of another one the whole comes. Null for any.</param>
    /// <param name="digest">Whether its digest is wanted.</param>
    /// <param name="watch">Ends it.</param>
    public abstract Task<OpenedFile> OpenAsync(
        TransferName name, ByteRange? range, EntityTag? tag, bool digest, IdleWatch watch);

    /// <summary>Uploads a file with one request.</summary>
    public abstract Task<UploadAnswer> PutAsync(
        TransferName name, Outgoing content, WritePrecondition precondition, Sha256Digest? digest, IdleWatch watch);

    /// <summary>Begins an upload.</summary>
    /// <returns>Where it is continued.</returns>
    public abstract Task<Uri> StartAsync(TransferName name, long? length, WritePrecondition precondition, IdleWatch watch);

    /// <summary>How far an upload is; null when the server does not know it any more.</summary>
    public abstract Task<UploadPosition?> PositionAsync(TransferName name, Uri upload, IdleWatch watch);

    /// <summary>Continues an upload.</summary>
    /// <param name="name">The file that it becomes.</param>
    /// <param name="upload">Where it is continued.</param>
    /// <param name="content">The part.</param>
    /// <param name="length">Bytes of the whole, where they are known.</param>
    /// <param name="isLast">Whether it is published with the last byte of this part.</param>
    /// <param name="partDigest">The digest of this part; null for none.</param>
    /// <param name="watch">Ends it.</param>
    public abstract Task<UploadAnswer> AppendAsync(
        TransferName name, Uri upload, Outgoing content, long? length, bool isLast, Sha256Digest? partDigest, IdleWatch watch);

    /// <summary>Publishes an upload that has all its bytes.</summary>
    public abstract Task<UploadAnswer> FinishAsync(
        TransferName name, Uri upload, long length, Sha256Digest? digest, IdleWatch watch);

    /// <summary>Throws an upload away; what the server answers does not matter.</summary>
    public abstract Task AbortAsync(TransferName name, Uri upload, IdleWatch watch);

    /// <summary>A page of a listing.</summary>
    public abstract Task<ListingDocument> ListAsync(TransferName folder, bool recursive, string? after, IdleWatch watch);

    /// <summary>Deletes a file.</summary>
    /// <returns>False when there was none.</returns>
    public abstract Task<bool> DeleteAsync(TransferName name, WritePrecondition precondition, IdleWatch watch);
}

/// <summary>The purpose of a request, for messages.</summary>
/// <param name="Verb">For example <c>Uploading</c>.</param>
/// <param name="Name">The file or folder.</param>
/// <param name="Protocol">How.</param>
internal readonly record struct ProtocolCall(string Verb, string Name, TransferProtocol Protocol);

/// <summary>What a protocol needs to know.</summary>
internal sealed record ProtocolSetup
{
    public required TransferProtocol Kind { get; init; }

    public required HttpClient Client { get; init; }

    public required TransferClientOptions Options { get; init; }

    public required TimeProvider Clock { get; init; }

    /// <summary>Where the files are on this wire; ends with a slash.</summary>
    public required Uri Files { get; init; }

    /// <summary>Where uploads are begun; null when there are none that can be continued.</summary>
    public Uri? Uploads { get; init; }
}

/// <summary>The server's response to a part of an upload, or to a whole one.</summary>
/// <param name="Offset">Bytes that it has; null where it did not say.</param>
/// <param name="Complete">Whether the file is published.</param>
/// <param name="Tag">The version that was published, where it said so.</param>
/// <param name="Sha256">The digest that it has, where it said so.</param>
internal readonly record struct UploadAnswer(long? Offset, bool Complete, EntityTag? Tag, Sha256Digest? Sha256);

/// <summary>How far the server is with an upload.</summary>
/// <param name="Offset">Bytes that it has.</param>
/// <param name="Complete">Whether it published them.</param>
internal readonly record struct UploadPosition(long Offset, bool Complete);
