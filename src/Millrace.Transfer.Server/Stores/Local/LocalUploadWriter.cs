namespace Millrace.Transfer.Server;

/// <summary>Appends to a <see cref="LocalUpload"/> and keeps its lock until it is disposed.</summary>
internal sealed class LocalUploadWriter : UploadWriter
{
    private readonly LocalStore _store;
    private readonly LocalUpload _upload;
    private readonly Action<UploadStatus> _changed;
    private readonly Func<ValueTask> _refused;
    private readonly TakeoverLock.Holder _holder;
    private readonly FilePipeWriter _file;
    private readonly LimitedBody _limited;
    private readonly TrailingDigest? _digest;
    private readonly long _start;
    private readonly bool _reserved;
    private bool _discarded;
    private bool _disposed;

    /// <param name="store">The store.</param>
    /// <param name="upload">The upload.</param>
    /// <param name="changed">Receives the upload's new status.</param>
    /// <param name="refused">Called at the end if there was no room for all bytes.</param>
    /// <param name="holder">Its lock; rests when this is disposed.</param>
    /// <param name="file">Its data; owned.</param>
    /// <param name="limited">Counts the written bytes.</param>
    /// <param name="reserved">Whether the file was extended for bytes to come: the unused rest is cut off.</param>
    public LocalUploadWriter(
        LocalStore store,
        LocalUpload upload,
        Action<UploadStatus> changed,
        Func<ValueTask> refused,
        TakeoverLock.Holder holder,
        FilePipeWriter file,
        LimitedBody limited,
        bool reserved)
    {
        _store = store;
        _upload = upload;
        _changed = changed;
        _refused = refused;
        _holder = holder;
        _file = file;
        _limited = limited;
        _start = file.Position;
        _reserved = reserved;
        if (store.Options.ComputeSha256)
        {
            _digest = upload.ContinueDigest(_start);
            _digest.Follow(file.Handle, upload.Record.Length - _start);
            limited.AfterZeros = _digest.WaitBehindHoleAsync;
        }
    }

    public override PipeWriter Output => _limited;

    public override CancellationToken Superseded => _holder.Superseded;

    public override long Offset => _file.Position;

    public override long RemainingBytes => Math.Max(
        0, Math.Min(_upload.Record.Length ?? long.MaxValue, _store.Options.MaxFileBytes ?? long.MaxValue) - Offset);

    private bool MustVerify => _upload.Record.Verified is not null;

    public override async ValueTask<UploadStatus> SaveAsync(CancellationToken cancellationToken)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        try
        {
            ValueTask<FlushResult> flush = _store.Options.Durability == Durability.None
                ? _file.FlushAsync(cancellationToken)
                : _file.FlushToDeviceAsync(cancellationToken);
            await flush;
            if (MustVerify)
            {
                await _upload.SaveAsync(_upload.Record with { Verified = null });
            }
            else
            {
                _upload.Touch();
            }
        }
        catch (FilePipeException exception)
        {
            throw Errors.Translate(exception, "save", _upload.Name);
        }

        UploadStatus status = _upload.ToStatus();
        _changed(status);
        return status;
    }

    public override async ValueTask<long> SaveReceivedAsync()
    {
        long received = MustVerify ? _start : _file.Position - _file.UnflushedBytes;
        if (_store.Options.Durability != Durability.None)
        {
            await Task.Run(() => RandomAccess.FlushToDisk(_file.Handle));
        }

        return received;
    }

    public override ValueTask DiscardAsync()
    {
        _discarded = true;
        return default;
    }

    public override async ValueTask DisposeAsync()
    {
        if (_disposed)
        {
            return;
        }

        _disposed = true;
        try
        {
            if (_digest is not null)
            {
                await _digest.StopAsync();
            }

            await EndAsync();
            if (_limited.WasRefused)
            {
                await _refused();
            }
        }
        finally
        {
            _upload.Touch();
            _holder.Rest();
        }
    }

    private async ValueTask EndAsync()
    {
        bool discards = _discarded || MustVerify;
        FilePipeException? failure = null;
        try
        {
            // Also discarded bytes: no write may be in flight when the file is cut.
            await _file.FlushAsync();
        }
        catch (FilePipeException exception)
        {
            // A full device: the bytes that reached the file count.
            failure = exception;
        }

        long kept = discards ? _start : Math.Min(_file.Position - _file.UnflushedBytes, _upload.Record.Length ?? long.MaxValue);
        if (discards || _reserved || kept < RandomAccess.GetLength(_file.Handle))
        {
            RandomAccess.SetLength(_file.Handle, kept);
        }

        _upload.HasBytes |= kept > 0;
        _upload.Reservation.Set(kept);

        // With the failure, so that the bytes that could not be written are not tried again.
        await _file.CompleteAsync(failure);
        if (discards)
        {
            _upload.DropDigest();
            if (MustVerify)
            {
                await _upload.SaveAsync(_upload.Record with { Verified = null });
            }
        }
    }
}
