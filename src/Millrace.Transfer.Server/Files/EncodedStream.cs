namespace Millrace.Transfer.Server;

/// <summary>A body as it comes, counted and hashed.</summary>
internal sealed class EncodedStream(Stream body, bool hash) : ReadOnlyStream
{
    private readonly IncrementalHash? _hash = hash ? IncrementalHash.CreateHash(HashAlgorithmName.SHA256) : null;

    /// <summary>Bytes that came.</summary>
    public long Bytes { get; private set; }

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        int read = await body.ReadAsync(buffer, cancellationToken);
        _hash?.AppendData(buffer.Span[..read]);
        Bytes += read;
        return read;
    }

    /// <summary>The digest of all that came; null without hashing.</summary>
    public Sha256Digest? TakeDigest()
    {
        if (_hash is null)
        {
            return null;
        }

        Span<byte> digest = stackalloc byte[SHA256.HashSizeInBytes];
        _hash.GetHashAndReset(digest);
        return new Sha256Digest(digest);
    }

    protected override void Dispose(bool disposing)
    {
        _hash?.Dispose();
        base.Dispose(disposing);
    }
}
