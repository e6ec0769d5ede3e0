using Microsoft.Win32.SafeHandles;

namespace Millrace.Transfer.Server;

/// <summary>A <see cref="LocalUpload"/> as one request uses it: keeps its lock from the first step to the last.</summary>
internal sealed class LocalUploadRequest(LocalStore store, UploadRegistry registry, LocalPublisher publisher, LocalUpload upload)
    : UploadRequest(upload.ToStatus())
{
    protected override bool IsFinal => Known.Published is not null;

    public override async ValueTask<UploadWriter> AppendAsync(
        long offset, bool discardable, CancellationToken cancellationToken)
    {
        TakeoverLock.Holder holder = await EnterAsync(cancellationToken);
        try
        {
            UploadRules.ThrowIfNotAppendable(Known, offset);
            await store.Limits.CheckTotalAsync(Known.Name, Known.Length - offset ?? 0, cancellationToken);
            if (discardable)
            {
                await upload.SaveAsync(upload.Record with { Verified = offset });
            }
            else
            {
                upload.Touch();
            }

            return OpenWriter(holder, offset, discardable);
        }
        catch (Exception exception)
        {
            if (exception is TransferException { Error: TransferError.NoSpace })
            {
                await YieldAsync();
            }

            holder.Rest();
            if (exception is FilePipeException)
            {
                throw Errors.Translate(exception, "continue", Known.Name);
            }

            throw;
        }
    }

    /// <summary>Deletes the upload, which has no room, if it keeps another one from its end.</summary>
    private async ValueTask YieldAsync()
    {
        try
        {
            if (store.Options.MaxTotalBytes is not null
                && UploadRules.IsInTheWay(upload.ToStatus(), registry.ListUnfinished(), store.Limits.Left))
            {
                await RemoveAsync();
            }
        }
        catch (TransferException)
        {
            // It stays until it expires, and the caller learns that there is no room.
        }
    }

    public override async ValueTask<bool> DeleteAsync(CancellationToken cancellationToken)
    {
        if (Holder?.TryResume() is not true && (Holder = await upload.TryAcquireAsync(cancellationToken)) is null)
        {
            return false;
        }

        await RemoveAsync();
        return true;
    }

    protected override async ValueTask<TakeoverLock.Holder> EnterAsync(CancellationToken cancellationToken)
    {
        if (Holder?.TryResume() is not true)
        {
            Holder = await upload.AcquireAsync(cancellationToken);
        }

        Known = upload.ToStatus();
        return Holder;
    }

    protected override async ValueTask SaveLengthAsync(long length, CancellationToken cancellationToken)
    {
        store.Limits.CheckFile(Known.Name, length);
        await store.Limits.CheckTotalAsync(Known.Name, length - Known.Offset, cancellationToken);
        await upload.SaveAsync(upload.Record with { Length = length });
        Known = upload.ToStatus();
    }

    protected override async ValueTask PublishAsync(Sha256Digest? expected, CancellationToken cancellationToken)
    {
        try
        {
            FileDigest? digest = await VerifyAsync(expected, cancellationToken);
            await publisher.PublishAsync(upload, digest, cancellationToken);
            upload.DropDigest();
            registry.Finish(upload);
            Known = upload.ToStatus();
        }
        catch (Exception exception)
            when (exception is IOException and not TransferException or UnauthorizedAccessException)
        {
            throw Errors.Translate(exception, "publish", Known.Name);
        }
    }

    private LocalUploadWriter OpenWriter(TakeoverLock.Holder holder, long offset, bool discardable)
    {
        store.Limits.CheckDevice(Known.Name, Known.Length - offset ?? 0);
        FilePipeWriter file = upload.OpenData();
        try
        {
            LimitedBody limited = publisher.Limit(file, Known.Name, Known.Length, upload.Reservation, discardable);
            return new LocalUploadWriter(
                store, upload, status => Known = status, YieldAsync, holder, file, limited, reserved: Known.Length is not null);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>Computes the digest if it is needed; deletes an upload whose digest is not the expected one.</summary>
    private async ValueTask<FileDigest?> VerifyAsync(Sha256Digest? expected, CancellationToken cancellationToken)
    {
        if (expected is null && Known.Expected is null && !store.Options.ComputeSha256)
        {
            return null;
        }

        FileDigest? digest;
        using (SafeFileHandle data = File.OpenHandle(
            upload.DataPath, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete))
        {
            digest = await upload.ContinueDigest(Known.Offset).FinishAsync(data, Known.Offset, cancellationToken);
        }

        if (UploadRules.FindMismatch(Known, expected, digest?.Sha256) is { } mismatch)
        {
            await RemoveAsync();
            throw mismatch;
        }

        return digest;
    }

    private ValueTask RemoveAsync()
    {
        registry.Remove(upload);
        return DisposeAsync();
    }
}
