using System.IO.Pipelines;

namespace Millrace.Transfer.Server;

/// <summary>Appends to a <see cref="LocalUpload"/> and holds it until it is disposed.</summary>
internal sealed class LocalUploadWriter : UploadWriter
{
    private readonly LocalFileStore _store;
    private readonly LocalUpload _upload;
    private readonly CancellationTokenSource _holder;
    private readonly FilePipeWriter _file;
    private readonly LimitedBody? _limited;
    private readonly TrailingDigest? _digest;
    private readonly long _start;
    private readonly bool _reserved;
    private bool _discarded;
    private bool _disposed;

    /// <summary>Begins to append.</summary>
    /// <param name="store">The store.</param>
    /// <param name="upload">The upload.</param>
    /// <param name="holder">The right to change it; given back when this is disposed.</param>
    /// <param name="file">Its data; owned.</param>
    /// <param name="limited">Counts what is written; null where nothing has to be.</param>
    /// <param name="reserved">Whether room was reserved for more than may come: what is left is given back.</param>
    public LocalUploadWriter(
        LocalFileStore store,
        LocalUpload upload,
        CancellationTokenSource holder,
        FilePipeWriter file,
        LimitedBody? limited,
        bool reserved)
    {
        _store = store;
        _upload = upload;
        _holder = holder;
        _file = file;
        _limited = limited;
        _start = file.Position;
        _reserved = reserved;
        Superseded = holder.Token;
        if (store.Options.ComputeSha256)
        {
            _digest = upload.ContinueDigest(_start);
            _digest.Follow(file.Handle, upload.Record.Length - _start);
        }
    }

    public override PipeWriter Body => (PipeWriter?)_limited ?? _file;

    public override CancellationToken Superseded { get; }

    public override long Offset => _file.Position;

    public override long Room => Math.Max(
        0, Math.Min(_upload.Record.Length ?? long.MaxValue, _store.Options.MaxFileBytes ?? long.MaxValue) - Offset);

    private bool MustVerify => _upload.Record.Verified is not null;

    public override async ValueTask<UploadStatus> SaveAsync(CancellationToken cancellationToken)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        try
        {
            _limited?.TakeRest();
            ValueTask<FlushResult> flush = _store.Options.Durability == Durability.None
                ? _file.FlushAsync(cancellationToken)
                : _file.FlushToDeviceAsync(cancellationToken);
            await flush.ConfigureAwait(false);
            if (MustVerify)
            {
                await _upload.SaveAsync(_upload.Record with { Verified = null }).ConfigureAwait(false);
            }
            else
            {
                _upload.Touch();
            }
        }
        catch (FilePipeException exception)
        {
            throw StoreErrors.Translate(exception, "save", _upload.Record.ToName());
        }

        return _upload.ToStatus();
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
                await _digest.StopAsync().ConfigureAwait(false);
            }

            await EndAsync().ConfigureAwait(false);
        }
        finally
        {
            _upload.Taken += _limited?.HandOver() ?? 0;
            _upload.Touch();
            _upload.Leave(_holder);
        }
    }

    private async ValueTask EndAsync()
    {
        bool discards = _discarded || MustVerify;
        FilePipeException? failure = null;
        try
        {
            // Also what is discarded: nothing may be under way when the file is cut.
            await _file.FlushAsync().ConfigureAwait(false);
        }
        catch (FilePipeException exception)
        {
            // A full device: what is in the file is what is there.
            failure = exception;
        }

        long kept = discards ? _start : Math.Min(_file.Position - _file.UnflushedBytes, _upload.Record.Length ?? long.MaxValue);
        if (discards || _reserved || kept < RandomAccess.GetLength(_file.Handle))
        {
            RandomAccess.SetLength(_file.Handle, kept);
        }

        // What could not be written is not tried again.
        await _file.CompleteAsync(failure).ConfigureAwait(false);
        if (discards)
        {
            _upload.DropDigest();
            if (MustVerify)
            {
                await _upload.SaveAsync(_upload.Record with { Verified = null }).ConfigureAwait(false);
            }
        }
    }
}
