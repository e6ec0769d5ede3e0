using System.Runtime.CompilerServices;
using Amazon.Runtime;

namespace Millrace.Transfer.S3;

/// <summary>
/// Keeps files in an S3 bucket, under their names as keys. Any number of servers can use the same bucket and prefix at once: what
/// they have to agree on is in the bucket. Thread-safe.
/// </summary>
/// <remarks>docs/s3.md lists the operations that an object store cannot do, and how they are refused.</remarks>
public sealed class S3FileStore : IFileStore, IAsyncDisposable
{
    private readonly S3Store _store;
    private readonly S3Upkeep _upkeep;
    private readonly UploadRegistry _registry;
    private readonly Publisher _publisher;
    private readonly S3Files _files;
    private readonly S3Folders _folders;
    private readonly bool _isWhole = true;
    private int _disposed;

    /// <summary>Creates a store over a bucket that exists; <see cref="CheckAsync"/> checks whether it can be used.</summary>
    /// <param name="options">Not to be changed afterwards.</param>
    /// <exception cref="ArgumentException">The bucket is empty, or the prefix is not a valid name.</exception>
    public S3FileStore(S3FileStoreOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentException.ThrowIfNullOrEmpty(options.Bucket, nameof(options));
        string prefix = options.Prefix.Trim('/');
        if (prefix.Length > 0 && !TransferName.TryParse(prefix, out _))
        {
            throw new ArgumentException($"'{options.Prefix}' is not a valid prefix; use the name of a folder.", nameof(options));
        }

        _store = new S3Store(options, prefix);
        _registry = new UploadRegistry(_store);
        _upkeep = new S3Upkeep(_store, _registry);
        _publisher = new Publisher(_store, _upkeep);
        _files = new S3Files(_store, _publisher);
        _folders = new S3Folders(_store, _files, _publisher, _upkeep);
        Documents = new S3Documents(_store.Bucket, _store.Keys);
        Uploads = new S3Uploads(_store, _registry, _upkeep, _publisher);
        _upkeep.Start();
    }

    /// <summary>The same store for another caller, or without its trash.</summary>
    private S3FileStore(S3FileStore whole, string? caller, bool keepsDeleted)
    {
        _isWhole = false;
        Documents = whole.Documents;
        _store = whole._store;
        _upkeep = whole._upkeep;
        _registry = whole._registry;
        _publisher = new Publisher(_store, _upkeep) { Caller = caller };
        _files = new S3Files(_store, _publisher) { Caller = caller, KeepsDeleted = keepsDeleted };
        _folders = new S3Folders(_store, _files, _publisher, _upkeep);
        Uploads = new S3Uploads(_store, _registry, _upkeep, _publisher);
    }

    /// <summary>The options.</summary>
    public S3FileStoreOptions Options => _store.Options;

    /// <inheritdoc/>
    public long? MaxFileBytes => Options.MaxFileBytes;

    /// <inheritdoc/>
    public bool CanMoveFolders => false;

    /// <inheritdoc/>
    public AllowedNames Names => Options.Names;

    /// <inheritdoc/>
    /// <remarks>Objects below <c>.millrace/</c>. A service that ignores <c>If-Match</c> lets the last of two servers win.</remarks>
    public IStoreDocuments Documents { get; }

    /// <inheritdoc/>
    /// <remarks>
    /// While a request appends, another server knows only the bytes in saved parts. The bucket joins parts itself if all but the last have
    /// 5 MiB at least and <see cref="S3FileStoreOptions.PartBytes"/> is not set. Expiry also ends multipart uploads that no server has
    /// written to for so long, and deletes claims of dead servers.
    /// </remarks>
    public IUploadStore Uploads { get; }

    /// <inheritdoc/>
    /// <remarks>A bucket has no links, so there is nothing to confine.</remarks>
    public IFileStore Within(TransferName prefix) => this;

    /// <inheritdoc/>
    public IFileStore OnBehalfOf(string? caller) =>
        _store.Trash is null || caller == _files.Caller ? this : new S3FileStore(this, caller, _files.KeepsDeleted);

    /// <inheritdoc/>
    public IFileStore WithoutTrash() =>
        _store.Trash is null || !_files.KeepsDeleted ? this : new S3FileStore(this, _files.Caller, keepsDeleted: false);

    /// <inheritdoc/>
    /// <remarks>
    /// The bucket copies a file to <c>.millrace/trash/</c> before it is deleted or replaced, which takes two or three requests more. Of versions
    /// that several servers write to one name in the same moment, some may not be kept.
    /// </remarks>
    public IFileTrash? Trash => _store.Trash is { } trash ? new S3TrashView(trash, _folders) : null;

    /// <summary>Asks whether the bucket can be used: reads it, writes to it, and tries a conditional write.</summary>
    /// <exception cref="TransferException">
    /// The bucket does not exist, access to it is refused, the service cannot be reached, its clock and this one differ too much, or it
    /// ignores <c>If-None-Match: *</c>, without which several servers cannot work together. The message names the reason.
    /// </exception>
    public async Task CheckAsync(CancellationToken cancellationToken = default)
    {
        await FolderExistsAsync(default, cancellationToken);
        await _store.Bucket.TryCreateAsync(_store.Keys.Probe, default, cancellationToken);
        if (await _store.Bucket.TryCreateAsync(_store.Keys.Probe, default, cancellationToken))
        {
            throw new TransferException(
                TransferError.Failed,
                "The object store ignores 'If-None-Match: *', so that several servers could corrupt each other's uploads. Use another one.");
        }
    }

    /// <inheritdoc/>
    /// <remarks>One request; a second one for the digest of a file of several parts that this process has not seen yet.</remarks>
    public ValueTask<StoredFile?> FindAsync(TransferName name, DigestNeed digest, CancellationToken cancellationToken) =>
        _files.FindAsync(name, digest, cancellationToken);

    /// <inheritdoc/>
    public ValueTask<StoredFileReader> OpenReadAsync(TransferName name, DigestNeed digest, CancellationToken cancellationToken) =>
        _files.OpenReadAsync(name, digest, cancellationToken);

    /// <inheritdoc/>
    public ValueTask<StoredFileWriter> CreateAsync(
        TransferName name, CreateFileOptions options, CancellationToken cancellationToken) =>
        _publisher.CreateAsync(name, options, cancellationToken);

    /// <inheritdoc/>
    /// <remarks>A folder exists while there is something in it, or an object with its name and a slash.</remarks>
    public ValueTask<bool> FolderExistsAsync(TransferName folder, CancellationToken cancellationToken) =>
        _files.FolderExistsAsync(folder, cancellationToken);

    /// <inheritdoc/>
    /// <remarks>
    /// One request a page, and one more for a folder that could belong to the page although the bucket lists it later: it sorts
    /// <c>a-b</c> before <c>a/</c>. Names with characters beyond U+FFFF are sorted within a page only.
    /// </remarks>
    public ValueTask<FilePage> ListAsync(ListFilesOptions options, CancellationToken cancellationToken) =>
        _files.ListAsync(options, cancellationToken);

    /// <inheritdoc/>
    /// <remarks>Up to eight requests at once, each for 1,000 keys below the folder; a few more find out where its keys can be divided.</remarks>
    public async IAsyncEnumerable<SearchPage> SearchAsync(
        SearchFilesOptions options, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        NameQuery query = NameQuery.Parse(options.Text ?? "");
        await foreach (SearchPage page in _files.WalkAsync(options.Folder, cancellationToken).SearchAsync(query, cancellationToken))
        {
            yield return page;
        }
    }

    /// <inheritdoc/>
    /// <remarks>As a search.</remarks>
    public IAsyncEnumerable<FolderUsage> MeasureAsync(TransferName folder, CancellationToken cancellationToken) =>
        _files.WalkAsync(folder, cancellationToken).MeasureAsync(cancellationToken);

    /// <inheritdoc/>
    /// <remarks>A folder is deleted if it is empty, that is, if there is nothing but its own object.</remarks>
    public ValueTask<bool> DeleteAsync(
        TransferName name, WritePrecondition precondition, CancellationToken cancellationToken) =>
        _files.DeleteAsync(name, precondition, cancellationToken);

    /// <inheritdoc/>
    /// <remarks>
    /// One object after the other, in no particular order: a server that dies meanwhile leaves the rest. A folder that contains the
    /// prefix of another store is refused, and so is one with a key that no listing shows.
    /// </remarks>
    public ValueTask<bool> DeleteFolderAsync(TransferName folder, DeleteFolderOptions options, CancellationToken cancellationToken) =>
        _folders.DeleteAsync(folder, cancellationToken);

    /// <inheritdoc/>
    /// <remarks>
    /// The bucket copies the file, then the old name is deleted: a server that dies in between leaves both. A folder is refused with
    /// the status 501, because a bucket cannot move many objects in one step.
    /// </remarks>
    public ValueTask<StoredFile?> MoveAsync(
        TransferName from, TransferName to, MoveOptions options, CancellationToken cancellationToken) =>
        _folders.MoveAsync(from, to, options, cancellationToken);

    /// <inheritdoc/>
    /// <remarks>The bucket copies it.</remarks>
    public ValueTask<StoredFile> CopyAsync(
        TransferName from, TransferName to, MoveOptions options, CancellationToken cancellationToken) =>
        _folders.CopyAsync(from, to, options, cancellationToken);

    /// <inheritdoc/>
    /// <remarks>The bucket copies the file onto itself. One of more than 5 GiB is refused.</remarks>
    public ValueTask<StoredFile> SetModifiedAsync(
        TransferName name, FileTime modified, WritePrecondition precondition, CancellationToken cancellationToken) =>
        _folders.SetModifiedAsync(name, modified, precondition, cancellationToken);

    /// <inheritdoc/>
    /// <remarks>An empty object with the folder's name and a slash, as other tools write it. The folder above need not exist.</remarks>
    public ValueTask CreateFolderAsync(TransferName folder, CancellationToken cancellationToken) =>
        _folders.CreateAsync(folder, cancellationToken);

    /// <summary>Stops the background work. Dispose readers and writers before. A client that was passed stays open.</summary>
    public async ValueTask DisposeAsync()
    {
        if (_isWhole && Interlocked.Exchange(ref _disposed, 1) == 0)
        {
            await _upkeep.DisposeAsync();
            await _store.DisposeAsync();
        }
    }

    internal static AmazonS3Client CreateClient(S3FileStoreOptions options)
    {
        var config = new AmazonS3Config
        {
            ForcePathStyle = options.PathStyle,
            RequestChecksumCalculation = RequestChecksumCalculation.WHEN_REQUIRED,
            ResponseChecksumValidation = ResponseChecksumValidation.WHEN_REQUIRED,
            RetryMode = RequestRetryMode.Standard,
            MaxErrorRetry = 4,
            HttpClientFactory = new S3HttpClientFactory(),

            // A part of 128 MiB at 4 Mbit/s.
            Timeout = TimeSpan.FromMinutes(5),
        };
        if (options.Endpoint is { } endpoint)
        {
            config.ServiceURL = endpoint.ToString();
            config.AuthenticationRegion = options.Region ?? "us-east-1";
        }
        else if (options.Region is { } region)
        {
            config.RegionEndpoint = Amazon.RegionEndpoint.GetBySystemName(region);
        }

        return new AmazonS3Client(config);
    }
}
