using Microsoft.Win32.SafeHandles;

namespace Millrace.Transfer.Server;

/// <summary>A <see cref="LocalUpload"/> as one request uses it: keeps its lock from the first step to the last.</summary>
internal sealed class LocalUploadRequest : StoredUpload
{
    private readonly LocalStore _store;
    private readonly UploadRegistry _registry;
    private readonly LocalPublisher _publisher;
    private readonly LocalUpload _upload;
    private TakeoverLock.Holder? _holder;
    private UploadStatus _status;

    /// <exception cref="TransferException"><see cref="TransferError.NotFound"/>: it was deleted.</exception>
    public LocalUploadRequest(LocalStore store, UploadRegistry registry, LocalPublisher publisher, LocalUpload upload)
    {
        _store = store;
        _registry = registry;
        _publisher = publisher;
        _upload = upload;
        _status = upload.ToStatus();
    }

    public override UploadStatus Status => _status;

    public override async ValueTask TakeOverAsync(CancellationToken cancellationToken)
    {
        if (_status.Published is null)
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
            _store.Limits.CheckFile(_status.Name, length);
            await _store.Limits.CheckTotalAsync(_status.Name, length - _status.Offset, cancellationToken);
            await _upload.SaveAsync(_upload.Record with { Length = length });
            _status = _upload.ToStatus();
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
            await _store.Limits.CheckTotalAsync(_status.Name, _status.Length - offset ?? 0, cancellationToken);
            if (discardable)
            {
                await _upload.SaveAsync(_upload.Record with { Verified = offset });
            }
            else
            {
                _upload.Touch();
            }

            return OpenWriter(holder, offset);
        }
        catch (Exception exception)
        {
            holder.Rest();
            if (exception is FilePipeException)
            {
                throw Errors.Translate(exception, "continue", _status.Name);
            }

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
                Sha256Digest? digest = await VerifyAsync(expected, cancellationToken);
                await _publisher.PublishAsync(_upload, digest, cancellationToken);
                _upload.DropDigest();
                _registry.Finish(_upload);
                _status = _upload.ToStatus();
            }

            return _status.Published!;
        }
        catch (Exception exception)
            when (exception is IOException and not TransferException or UnauthorizedAccessException)
        {
            throw Errors.Translate(exception, "publish", _status.Name);
        }
        finally
        {
            holder.Rest();
        }
    }

    public override async ValueTask<bool> DeleteAsync(CancellationToken cancellationToken)
    {
        if (_holder?.TryResume() is not true && (_holder = await _upload.TryAcquireAsync(cancellationToken)) is null)
        {
            return false;
        }

        await RemoveAsync();
        return true;
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
        if (_holder?.TryResume() is not true)
        {
            _holder = await _upload.AcquireAsync(cancellationToken);
        }

        _status = _upload.ToStatus();
        return _holder;
    }

    private LocalUploadWriter OpenWriter(TakeoverLock.Holder holder, long offset)
    {
        _store.Limits.CheckDevice(_status.Name, _status.Length - offset ?? 0);
        FilePipeWriter file = _upload.OpenData();
        try
        {
            LimitedBody limited = _publisher.Limit(file, _status.Name, _status.Length, _upload.Reservation);
            return new LocalUploadWriter(
                _store, _upload, status => _status = status, holder, file, limited, reserved: _status.Length is not null);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>Computes the digest if it is needed; deletes an upload whose digest is not the expected one.</summary>
    private async ValueTask<Sha256Digest?> VerifyAsync(Sha256Digest? expected, CancellationToken cancellationToken)
    {
        if (expected is null && _status.Expected is null && !_store.Options.ComputeSha256)
        {
            return null;
        }

        Sha256Digest? digest;
        using (SafeFileHandle data = File.OpenHandle(
            _upload.DataPath, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete))
        {
            digest = await _upload.ContinueDigest(_status.Offset).FinishAsync(data, _status.Offset, cancellationToken);
        }

        if (UploadRules.FindMismatch(_status, expected, digest) is { } mismatch)
        {
            await RemoveAsync();
            throw mismatch;
        }

        return digest;
    }

    private ValueTask RemoveAsync()
    {
        _registry.Remove(_upload);
        return DisposeAsync();
    }
}
