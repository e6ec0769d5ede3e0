using System.Text.Json;

namespace Millrace.Transfer.S3;

/// <summary>An <see cref="S3Upload"/> as one request uses it: keeps its lock from the first step to the last.</summary>
/// <remarks>While another request appends, its server knows all bytes that it has, and another one only those in saved parts.</remarks>
internal sealed class S3UploadRequest(
    S3Store store, UploadRegistry registry, S3Upkeep upkeep, Publisher publisher, S3Upload upload, UploadStatus status)
    : UploadRequest(status with { Offset = Math.Max(status.Offset, upload.ReceivedTo) })
{
    // An upload that has all its bytes is held only to be published, or joined, which takes long.
    protected override bool IsFinal { get; } = status.IsComplete || status.Published is not null;

    public override async ValueTask<UploadWriter> AppendAsync(
        long offset, bool discardable, CancellationToken cancellationToken)
    {
        TakeoverLock.Holder holder = await EnterAsync(cancellationToken);
        try
        {
            UploadRules.ThrowIfNotAppendable(Known, offset);
            await upkeep.CheckTotalAsync(Known.Name, Known.Length - offset ?? 0, cancellationToken);
            long limit = Math.Min(Known.Length ?? store.MaxBytes, store.MaxBytes);
            (Multipart multipart, PartWriter body) = await upload.OpenAsync(limit, cancellationToken);
            return new S3UploadWriter(
                store.Bucket, upload, status => Known = status, YieldAsync, holder, multipart, body, limit, discardable);
        }
        catch (Exception exception)
        {
            if (exception is TransferException { Error: TransferError.NoSpace })
            {
                await YieldAsync();
            }

            holder.Rest();
            throw;
        }
    }

    /// <summary>Deletes the upload, which has no room, if it keeps another one from its end.</summary>
    private async ValueTask YieldAsync()
    {
        try
        {
            if (store.Quota.IsLimited && UploadRules.IsInTheWay(upload.ToStatus(), await registry.ListUnfinishedAsync(), -store.Quota.Excess(0)))
            {
                await registry.RemoveAsync(upload, CancellationToken.None);
            }
        }
        catch (Exception exception) when (exception is TransferException or JsonException or FormatException)
        {
            // It stays until it expires; so does one that cannot be read.
        }
    }

    public override async ValueTask<bool> DeleteAsync(CancellationToken cancellationToken)
    {
        await DisposeAsync();
        return await registry.RemoveAsync(upload.Id, cancellationToken.Begin());
    }

    protected override async ValueTask<TakeoverLock.Holder> EnterAsync(CancellationToken cancellationToken)
    {
        if (Holder?.TryResume() is true)
        {
            try
            {
                await upload.ConfirmAsync(cancellationToken);
            }
            catch
            {
                await DisposeAsync();
                throw;
            }
        }
        else
        {
            Holder = await upload.AcquireAsync(evenExpired: false, cancellationToken);
        }

        Known = upload.ToStatus();
        return Holder!;
    }

    protected override async ValueTask SaveLengthAsync(long length, CancellationToken cancellationToken)
    {
        store.CheckLength(Known.Name, length);
        await upkeep.CheckTotalAsync(Known.Name, length - Known.Offset, cancellationToken);
        await SaveAsync(upload.Record with { Length = length }, cancellationToken);
    }

    protected override async ValueTask PublishAsync(Sha256Digest? expected, CancellationToken cancellationToken)
    {
        StoredFile file = await NameAsync(expected, cancellationToken);
        await SaveAsync(
            upload.Record with { Published = PublishedRecord.Of(file), Tags = [], End = 0, Hash = null, TailKey = null, TailBytes = 0 },
            CancellationToken.None);
        registry.Finish(upload.Id);
    }

    private async ValueTask SaveAsync(UploadRecord record, CancellationToken cancellationToken)
    {
        await upload.SaveAsync(record, cancellationToken);
        Known = upload.ToStatus();
    }

    private async ValueTask<StoredFile> NameAsync(Sha256Digest? expected, CancellationToken cancellationToken)
    {
        TransferName name = Known.Name;
        WritePrecondition condition = Known.Precondition;
        await publisher.CheckAsync(name, condition, cancellationToken);
        (Multipart multipart, PartWriter body) = await upload.OpenAsync(Known.Offset, cancellationToken);
        await using (body)
        {
            // The length was set after the last byte: what follows the last whole part is a part, too.
            await body.SettleAsync(isLast: true, cancellationToken);
            Sha256Digest digest = UploadTerms.DigestOf(upload.Record.Sha256) ?? body.ToDigest();
            if (UploadRules.FindMismatch(Known, expected, digest) is { } mismatch)
            {
                await registry.RemoveAsync(upload, cancellationToken.Begin());
                throw mismatch;
            }

            if (body.Progress.Tags is not { Count: > 0 } tags)
            {
                return await publisher.PutAsync(name, condition, body.Tail, multipart, digest, cancellationToken);
            }

            try
            {
                return await publisher.CompleteAsync(name, condition, multipart, tags, digest, cancellationToken);
            }
            catch (AmazonS3Exception exception) when (S3Errors.IsLostPart(exception))
            {
                throw await RestartAsync(multipart, exception);
            }
        }
    }

    /// <summary>A server that had lost the upload has replaced a part, or a rule of the bucket has removed them: the client sends all again.</summary>
    private async ValueTask<TransferException> RestartAsync(Multipart multipart, AmazonS3Exception exception)
    {
        await SaveAsync(
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
            CancellationToken.None);
        await multipart.AbortAsync();
        return Errors.WrongOffset(upload.Id, $"its parts in the bucket were changed ({exception.ErrorCode})", 0);
    }
}
