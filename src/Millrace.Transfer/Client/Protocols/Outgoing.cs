using System.Net;
using System.Security.Cryptography;

namespace Millrace.Transfer;

/// <summary>The bytes of one request of an upload: written straight to the connection and hashed beside it.</summary>
/// <param name="source">Where they come from.</param>
/// <param name="offset">The first one's position in the source.</param>
/// <param name="count">How many; null for all up to the end, or <paramref name="max"/> of them.</param>
/// <param name="max">The most, where <paramref name="count"/> is null.</param>
/// <param name="meter">Counts every write; null for none.</param>
/// <param name="watch">Ends a write that takes too long.</param>
internal sealed class Outgoing(
    ContentSource source, long offset, long? count, long max, IMeter? meter, IdleWatch watch)
{
    public long Offset => offset;

    /// <summary>How many bytes; null where only the end shows that.</summary>
    public long? Count { get; private set; } = count;

    /// <summary>How many bytes, or the most where only the end shows that.</summary>
    public long Limit => Count ?? max;

    /// <summary>The position after the last byte; null where only the end shows it.</summary>
    public long? End => MadeTo ?? (offset + Count);

    /// <summary>Where in the file a delta ends; null if the bytes are the file's.</summary>
    public long? MadeTo { get; init; }

    /// <summary>Bytes given to the connection; not all of them need to have arrived.</summary>
    public long Sent { get; private set; }

    /// <summary>How many bytes the request could have brought; null where it brings a whole file, however long.</summary>
    public long? MaxBytes { get; init; }

    /// <summary>Whether it brought as many as it could.</summary>
    public bool IsFull => Sent >= MaxBytes;

    /// <summary>Watches the sent bytes; null for none.</summary>
    public SourceHash? Hash { get; init; }

    /// <summary>Decides when several connections are worth it, which ends this request; null for never.</summary>
    public UploadWatch? Rule { get; init; }

    /// <summary>Why the source could not be read; null when it could. Not the connection's fault, and final.</summary>
    public Exception? SourceFailure { get; private set; }

    /// <summary>Reads the bytes ahead to know how many they are.</summary>
    public ValueTask CountAheadAsync() => ReadAheadAsync(hash: null);

    /// <summary>Reads the bytes ahead for a digest that goes in front of them. They are counted, too.</summary>
    public async ValueTask<Sha256Digest> HashAheadAsync()
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        await ReadAheadAsync(hash).ConfigureAwait(false);
        return new Sha256Digest(hash.GetHashAndReset());
    }

    /// <summary>Writes the bytes. From the first one each time that it is called.</summary>
    public async Task CopyToAsync(Stream destination, CancellationToken cancellationToken)
    {
        Sent = 0;
        Seek();
        long left = Limit;
        while (left > 0)
        {
            ReadOnlyMemory<byte> bytes = await ReadAsync(left, cancellationToken).ConfigureAwait(false);
            if (bytes.IsEmpty)
            {
                break;
            }

            left -= bytes.Length;
            while (!bytes.IsEmpty)
            {
                ReadOnlyMemory<byte> piece = bytes[..Math.Min(bytes.Length, watch.Rate?.MaxBytes ?? bytes.Length)];
                bytes = bytes[piece.Length..];
                await watch.PaceAsync(piece.Length).ConfigureAwait(false);
                meter?.Move(piece.Length);
                await WriteAsync(destination, piece, cancellationToken).ConfigureAwait(false);
                Sent += piece.Length;
                meter?.Report(offset + Sent);
            }

            if (Rule is not null && Rule.IsWorthIt(offset + Sent))
            {
                throw SourceFailure = new OperationCanceledException("The upload continues over several connections.");
            }
        }

        watch.Touch();
    }

    /// <summary>The digest of everything up to the last byte, once it was written; null where digests are off.</summary>
    public async ValueTask<Sha256Digest?> DigestAsync()
    {
        try
        {
            source.ThrowIfChanged();
            return Hash is null ? null : await Hash.FinishAsync(source, offset + Sent, watch).ConfigureAwait(false);
        }
        catch (Exception exception)
        {
            SourceFailure = exception;
            throw;
        }
    }

    private async ValueTask ReadAheadAsync(IncrementalHash? hash)
    {
        Seek();
        long most = Limit;
        long read = 0;
        while (read < most && await ReadAsync(most - read, watch.Token).ConfigureAwait(false) is { IsEmpty: false } bytes)
        {
            if (Hash is not null)
            {
                await Hash.FollowAsync(offset + read, bytes).ConfigureAwait(false);
            }

            hash?.AppendData(bytes.Span);
            if (Hash is not null)
            {
                await Hash.DrainAsync().ConfigureAwait(false);
            }

            read += bytes.Length;
        }

        Count = read;
    }

    private async ValueTask WriteAsync(Stream destination, ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken)
    {
        if (Hash is not null)
        {
            await Hash.FollowAsync(offset + Sent, bytes).ConfigureAwait(false);
        }

        try
        {
            watch.Touch();
            if (Sent == 0 && bytes.Length == Count)
            {
                await JoinedWriteStream.WriteBodyAsync(destination, bytes, cancellationToken).ConfigureAwait(false);
            }
            else
            {
                await destination.WriteAsync(bytes, cancellationToken).ConfigureAwait(false);
            }
        }
        finally
        {
            if (Hash is not null)
            {
                await Hash.DrainAsync().ConfigureAwait(false);
            }
        }
    }

    private void Seek()
    {
        if (!source.CanSeek(offset))
        {
            throw SourceFailure = new TransferException(
                TransferError.Failed,
                $"The upload would have to go on at byte {offset}, and its source cannot go back so far. Start a new upload.");
        }

        source.Seek(offset);
    }

    private async ValueTask<ReadOnlyMemory<byte>> ReadAsync(long most, CancellationToken cancellationToken)
    {
        watch.Pause();
        try
        {
            ReadOnlyMemory<byte> bytes = await source.ReadAsync(cancellationToken).ConfigureAwait(false);
            return bytes.Length > most ? bytes[..(int)most] : bytes;
        }
        catch (Exception exception) when (!cancellationToken.IsCancellationRequested)
        {
            SourceFailure = exception;
            throw;
        }
    }
}

/// <summary>An <see cref="Outgoing"/> as the body of a request: its blocks go to the connection's stream as they are.</summary>
internal sealed class OutgoingContent(Outgoing outgoing) : OutgoingBody
{
    protected override Task SendAsync(Stream stream, CancellationToken cancellationToken) => outgoing.CopyToAsync(stream, cancellationToken);

    protected override bool TryComputeLength(out long length)
    {
        length = outgoing.Count ?? 0;
        return outgoing.Count is not null;
    }
}
