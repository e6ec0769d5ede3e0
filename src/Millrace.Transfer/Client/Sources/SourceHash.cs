namespace Millrace.Transfer;

/// <summary>SHA-256 of a source's bytes, each once and in their order, however often parts of it are sent again.</summary>
internal sealed class SourceHash : IDisposable
{
    private readonly ParallelHash _hash = new();

    /// <summary>Bytes of the content that are hashed or handed over.</summary>
    public long Position => _hash.Length;

    /// <summary>Hands over what is new in a part.</summary>
    /// <param name="offset">Where the part is in the content; not behind <see cref="Position"/>.</param>
    /// <param name="bytes">Unchanged until <see cref="DrainAsync"/>.</param>
    public ValueTask FollowAsync(long offset, ReadOnlyMemory<byte> bytes)
    {
        long known = Position - offset;
        return known >= bytes.Length ? default : _hash.AppendAsync(bytes[(int)Math.Max(0, known)..]);
    }

    public ValueTask DrainAsync() => _hash.DrainAsync();

    /// <summary>Reads what is in front of an offset and was sent by an earlier process.</summary>
    public async ValueTask CatchUpAsync(ContentSource source, long offset, CancellationToken cancellationToken)
    {
        if (Position >= offset)
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
                    TransferError.Changed, $"The content ended at byte {Position}; {offset} bytes of it were uploaded before. Upload it anew.");
            }

            await _hash.AppendAsync(bytes[..(int)Math.Min(bytes.Length, offset - Position)]).ConfigureAwait(false);
            await _hash.DrainAsync().ConfigureAwait(false);
        }
    }

    public ValueTask<Sha256Digest> FinishAsync() => _hash.FinishAsync();

    public void Reset() => _hash.Reset();

    public void Dispose() => _hash.Dispose();
}
