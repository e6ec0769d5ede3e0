using System.Collections.Concurrent;
using System.Text;

namespace Millrace.Transfer.S3;

/// <summary>
/// The digests of files that do not have them in their metadata: an object for each name, with the version that it belongs to. What
/// is missing is computed, once for all concurrent requests. Thread-safe.
/// </summary>
internal sealed class DigestStore(Bucket bucket, Keys keys, S3FileStoreOptions options) : IAsyncDisposable
{
    /// <summary>Digests that are kept in memory.</summary>
    /// <remarks>Less than 2 MB.</remarks>
    private const int MaxKnown = 4096;

    /// <summary>Files that wait to be read in the background; others are read when they are requested again.</summary>
    private const int MaxWaiting = 256;

    private readonly ConcurrentDictionary<(TransferName Name, string Version), Sha256Digest> _known = new();
    private readonly RunningDigests<(TransferName Name, string Version)> _running = new(options.CheapDigestBytes);
    private readonly SemaphoreSlim _background = new(1, 1);
    private readonly CancellationTokenSource _end = new();
    private int _waiting;

    /// <summary>The digest of an object, as far as the caller wants to wait for it.</summary>
    public async ValueTask<Sha256Digest?> FindAsync(
        TransferName name, GetObjectMetadataResponse head, DigestNeed need, CancellationToken cancellationToken)
    {
        if (FileMetadata.DigestOf(head) is { } stored)
        {
            return stored;
        }

        (TransferName, string) key = (name, FileMetadata.VersionOf(head));
        if (_known.TryGetValue(key, out Sha256Digest known))
        {
            return known;
        }

        if (await ReadAsync(name, key.Item2, cancellationToken) is { } read)
        {
            Remember(key, read);
            return read;
        }

        if (need == DigestNeed.IfKnown)
        {
            return null;
        }

        var file = FileMetadata.ToFile(name, head, digest: null);
        if (need == DigestNeed.Always || file.Length <= options.CheapDigestBytes)
        {
            return await ComputeAsync(file, key.Item2, cancellationToken);
        }

        if (Interlocked.Increment(ref _waiting) <= MaxWaiting && !_running.Contains(key))
        {
            _ = ComputeLaterAsync(file, key.Item2);
        }
        else
        {
            Interlocked.Decrement(ref _waiting);
        }

        return null;
    }

    /// <summary>The digest of a listed file, if it is in memory.</summary>
    public Sha256Digest? FindKnown(TransferName name, string tag, long length) =>
        _known.TryGetValue((name, $"{tag}-{length}"), out Sha256Digest known) ? known : null;

    /// <summary>Stores the digest of a version, before it is published.</summary>
    public async ValueTask WriteAsync(TransferName name, string version, Sha256Digest digest, CancellationToken cancellationToken)
    {
        await bucket.WriteAsync(keys.OfDigest(name), Encoding.ASCII.GetBytes($"{version}\n{digest}\n"), cancellationToken);
        Remember((name, version), digest);
    }

    public ValueTask DeleteAsync(TransferName name, CancellationToken cancellationToken) =>
        bucket.DeleteAsync(keys.OfDigest(name), cancellationToken);

    /// <summary>Deletes the digest of a file that was about to be published, unless the server died right after that.</summary>
    public async ValueTask DeleteOrphanAsync(TransferName name, CancellationToken cancellationToken)
    {
        if (await bucket.HeadAsync(keys.Of(name), cancellationToken) is null)
        {
            await DeleteAsync(name, cancellationToken);
        }
    }

    public async ValueTask<Sha256Digest?> ReadAsync(TransferName name, string version, CancellationToken cancellationToken) =>
        await bucket.ReadAsync(keys.OfDigest(name), cancellationToken) is { } content
        && Encoding.ASCII.GetString(content).Split('\n') is [var of, var text, ..]
        && string.Equals(of, version, StringComparison.Ordinal)
        && Sha256Digest.TryParse(text, out Sha256Digest digest)
            ? digest
            : null;

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        await _running.DisposeAsync();
    }

    private void Remember((TransferName Name, string Version) key, Sha256Digest digest)
    {
        if (_known.Count >= MaxKnown)
        {
            _known.Clear();
        }

        _known[key] = digest;
    }

    private Task<Sha256Digest?> ComputeAsync(StoredFile file, string version, CancellationToken cancellationToken) =>
        _running.ComputeAsync((file.Name, version), file.Length, () => HashAsync(file, version), cancellationToken);

    private async Task ComputeLaterAsync(StoredFile file, string version)
    {
        try
        {
            await _background.WaitAsync(_end.Token);
            try
            {
                await ComputeAsync(file, version, _end.Token);
            }
            finally
            {
                _background.Release();
            }
        }
        catch (Exception exception) when (exception is TransferException or OperationCanceledException)
        {
            // The next request that needs the digest reports it.
        }
        finally
        {
            Interlocked.Decrement(ref _waiting);
        }
    }

    private async Task<Sha256Digest?> HashAsync(StoredFile file, string version)
    {
        if (_known.TryGetValue((file.Name, version), out Sha256Digest known))
        {
            // Computed while this waited for its turn.
            return known;
        }

        await using var content = new RangeStream(bucket, keys.Of(file.Name), file, new ByteRange(0, file.Length));
        Sha256Digest digest = await HashAsync(content, _end.Token);
        await WriteAsync(file.Name, version, digest, _end.Token);
        if (!string.Equals(version, $"{file.Tag.Value}-{file.Length}", StringComparison.Ordinal))
        {
            Remember((file.Name, $"{file.Tag.Value}-{file.Length}"), digest);
        }

        return digest;
    }

    private static async ValueTask<Sha256Digest> HashAsync(Stream content, CancellationToken cancellationToken)
    {
        byte[] digest = await SHA256.HashDataAsync(content, cancellationToken);
        return new Sha256Digest(digest);
    }
}
