using System.Net;

namespace Millrace.Transfer;

/// <summary>A part of a source on its way to the server: written straight to the connection and hashed beside it.</summary>
internal sealed class Outgoing
{
    private readonly ContentSource _source;
    private readonly SourceHash? _hash;
    private readonly IMeter _meter;
    private readonly IdleWatch _watch;
    private int _writing;

    /// <summary>Describes a part.</summary>
    /// <param name="source">Where it comes from.</param>
    /// <param name="offset">Its first byte.</param>
    /// <param name="count">Its bytes; null for all up to the end, or <paramref name="most"/> of them.</param>
    /// <param name="most">Its bytes at most, where <paramref name="count"/> is null.</param>
    /// <param name="hash">Follows what is sent; null for none.</param>
    /// <param name="meter">Counts every write.</param>
    /// <param name="watch">Ends a write that takes too long.</param>
    public Outgoing(
        ContentSource source, long offset, long? count, long most, SourceHash? hash, IMeter meter, IdleWatch watch)
    {
        _source = source;
        Offset = offset;
        Count = count;
        Most = most;
        _hash = hash;
        _meter = meter;
        _watch = watch;
    }

    public long Offset { get; }

    public long? Count { get; }

    public long Most { get; }

    /// <summary>Bytes given to the connection; not all of them need to have arrived.</summary>
    public long Sent { get; private set; }

    /// <summary>The same with those of a write that failed: some of them may have arrived.</summary>
    public long Begun => Sent + _writing;

    /// <summary>Says when several connections are worth it, which ends this one; null for never.</summary>
    public UploadWatch? Rule { get; init; }

    /// <summary>Whether it was ended because several connections are worth it.</summary>
    public bool WantsParts { get; private set; }

    /// <summary>Why the source could not be read; null when it could. Not the connection's fault, and final.</summary>
    public Exception? SourceFailure { get; private set; }

    /// <summary>Gives the digest of the whole file once all of the part was written; null where none is to be said behind it.</summary>
    public Func<ValueTask<Sha256Digest?>>? Digest { get; init; }

    /// <summary>What <see cref="Digest"/> gives.</summary>
    public async ValueTask<Sha256Digest?> DigestAsync()
    {
        try
        {
            return Digest is null ? null : await Digest().ConfigureAwait(false);
        }
        catch (Exception exception)
        {
            SourceFailure = exception;
            throw;
        }
    }

    /// <summary>Writes the part. From its beginning each time that it is called.</summary>
    public async Task CopyToAsync(Stream destination, CancellationToken cancellationToken)
    {
        Sent = 0;
        _writing = 0;
        Seek();
        long left = Count ?? Most;
        while (left > 0)
        {
            ReadOnlyMemory<byte> bytes = await ReadAsync(cancellationToken).ConfigureAwait(false);
            if (bytes.IsEmpty)
            {
                break;
            }

            if (bytes.Length > left)
            {
                bytes = bytes[..(int)left];
            }

            _writing = bytes.Length;
            await WriteAsync(destination, bytes, cancellationToken).ConfigureAwait(false);
            _writing = 0;
            left -= bytes.Length;
            Sent += bytes.Length;
            _meter.Report(Offset + Sent);
            if (Rule is not null && Rule.IsWorthIt(Offset + Sent))
            {
                WantsParts = true;
                SourceFailure = new OperationCanceledException("It goes on over several connections.");
                throw SourceFailure;
            }
        }

        _watch.Touch();
    }

    private async ValueTask WriteAsync(Stream destination, ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken)
    {
        if (_hash is not null)
        {
            await _hash.FollowAsync(Offset + Sent, bytes).ConfigureAwait(false);
        }

        try
        {
            _watch.Touch();
            await destination.WriteAsync(bytes, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            if (_hash is not null)
            {
                await _hash.DrainAsync().ConfigureAwait(false);
            }
        }
    }

    private void Seek()
    {
        if (!_source.CanSeek(Offset))
        {
            SourceFailure = new TransferException(
                TransferError.Failed,
                $"The upload would have to go on at byte {Offset}, and what is uploaded cannot go back so far. Upload it anew.");
            throw SourceFailure;
        }

        _source.Seek(Offset);
    }

    private async ValueTask<ReadOnlyMemory<byte>> ReadAsync(CancellationToken cancellationToken)
    {
        _watch.Pause();
        try
        {
            return await _source.ReadAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception) when (!cancellationToken.IsCancellationRequested)
        {
            SourceFailure = exception;
            throw;
        }
    }
}

/// <summary>An <see cref="Outgoing"/> as the body of a request: its blocks go to the connection's stream as they are.</summary>
internal sealed class OutgoingContent(Outgoing outgoing) : HttpContent
{
    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) =>
        outgoing.CopyToAsync(stream, CancellationToken.None);

    protected override Task SerializeToStreamAsync(
        Stream stream, TransportContext? context, CancellationToken cancellationToken) =>
        outgoing.CopyToAsync(stream, cancellationToken);

    protected override bool TryComputeLength(out long length)
    {
        length = outgoing.Count ?? 0;
        return outgoing.Count is not null;
    }
}
