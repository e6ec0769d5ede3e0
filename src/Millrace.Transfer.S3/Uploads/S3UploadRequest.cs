namespace Millrace.Transfer.S3;

/// <summary>An <see cref="S3Upload"/> as one request uses it: keeps its lock from the first step to the last.</summary>
/// <remarks>While another request appends, its server knows all bytes that it has, and another one only those in saved parts.</remarks>
internal sealed class S3UploadRequest : StoredUpload
{
    private readonly S3Store _store;
    private readonly UploadRegistry _registry;
    private readonly S3Upkeep _upkeep;
    private readonly Publisher _publisher;
    private readonly S3Upload _upload;
    private readonly bool _hasAll;
    private TakeoverLock.Holder? _holder;
    private UploadStatus _status;

    public S3UploadRequest(
        S3Store store, UploadRegistry registry, S3Upkeep upkeep, Publisher publisher, S3Upload upload, UploadStatus status)
    {
        _store = store;
        _registry = registry;
        _upkeep = upkeep;
        _publisher = publisher;
        _upload = upload;
        _hasAll = status.IsComplete || status.Published is not null;
        _status = status with { Offset = Math.Max(status.Offset, upload.ReceivedTo) };
    }

    public override UploadStatus Status => _status;

    public override async ValueTask TakeOverAsync(CancellationToken cancellationToken)
    {
        // What has all its bytes has no writer, and is held only to be published, or joined, which takes long.
        if (!_hasAll)
        {
            (await EnterAsync(cancellationToken)).Rest();
        }
    }

    public override async ValueTask SetLengthAsync(long length, CancellationToken cancellationToken)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        if (_status.Length == length)
        {
            // Known already: no reason to stop a request that appends.
            return;
        }

        TakeoverLock.Holder holder = await EnterAsync(cancellationToken);
        try
        {
            UploadRules.ThrowIfOtherLength(_status, length);
            _store.CheckLength(_status.Name, length);
            await _upkeep.CheckTotalAsync(_status.Name, length - _status.Offset, cancellationToken);
            await SaveAsync(_upload.Record with { Length = length }, cancellationToken);
        }
        finally
        {
            holder.Rest();
        }
    }

    public override async ValueTask<UploadWriter> AppendAsync(
        long offset, bool discardable, CancellationToken cancellationToken)
    {
        TakeoverLock.Holder holder = await EnterAsync(cancellationToken);
        try
        {
            UploadRules.ThrowIfNotAppendable(_status, offset);
            await _upkeep.CheckTotalAsync(_status.Name, _status.Length - offset ?? 0, cancellationToken);
            long limit = Math.Min(_status.Length ?? _store.MaxBytes, _store.MaxBytes);
            (Multipart multipart, PartWriter body) = await _upload.OpenAsync(limit, cancellationToken);
            return new S3UploadWriter(
                _store.Bucket, _upload, status => _status = status, holder, multipart, body, _store.Quota, limit, discardable);
        }
        catch
        {
            holder.Rest();
            throw;
        }
    }

    public override async ValueTask<StoredFile> CompleteAsync(Sha256Digest? expected, CancellationToken cancellationToken)
    {
        TakeoverLock.Holder holder = await EnterAsync(cancellationToken);
        try
        {
            if (_status.Published is null)
            {
                UploadRules.ThrowIfUnfinished(_status);
                StoredFile file = await PublishAsync(expected, cancellationToken);
                await SaveAsync(
                    _upload.Record with { Published = PublishedRecord.Of(file), Tags = [], End = 0, Hash = null, TailKey = null, TailBytes = 0 },
                    CancellationToken.None);
                _registry.Finish(_upload.Id);
            }

            return _status.Published!;
        }
        finally
        {
            holder.Rest();
        }
    }

    public override async ValueTask<bool> DeleteAsync(CancellationToken cancellationToken)
    {
        await DisposeAsync();
        return await _registry.RemoveAsync(_upload.Id, cancellationToken);
    }

    public override ValueTask DisposeAsync()
    {
        _holder?.Dispose();
        _holder = null;
        return default;
    }

    /// <summary>Begins a step, for which the upload has to be this request's.</summary>
    /// <returns>To be rested at the end of the step.</returns>
    private async ValueTask<TakeoverLock.Holder> EnterAsync(CancellationToken cancellationToken)
    {
        if (_holder?.TryResume() is true)
        {
            try
            {
                await _upload.ConfirmAsync(cancellationToken);
            }
            catch
            {
                await DisposeAsync();
                throw;
            }
        }
        else
        {
            _holder = await _upload.AcquireAsync(evenExpired: false, cancellationToken);
        }

        _status = _upload.ToStatus();
        return _holder!;
    }

    private async ValueTask SaveAsync(UploadRecord record, CancellationToken cancellationToken)
    {
        await _upload.SaveAsync(record, cancellationToken);
        _status = _upload.ToStatus();
    }

    private async ValueTask<StoredFile> PublishAsync(Sha256Digest? expected, CancellationToken cancellationToken)
    {
        TransferName name = _status.Name;
        WritePrecondition condition = _status.Precondition;
        await _publisher.CheckAsync(name, condition, cancellationToken);
        (Multipart multipart, PartWriter body) = await _upload.OpenAsync(_status.Offset, cancellationToken);
        await using (body)
        {
            // The length was set after the last byte: what follows the last whole part is a part, too.
            await body.SettleAsync(isLast: true, cancellationToken);
            Sha256Digest digest = UploadTerms.DigestOf(_upload.Record.Sha256) ?? body.ToDigest();
            if (UploadRules.FindMismatch(_status, expected, digest) is { } mismatch)
            {
                await _registry.RemoveAsync(_upload, cancellationToken);
                throw mismatch;
            }

            if (body.Progress.Tags is not { Count: > 0 } tags)
            {
                return await _publisher.PutAsync(name, condition, body.Tail, multipart.Version, digest, cancellationToken);
            }

            try
            {
                return await _publisher.CompleteAsync(name, condition, multipart, tags, digest, cancellationToken);
            }
            catch (AmazonS3Exception exception) when (S3Errors.IsLostPart(exception))
            {
                throw await RestartAsync(exception, cancellationToken);
            }
        }
    }

    /// <summary>A server that had lost the upload has replaced a part, or a rule of the bucket has removed them: the client sends all again.</summary>
    private async ValueTask<TransferException> RestartAsync(AmazonS3Exception exception, CancellationToken cancellationToken)
    {
        await SaveAsync(
            _upload.Record with
            {
                MultipartId = null,
                Tags = [],
                End = 0,
                Hash = null,
                Sha256 = null,
                TailKey = null,
                TailBytes = 0,
                FileVersion = FileMetadata.NewVersion(),
            },
            cancellationToken);
        return Errors.WrongOffset(_upload.Id, $"its parts in the bucket were changed ({exception.ErrorCode})", 0);
    }
}
