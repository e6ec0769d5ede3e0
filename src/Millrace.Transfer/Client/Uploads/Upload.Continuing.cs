using System.Security.Cryptography;

namespace Millrace.Transfer;

/// <summary>Uploads that are continued where an interruption left them.</summary>
internal sealed partial class Upload
{
    /// <summary>How long deleting an upload may take: best effort, as the server expires abandoned uploads.</summary>
    private static readonly TimeSpan GiveUpTime = TimeSpan.FromSeconds(2);

    private Uri? _upload;
    private long? _announced;
    private bool _askFirst;
    private bool _mayBePublished;
    private int _mismatches;

    /// <summary>What follows the bytes; null when all of them are hashed already, or nobody asks.</summary>
    private SourceHash? Following => _digest is null ? _hash : null;

    private async ValueTask<TransferResult> ContinueAsync(CancellationToken cancellationToken)
    {
        using IdleWatch watch = _context.Watch(cancellationToken);
        _meter.Attempt = _state.Attempts;
        if (_upload is null && _parts is null && _context.Parts is not null)
        {
            _parts = _record?.FindParts();
        }

        if (_upload is null && _parts is null && _record?.Find() is { } remembered)
        {
            _upload = remembered;
            _announced = _source.Length;
            _askFirst = true;
            _mayBePublished = true;
        }

        try
        {
            return _parts is null
                ? await ContinueAsync(watch).ConfigureAwait(false)
                : await PutPartsAsync(watch).ConfigureAwait(false);
        }
        catch (TransferException exception) when (exception.Error == TransferError.NotFound && _upload is not null && Restart())
        {
            throw Transient(exception, "The server does not know the upload any more; it begins anew.");
        }
        catch (TransferException exception) when (
            exception.Error == TransferError.DigestMismatch && exception.Status is not null && ++_mismatches == 1 && Restart())
        {
            _digest = null;
            _hash?.Reset();
            throw Transient(exception, "What arrived was damaged; it is sent once more.");
        }
        catch (TransferException exception) when (
            exception.Error is TransferError.AlreadyExists or TransferError.PreconditionFailed && _mayBePublished)
        {
            if (await FindPublishedAsync(watch).ConfigureAwait(false) is { } published)
            {
                return published;
            }

            throw;
        }
        finally
        {
            _askFirst = _upload is not null;
        }
    }

    private async ValueTask<TransferResult> ContinueAsync(IdleWatch watch)
    {
        long offset = 0;
        long asked = _context.Clock.GetTimestamp();
        if (_askFirst && _upload is not null)
        {
            UploadPosition? position = await Protocol.PositionAsync(_name, _upload, watch).ConfigureAwait(false);
            if (position is { Complete: true } published)
            {
                return await PublishedAsync(new UploadAnswer(published.Offset, true, null, null), published.Offset, watch)
                    .ConfigureAwait(false);
            }

            if (position is null && _mayBePublished && await FindPublishedAsync(watch).ConfigureAwait(false) is { } found)
            {
                return found;
            }

            if (position is null)
            {
                Restart();
            }

            offset = position?.Offset ?? 0;
        }

        if (_upload is null)
        {
            _mayBePublished = false;
            _announced = _source.Length;
            asked = _context.Clock.GetTimestamp();
            _upload = await Protocol.StartAsync(_name, _announced, _precondition, watch).ConfigureAwait(false);
            _record?.Save(_upload);
        }

        _rule = await WatchAsync(_context.Clock.GetElapsedTime(asked), offset, watch).ConfigureAwait(false);
        Acknowledge(offset);
        return await SendAsync(_upload, offset, watch).ConfigureAwait(false);
    }

    private async ValueTask<TransferResult> SendAsync(Uri upload, long offset, IdleWatch watch)
    {
        while (offset != _source.Length)
        {
            if (Following is not null)
            {
                watch.Pause();
                await Following.CatchUpAsync(_source, offset, watch.Token).ConfigureAwait(false);
            }

            long most = Math.Min(Protocol.MaxRequestBytes(Verify), _source.MaxFrom(offset));
            long? count = _source.Length is { } length ? Math.Min(most, length - offset) : null;
            Sha256Digest? part = null;
            if (Verify && !Protocol.VerifiesWhole)
            {
                watch.Pause();
                (part, count) = await HashPartAsync(offset, count ?? most, watch.Token).ConfigureAwait(false);
                if (count == 0)
                {
                    break;
                }
            }

            if (count is null && Protocol.NeedsCount)
            {
                watch.Pause();
                count = await CountPartAsync(offset, most, watch.Token).ConfigureAwait(false);
                if (count == 0)
                {
                    break;
                }
            }

            // A length that the server was not told yet is told when the end is there.
            bool isLast = _announced is { } whole && offset + count == whole
                && (!Verify || !Protocol.VerifiesWhole || Protocol.SupportsTrailingDigest);
            Outgoing content = Next(new Outgoing(
                _source, offset, count, most, part is null ? Following : null, _meter, watch)
            {
                Rule = _rule,
                Digest = isLast && Protocol.SupportsTrailingDigest ? () => TrailingDigestAsync(watch) : null,
            });
            _mayBePublished |= isLast;
            UploadAnswer answer;
            try
            {
                answer = await Protocol.AppendAsync(_name, upload, content, _announced, isLast, part, watch).ConfigureAwait(false);
            }
            catch (OperationCanceledException) when (content.WantsParts && !watch.Caller.IsCancellationRequested)
            {
                return await DivideAsync(watch).ConfigureAwait(false);
            }

            offset = answer.Offset ?? (offset + content.Sent);
            Acknowledge(offset);
            if (answer.Complete)
            {
                return await PublishedAsync(answer, offset, watch).ConfigureAwait(false);
            }
        }

        return await FinishAsync(upload, offset, watch).ConfigureAwait(false);
    }

    private async ValueTask<TransferResult> FinishAsync(Uri upload, long length, IdleWatch watch)
    {
        _source.ThrowIfChanged();
        Sha256Digest? digest = await DigestAsync(length, watch).ConfigureAwait(false);
        if (!Protocol.VerifiesWhole && length == 0
            && await Protocol.PositionAsync(_name, upload, watch).ConfigureAwait(false) is null or { Complete: true })
        {
            // tus publishes what is empty when it is begun.
            return await PublishedAsync(new UploadAnswer(0, true, null, null), 0, watch).ConfigureAwait(false);
        }

        _mayBePublished = true;
        UploadAnswer answer = await Protocol.FinishAsync(_name, upload, length, digest, watch).ConfigureAwait(false);
        return await PublishedAsync(answer, length, watch).ConfigureAwait(false);
    }

    private async ValueTask<TransferResult> PublishedAsync(UploadAnswer answer, long length, IdleWatch watch) =>
        await ConfirmAsync(answer, length, await DigestAsync(length, watch).ConfigureAwait(false), watch).ConfigureAwait(false);

    private async ValueTask<TransferResult?> FindPublishedAsync(IdleWatch watch) =>
        _source.Length is { } length && Verify
            ? await FindPublishedAsync(length, await DigestAsync(length, watch).ConfigureAwait(false), watch).ConfigureAwait(false)
            : null;

    /// <summary>The digest of all that is uploaded; what was sent by an earlier process is read for it.</summary>
    private async ValueTask<Sha256Digest?> DigestAsync(long length, IdleWatch watch)
    {
        if (_hash is null || _digest is not null)
        {
            return _digest;
        }

        watch.Pause();
        await _hash.CatchUpAsync(_source, length, watch.Token).ConfigureAwait(false);
        watch.Touch();
        return await FinishHashAsync().ConfigureAwait(false);
    }

    /// <summary>The digest of all that was uploaded, once the last byte was sent; unless it was changed meanwhile.</summary>
    private ValueTask<Sha256Digest?> TrailingDigestAsync(IdleWatch watch)
    {
        _source.ThrowIfChanged();
        return DigestAsync(_source.Length ?? _source.Position, watch);
    }

    /// <summary>Reads a part ahead to know how long it is.</summary>
    private async ValueTask<long> CountPartAsync(long offset, long most, CancellationToken cancellationToken)
    {
        _source.Seek(offset);
        long count = 0;
        while (count < most)
        {
            ReadOnlyMemory<byte> bytes = await _source.ReadAsync(cancellationToken).ConfigureAwait(false);
            if (bytes.IsEmpty)
            {
                break;
            }

            count += bytes.Length;
        }

        return Math.Min(count, most);
    }

    /// <summary>Reads a part ahead for the checksum that goes in front of it.</summary>
    private async ValueTask<(Sha256Digest Digest, long Count)> HashPartAsync(
        long offset, long most, CancellationToken cancellationToken)
    {
        using var part = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        _source.Seek(offset);
        long count = 0;
        while (count < most)
        {
            ReadOnlyMemory<byte> bytes = await _source.ReadAsync(cancellationToken).ConfigureAwait(false);
            if (bytes.IsEmpty)
            {
                break;
            }

            bytes = bytes[..(int)Math.Min(bytes.Length, most - count)];
            ValueTask followed = Following?.FollowAsync(offset + count, bytes) ?? default;
            part.AppendData(bytes.Span);
            await followed.ConfigureAwait(false);
            await _hash!.DrainAsync().ConfigureAwait(false);
            count += bytes.Length;
        }

        return (Finish(part), count);
    }

    private static Sha256Digest Finish(IncrementalHash hash)
    {
        Span<byte> digest = stackalloc byte[SHA256.HashSizeInBytes];
        hash.GetHashAndReset(digest);
        return new Sha256Digest(digest);
    }

    private void Acknowledge(long offset)
    {
        _source.Acknowledge(offset);
        _state.Reached(offset);
        _meter.Report(offset);
    }

    /// <summary>Forgets the upload, so that another one is begun.</summary>
    /// <returns>Whether that can be: the source goes back to its beginning.</returns>
    private bool Restart()
    {
        if (!_source.CanSeek(0))
        {
            return false;
        }

        _upload = null;
        _record?.Remove();
        return true;
    }

    private async ValueTask DeleteAsync()
    {
        using var bound = new CancellationTokenSource(GiveUpTime);
        await AbortAsync(Protocol, _upload!, bound.Token).ConfigureAwait(false);
    }

    private async ValueTask AbortAsync(Protocol protocol, Uri upload, CancellationToken cancellationToken)
    {
        try
        {
            using IdleWatch watch = _context.Watch(cancellationToken);
            await protocol.AbortAsync(_name, upload, watch).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is TransferException or OperationCanceledException or HttpRequestException)
        {
            // It expires.
        }
    }

    private static TransferException Transient(TransferException exception, string why) => new(
        exception.Error, $"{exception.Message} {why}", exception.Name, exception)
    {
        Status = exception.Status,
        Protocol = exception.Protocol,
        IsTransient = true,
    };
}
