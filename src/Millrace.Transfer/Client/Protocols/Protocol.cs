namespace Millrace.Transfer;

/// <summary>
/// Moves files between this client and its server by one protocol. A call is one request, and the caller retries: a
/// request that fails throws a <see cref="TransferException"/> with whether a retry may help.
/// </summary>
internal abstract class Protocol
{
    public abstract TransferProtocol Kind { get; }

    /// <summary>Returns the facts about a file; null when it does not exist.</summary>
    public abstract Task<StoredFile?> FindAsync(TransferName name, bool digest, IdleWatch watch);

    /// <summary>Asks for a file.</summary>
    /// <param name="name">The file.</param>
    /// <param name="range">The part; null for all of it. A length of <see cref="long.MaxValue"/> means up to the end.</param>
    /// <param name="tag">The version of which a part is wanted: of another one the whole comes. Null for any.</param>
    /// <param name="digest">Whether its digest is wanted.</param>
    /// <param name="watch">Ends it.</param>
    /// <param name="acceptsHoles">Whether a sparse file, asked for as a whole, may come as <see cref="OpenedFile.HasHoles"/>.</param>
    public abstract Task<OpenedFile> OpenAsync(
        TransferName name, ByteRange? range, EntityTag? tag, bool digest, IdleWatch watch, bool acceptsHoles = false);

    /// <summary>Asks for several parts of a version of a file at once.</summary>
    /// <returns>Null where that cannot be, or the server answers otherwise: then parts are asked for one by one.</returns>
    public virtual Task<OpenedRanges?> OpenAsync(
        TransferName name, IReadOnlyList<ByteRange> ranges, EntityTag tag, IdleWatch watch) => Task.FromResult<OpenedRanges?>(null);

    /// <summary>Asks for the list of a file's blocks, as a separate file: see <see cref="BlockSums"/>.</summary>
    /// <exception cref="TransferException">There is none.</exception>
    public abstract Task<OpenedFile> OpenBlocksAsync(TransferName name, IdleWatch watch);

    /// <summary>Asks for the list of a file's extents, as a separate file: see <see cref="ExtentList"/>.</summary>
    /// <exception cref="TransferException">There is none.</exception>
    public abstract Task<OpenedFile> OpenExtentsAsync(TransferName name, IdleWatch watch);

    /// <summary>Whether a file is uploaded with one request; otherwise by requests after each of which it can be resumed.</summary>
    /// <param name="isSmall">Whether a saved round trip is worth more than what would have to be sent again.</param>
    public abstract bool SendsWhole(bool isSmall);

    /// <summary>Uploads a file with one request. Its digest goes in front where it is known.</summary>
    public abstract Task<UploadAnswer> PutAsync(Upload upload, Sha256Digest? digest, IdleWatch watch);

    /// <summary>Begins an upload that can be resumed.</summary>
    /// <returns>Where it is continued.</returns>
    /// <returns>Null where the server has no such uploads: <see cref="SendsWhole"/> is true afterwards.</returns>
    public abstract Task<Uri?> StartAsync(Upload upload, IdleWatch watch);

    /// <summary>How far an upload is; null when the server does not know it any more.</summary>
    public abstract Task<UploadAnswer?> PositionAsync(TransferName name, Uri upload, IdleWatch watch);

    /// <summary>Sends the next bytes of an upload: as many as this protocol has in one request.</summary>
    /// <returns>The server's response. Nothing is sent if the source turns out to end at the offset.</returns>
    public abstract Task<UploadAnswer> SendNextAsync(Upload upload, long offset, IdleWatch watch);

    /// <summary>Publishes an upload that has all its bytes.</summary>
    public abstract Task<UploadAnswer> FinishAsync(Upload upload, long length, Sha256Digest? digest, IdleWatch watch);

    /// <summary>Deletes an upload; the server's answer does not matter.</summary>
    public abstract Task AbortAsync(TransferName name, Uri upload, IdleWatch watch);

    /// <summary>A page of a listing.</summary>
    public abstract Task<ListingDocument> ListAsync(TransferName folder, bool recursive, string? after, bool digests, IdleWatch watch);

    /// <summary>Searches names below a folder. The last document has <see cref="SearchDocument.Complete"/>, unless the connection ended.</summary>
    public abstract IAsyncEnumerable<SearchDocument> SearchAsync(TransferName folder, string text, int limit, IdleWatch watch);

    /// <summary>Deletes a file.</summary>
    /// <returns>False when there was none.</returns>
    public abstract Task<bool> DeleteAsync(TransferName name, WritePrecondition precondition, IdleWatch watch);

    /// <summary>Deletes a folder with everything in it.</summary>
    /// <returns>False when there was none.</returns>
    public abstract Task<bool> DeleteFolderAsync(TransferName folder, DeleteFolderOptions options, IdleWatch watch);

    /// <summary>Moves a file or folder.</summary>
    public abstract Task MoveAsync(TransferName from, TransferName to, MoveOptions options, IdleWatch watch);

    /// <summary>Creates an empty folder.</summary>
    public abstract Task CreateFolderAsync(TransferName folder, IdleWatch watch);

    /// <summary>A page of the trash, the newest first.</summary>
    public abstract Task<TrashDocument> ListTrashAsync(TransferName folder, string? after, IdleWatch watch);

    /// <summary>Gives an entry of the trash its name again, or another one.</summary>
    /// <returns>The name that it has now.</returns>
    public abstract Task<TransferName> RestoreAsync(string id, TransferName name, IdleWatch watch);

    /// <summary>Deletes entries of the trash for good.</summary>
    /// <returns>How many.</returns>
    public abstract Task<int> EmptyTrashAsync(TransferName folder, TimeSpan? olderThan, IdleWatch watch);

    /// <summary>Makes a second folder of the same files; its name begins with <paramref name="clone"/>.</summary>
    public virtual Task<(TransferName Name, string Version)> CloneFolderAsync(TransferName folder, TransferName clone, IdleWatch watch) =>
        throw NoVersions(folder);

    /// <summary>Gives two folders each other's name.</summary>
    public virtual Task ExchangeFoldersAsync(TransferName folder, TransferName other, WritePrecondition precondition, IdleWatch watch) =>
        throw NoVersions(folder);

    private TransferException NoVersions(TransferName folder) => new(
        TransferError.ProtocolNotOffered, $"'{folder}' cannot be published as a whole over {Kind}. Use HTTP.", folder.Value)
    {
        Protocol = Kind,
    };
}

/// <summary>The purpose of a request, for messages.</summary>
internal readonly record struct ProtocolCall(string Verb, string Name, TransferProtocol Protocol);

/// <summary>The settings of a protocol.</summary>
internal sealed record ProtocolSetup
{
    public required TransferProtocol Kind { get; init; }

    public required HttpClient Client { get; init; }

    public required TransferClientOptions Options { get; init; }

    public required TimeProvider Clock { get; init; }

    /// <summary>Where the files are by this protocol; ends with a slash.</summary>
    public required Uri Files { get; init; }

    /// <summary>How much one request of an upload brings.</summary>
    public RequestSizes Sizes { get; init; } = new();

    /// <summary>Where calls of gRPC begin; ends with a slash. Null for the root of <see cref="Files"/>.</summary>
    public Uri? Root { get; init; }

    /// <summary>Whether the server has told what it offers.</summary>
    public bool IsDescribed { get; init; }

    /// <summary>Where the trash is; null when the server keeps none.</summary>
    public Uri? Trash { get; init; }

    /// <summary>Where uploads are begun; null when there are none that can be continued.</summary>
    public Uri? Uploads { get; init; }
}

/// <summary>How far the server is with an upload.</summary>
/// <param name="Offset">Bytes that it has.</param>
/// <param name="IsComplete">Whether it published them.</param>
/// <param name="Tag">The version that was published, where the response has it.</param>
/// <param name="Sha256">The digest of the published file, where the response has it.</param>
internal readonly record struct UploadAnswer(long Offset, bool IsComplete, EntityTag? Tag = null, Sha256Digest? Sha256 = null);
