using System.Runtime.CompilerServices;

namespace Millrace.Transfer.S3;

/// <summary>
/// The documents of a store in a bucket, such as locks and links to folders: an object each below <c>PREFIX/.millrace/documents/</c>, which
/// all servers of the bucket share.
/// </summary>
/// <remarks>
/// Documents are replaced with <c>If-Match</c>. Over a service that ignores it, the last of two writers wins, and limits of links hold for
/// one server only.
/// </remarks>
public sealed class S3Documents : IStoreDocuments, IDisposable
{
    private readonly Bucket _bucket;
    private readonly Keys _keys;
    private readonly bool _ownsClient;

    /// <summary>Reads and writes the documents of a bucket, beside the servers that serve it.</summary>
    /// <param name="options">The bucket, its prefix, and how it is reached; the rest does not matter.</param>
    public S3Documents(S3FileStoreOptions options)
        : this(
            new Bucket((options ?? throw new ArgumentNullException(nameof(options))).Client ?? S3FileStore.CreateClient(options), options.Bucket),
            new Keys(options.Prefix.Trim('/'), options.Names)) => _ownsClient = options.Client is null;

    internal S3Documents(Bucket bucket, Keys keys)
    {
        _bucket = bucket;
        _keys = keys;
    }

    /// <inheritdoc/>
    public bool IsShared => true;

    /// <inheritdoc/>
    public ValueTask<StoreDocument?> ReadAsync(string key, CancellationToken cancellationToken) =>
        _bucket.ReadDocumentAsync(_keys.OfDocument(key), cancellationToken);

    /// <inheritdoc/>
    public ValueTask<string?> TryWriteAsync(
        string key, ReadOnlyMemory<byte> content, string? version, bool isDurable, CancellationToken cancellationToken) =>
        _bucket.TryReplaceAsync(_keys.OfDocument(key), content, version, cancellationToken.Begin());

    /// <inheritdoc/>
    public ValueTask DeleteAsync(string key, CancellationToken cancellationToken) => _bucket.DeleteAsync(_keys.OfDocument(key), cancellationToken);

    /// <inheritdoc/>
    public async IAsyncEnumerable<string> ListAsync(string prefix, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        string root = _keys.OfDocument("");
        await foreach (S3Object found in _bucket.ListAllAsync(root + prefix, cancellationToken))
        {
            yield return found.Key[root.Length..];
        }
    }

    /// <summary>Closes the connections, unless a client was passed.</summary>
    public void Dispose()
    {
        if (_ownsClient)
        {
            _bucket.Client.Dispose();
        }
    }
}
