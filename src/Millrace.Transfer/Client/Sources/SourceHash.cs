namespace Millrace.Transfer;

/// <summary>SHA-256 of a source's bytes, each once and in their order, however often parts of it are sent again.</summary>
internal sealed class SourceHash : IDisposable
{
    private readonly ParallelHash _hash = new();
    private Sha256Digest? _digest;

    /// <summary>Bytes of the content that are hashed or handed over.</summary>
    public long Position => _hash.Length;

    /// <summary>Hands over the new bytes of a part.</summary>
    /// <param name="offset">Where the part is in the content; not after <see cref="Position"/>.</param>
    /// <param name="bytes">Unchanged until <see cref="DrainAsync"/>.</param>
    public ValueTask FollowAsync(long offset, ReadOnlyMemory<byte> bytes)
    {
        long known = Position - offset;
        return _digest is not null || known >= bytes.Length ? default : _hash.AppendAsync(bytes[(int)Math.Max(0, known)..]);
    }

    public ValueTask DrainAsync() => _hash.DrainAsync();

    /// <summary>Reads the bytes before an offset, which an earlier process sent.</summary>
    public async ValueTask CatchUpAsync(ContentSource source, long offset, CancellationToken cancellationToken)
    {
        if (_digest is not null || Position >= offset)
        {
            return;
        }

        source.Seek(Position);
        while (Position < offset)
        {
            ReadOnlyMemory<byte> bytes = await source.ReadAsync(cancellationToken).ConfigureAwait(false);
            if (bytes.IsEmpty)
            {
                throw new TransferException(
                    TransferError.Changed, $"The content ended at byte {Position}; {offset} bytes of it were uploaded before. Start a new upload.");
            }

            await _hash.AppendAsync(bytes[..(int)Math.Min(bytes.Length, offset - Position)]).ConfigureAwait(false);
            await _hash.DrainAsync().ConfigureAwait(false);
        }
    }

    /// <summary>The digest of the whole; bytes that this process did not send are read for it.</summary>
    public async ValueTask<Sha256Digest> FinishAsync(ContentSource source, long length, IdleWatch watch)
    {
        if (_digest is null)
        {
            watch.Pause();
            await CatchUpAsync(source, length, watch.Token).ConfigureAwait(false);
            watch.Touch();
            _digest = await _hash.FinishAsync().ConfigureAwait(false);
        }

        return _digest.Value;
    }

    public void Reset()
    {
        _digest = null;
        _hash.Reset();
    }

    public void Dispose() => _hash.Dispose();
}
