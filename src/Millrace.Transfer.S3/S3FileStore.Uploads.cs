using System.Text;

namespace Millrace.Transfer.S3;

public sealed partial class S3FileStore
{
    /// <summary>Longest <see cref="StartUploadOptions.Metadata"/>, in bytes of UTF-8.</summary>
    private const int MaxMetadataBytes = 4096;

    /// <inheritdoc/>
    public async ValueTask<UploadStatus> StartUploadAsync(StartUploadOptions options, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(options);
        return (await StartAsync(options, UploadRecord.Of(options), cancellationToken)).ToStatus();
    }

    /// <inheritdoc/>
    /// <remarks>While a request still appends, its server knows all bytes that it has, and another one only those in saved parts.</remarks>
    public async ValueTask<UploadStatus?> FindUploadAsync(UploadId id, bool takeOver, CancellationToken cancellationToken)
    {
        if (id.Value is null)
        {
            return null;
        }

        S3Upload upload = _uploads.Get(id);
        UploadStatus? status = await upload.FindAsync(cancellationToken);
        if (status is null)
        {
            _uploads.Forget(id);
            return null;
        }

        // What has all its bytes has no writer, and is held only to be published, or joined, which takes long.
        if (!takeOver || status.Published is not null || status.IsComplete)
        {
            return status with { Offset = Math.Max(status.Offset, upload.ReceivedTo) };
        }

        try
        {
            using TakeoverLock.Holder holder = await upload.AcquireAsync(evenExpired: false, cancellationToken);
            return upload.ToStatus();
        }
        catch (TransferException exception) when (exception.Error == TransferError.NotFound)
        {
            // It was deleted meanwhile.
            return null;
        }
    }

    /// <inheritdoc/>
    public async ValueTask<UploadWriter> AppendUploadAsync(
        UploadId id, long offset, bool discardable, CancellationToken cancellationToken)
    {
        S3Upload upload = FindUpload(id);
        TakeoverLock.Holder holder = await upload.AcquireAsync(evenExpired: false, cancellationToken);
        try
        {
            UploadRecord record = upload.Record;
            if (record.Published is not null || record.Offset == record.Length)
            {
                throw new TransferException(
                    TransferError.UploadComplete,
                    $"The upload '{id}' has all its {record.Offset} bytes already. Complete it, or start a new one.")
                {
                    Offset = record.Offset,
                };
            }

            if (record.Offset != offset)
            {
                throw S3Errors.WrongOffset(id, $"the request would continue it at {offset}", record.Offset);
            }

            await CheckTotalAsync(upload.Name, record.Length - offset ?? 0, cancellationToken);
            long limit = Math.Min(record.Length ?? Limit, Limit);
            (Multipart multipart, PartWriter body) = await ContinueAsync(upload, limit, cancellationToken);
            return new S3UploadWriter(_bucket, upload, holder, multipart, body, _quota, limit, discardable);
        }
        catch
        {
            holder.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public async ValueTask<UploadStatus> SetUploadLengthAsync(UploadId id, long length, CancellationToken cancellationToken)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        S3Upload upload = FindUpload(id);
        if (await upload.FindAsync(cancellationToken) is { } status && status.Length == length)
        {
            // Known already: no reason to stop a request that appends.
            return status;
        }

        using TakeoverLock.Holder holder = await upload.AcquireAsync(evenExpired: false, cancellationToken);
        UploadRecord record = upload.Record;
        if ((record.Length ?? length) != length || record.Offset > length)
        {
            throw new TransferException(
                TransferError.InvalidRequest,
                record.Length is { } known
                    ? $"The upload '{id}' cannot have {length} bytes: {known} were said before."
                    : $"The upload '{id}' cannot have {length} bytes: {record.Offset} are there already.")
            {
                Offset = record.Offset,
            };
        }

        CheckLength(upload.Name, length);
        await CheckTotalAsync(upload.Name, length - record.Offset, cancellationToken);
        await upload.SaveAsync(record with { Length = length }, cancellationToken);
        return upload.ToStatus();
    }

    /// <inheritdoc/>
    /// <remarks>After the first success, returns the same file again until the upload expires.</remarks>
    public async ValueTask<StoredFile> CompleteUploadAsync(
        UploadId id, Sha256Digest? expected, CancellationToken cancellationToken)
    {
        S3Upload upload = FindUpload(id);
        using TakeoverLock.Holder holder = await upload.AcquireAsync(evenExpired: false, cancellationToken);
        TransferName name = upload.Name;
        if (upload.Record.Published is null)
        {
            ThrowIfUnfinished(upload);
            StoredFile file = await PublishAsync(upload, expected, cancellationToken);
            await upload.SaveAsync(
                upload.Record with { Published = PublishedRecord.Of(file), Tags = [], End = 0, Hash = null, TailKey = null, TailBytes = 0 },
                CancellationToken.None);
            _uploads.Finish(id);
        }

        return upload.Record.Published!.ToFile(name);
    }

    /// <inheritdoc/>
    public async ValueTask<bool> AbortUploadAsync(UploadId id, CancellationToken cancellationToken)
    {
        if (id.Value is null)
        {
            return false;
        }

        S3Upload upload = _uploads.Get(id);
        try
        {
            using TakeoverLock.Holder holder = await upload.AcquireAsync(evenExpired: true, cancellationToken);
            await RemoveAsync(upload, cancellationToken);
            return true;
        }
        catch (TransferException exception) when (exception.Error == TransferError.NotFound)
        {
            return false;
        }
        finally
        {
            _uploads.Forget(id);
        }
    }

    private static void ThrowIfUnfinished(S3Upload upload)
    {
        UploadRecord record = upload.Record;
        if (record.Name.Length == 0 || record.Length != record.Offset)
        {
            throw new TransferException(
                TransferError.InvalidRequest,
                record.Name.Length == 0
                    ? $"The upload '{upload.Id}' is only a part of others and has no name. Join it to one that has."
                    : record.Length is { } length
                        ? $"The upload '{upload.Id}' has {record.Offset} of {length} bytes. Send the rest, then complete it."
                        : $"Nobody said how long the upload '{upload.Id}' is. Say it, then complete it.")
            {
                Offset = record.Offset,
            };
        }
    }

    private async ValueTask<StoredFile> PublishAsync(S3Upload upload, Sha256Digest? expected, CancellationToken cancellationToken)
    {
        UploadRecord record = upload.Record;
        TransferName name = upload.Name;
        WritePrecondition condition = record.ToPrecondition();
        await _publisher.CheckAsync(name, condition, cancellationToken);
        (Multipart multipart, PartWriter body) = await ContinueAsync(upload, record.Offset, cancellationToken);
        await using (body)
        {
            // The length was set after the last byte: what follows the last whole part is a part, too.
            await body.SettleAsync(isLast: true, cancellationToken);
            Sha256Digest digest = UploadRecord.DigestOf(record.Sha256) ?? body.ToDigest();
            await CompareAsync(upload, [expected, UploadRecord.DigestOf(record.Expected)], digest, cancellationToken);
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
                throw await RestartAsync(upload, exception, cancellationToken);
            }
        }
    }

    /// <summary>Deletes an upload whose digest is not the expected one.</summary>
    private async ValueTask CompareAsync(
        S3Upload upload, Sha256Digest?[] expected, Sha256Digest digest, CancellationToken cancellationToken)
    {
        foreach (Sha256Digest? wanted in expected)
        {
            if (wanted is { } must && must != digest)
            {
                TransferName name = upload.Name;
                await RemoveAsync(upload, cancellationToken);
                throw S3Errors.WrongDigest(name, must, digest);
            }
        }
    }

    /// <summary>A server that had lost the upload has replaced a part, or a rule of the bucket has removed them: the client sends all again.</summary>
    private static async ValueTask<TransferException> RestartAsync(
        S3Upload upload, AmazonS3Exception exception, CancellationToken cancellationToken)
    {
        await upload.SaveAsync(
            upload.Record with
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
        return S3Errors.WrongOffset(upload.Id, $"its parts in the bucket were changed ({exception.ErrorCode})", 0);
    }

    private async ValueTask RemoveAsync(S3Upload upload, CancellationToken cancellationToken)
    {
        UploadRecord record = upload.Record;
        await upload.DeleteAsync(cancellationToken);
        _uploads.Release(upload.Id);
        if (record.Published is not null)
        {
            return;
        }

        _quota.Deleted();
        if (record is { Name.Length: > 0, MultipartId: not null })
        {
            await DeleteOrphanDigestAsync(upload.Name, cancellationToken);
        }
    }

    /// <summary>The digest of a file that was about to be published stays if the server died at that moment.</summary>
    private async ValueTask DeleteOrphanDigestAsync(TransferName name, CancellationToken cancellationToken)
    {
        if (await _bucket.HeadAsync(_keys.Of(name), cancellationToken) is null)
        {
            await _digests.DeleteAsync(name, cancellationToken);
        }
    }

    private async ValueTask<S3Upload> StartAsync(
        StartUploadOptions options, UploadRecord record, CancellationToken cancellationToken)
    {
        await _counted.Task.WaitAsync(cancellationToken);
        if (options.Metadata is { } metadata && Encoding.UTF8.GetByteCount(metadata) > MaxMetadataBytes)
        {
            throw S3Errors.Invalid($"The metadata of an upload may have {MaxMetadataBytes} bytes. Send less.");
        }

        long length = record.Length ?? 0;
        ArgumentOutOfRangeException.ThrowIfNegative(length, nameof(options));
        CheckLength(options.Name, length);
        if (!options.Name.IsRoot)
        {
            _ = _keys.Of(options.Name);
            await _publisher.CheckFoldersAsync(options.Name, cancellationToken);
            await _publisher.CheckAsync(options.Name, options.Precondition, cancellationToken);
        }

        await CheckTotalAsync(options.Name, length, cancellationToken);
        UploadId id = UploadId.Next();
        _uploads.Take(id, options.Name, record.Caller!);
        try
        {
            while (_uploads.TakeSurplus() is { } oldest)
            {
                await AbortUploadAsync(oldest, cancellationToken);
            }

            S3Upload upload = _uploads.Get(id);
            await upload.StartAsync(record with { PartBytes = PartPlan.For(record.Length, Options).FixedBytes }, cancellationToken);
            return upload;
        }
        catch
        {
            _uploads.Release(id);
            _uploads.Forget(id);
            throw;
        }
    }

    /// <summary>Opens an upload where it is. What it has after its last whole part is read back.</summary>
    private async ValueTask<(Multipart Multipart, PartWriter Body)> ContinueAsync(
        S3Upload upload, long limit, CancellationToken cancellationToken)
    {
        UploadRecord record = upload.Record;
        var multipart = new Multipart(_bucket, upload.DataKey, record.FileVersion, record.MultipartId);
        var body = new PartWriter(
            _memory, new PartPlan(record.PartBytes, PartPlan.MaxPartBytes(Options)), multipart, upload.Name, record.ToProgress(),
            record.Length, limit, _quota);
        try
        {
            if (record.TailKey is { } key)
            {
                PartBuffer tail = await body.StartTailAsync(record.TailBytes, cancellationToken);
                await FillAsync(tail, key, tag: null, record.TailBytes, cancellationToken);
                body.AddTail();
            }

            return (multipart, body);
        }
        catch
        {
            await body.DisposeAsync();
            throw;
        }
    }

    /// <summary>Reads the first bytes of an object.</summary>
    /// <param name="tail">Where they go.</param>
    /// <param name="key">The object.</param>
    /// <param name="tag">The only version to read, without quotes; null for any.</param>
    /// <param name="bytes">How many.</param>
    /// <param name="cancellationToken">Ends it.</param>
    private async ValueTask FillAsync(PartBuffer tail, string key, string? tag, long bytes, CancellationToken cancellationToken)
    {
        try
        {
            using GetObjectResponse response = await _bucket.Client.GetObjectAsync(
                new GetObjectRequest { BucketName = _bucket.Name, Key = key, EtagToMatch = tag }, cancellationToken);
            while (tail.Length < bytes)
            {
                Memory<byte> room = tail.GetMemory();
                int count = (int)Math.Min(room.Length, bytes - tail.Length);
                await response.ResponseStream.ReadExactlyAsync(room[..count], cancellationToken);
                tail.Advance(count);
            }
        }
        catch (Exception exception) when (S3Errors.IsOfStore(exception))
        {
            throw S3Errors.Translate(exception);
        }
    }

    private S3Upload FindUpload(UploadId id) => id.Value is null ? throw S3Errors.NoUpload(id) : _uploads.Get(id);
}
