using System.Runtime.CompilerServices;

namespace Millrace.Transfer.S3;

/// <summary>Documents that all servers of a bucket share, such as links to folders: objects below <c>PREFIX/.millrace/links/</c>.</summary>
/// <remarks>
/// Documents are replaced with <c>If-Match</c>. Over a service that ignores it, the last of two writers wins, and limits of links hold for one
/// server only.
/// </remarks>
public sealed class S3RecordStore : IRecordStore, IDisposable
{
    private readonly Bucket _bucket;
    private readonly string _prefix;
    private readonly bool _ownsClient;

    /// <summary>Reads and writes the documents of a bucket, beside the servers that serve it.</summary>
    /// <param name="options">The bucket, its prefix, and how it is reached; the rest does not matter.</param>
    public S3RecordStore(S3FileStoreOptions options)
        : this(
            new Bucket((options ?? throw new ArgumentNullException(nameof(options))).Client ?? S3FileStore.CreateClient(options), options.Bucket),
            new Keys(options.Prefix.Trim('/'), options.Names)) => _ownsClient = options.Client is null;

    internal S3RecordStore(Bucket bucket, Keys keys)
    {
        _bucket = bucket;
        _prefix = keys.Links;
    }

    /// <inheritdoc/>
    public async ValueTask<StoredRecord?> ReadAsync(string name, CancellationToken cancellationToken) =>
        await _bucket.ReadTaggedAsync(KeyOf(name), cancellationToken) is { } found ? new StoredRecord(found.Content, found.Tag) : null;

    /// <inheritdoc/>
    public async ValueTask<bool> TryReplaceAsync(
        string name, ReadOnlyMemory<byte> content, string? tag, CancellationToken cancellationToken) =>
        await _bucket.TryReplaceAsync(KeyOf(name), content, tag, cancellationToken) is not null;

    /// <inheritdoc/>
    public async ValueTask<bool> DeleteAsync(string name, CancellationToken cancellationToken)
    {
        await _bucket.DeleteAsync(KeyOf(name), cancellationToken);
        return true;
    }

    /// <inheritdoc/>
    public async IAsyncEnumerable<string> ListAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await foreach (S3Object found in _bucket.ListAllAsync(_prefix, cancellationToken))
        {
            string name = found.Key[_prefix.Length..];
            if (IsName(name))
            {
                yield return name;
            }
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

    private static bool IsName(string name) =>
        name.Length is > 0 and <= 64 && name.All(static c => char.IsAsciiLetterLower(c) || char.IsAsciiDigit(c));

    private string KeyOf(string name) => IsName(name)
        ? _prefix + name
        : throw new ArgumentException($"'{name}' is not the name of a document.", nameof(name));
}
