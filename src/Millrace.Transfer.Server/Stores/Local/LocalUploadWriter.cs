using System.IO.Pipelines;

namespace Millrace.Transfer.Server;

/// <summary>Appends to a <see cref="LocalUpload"/> and holds it until it is disposed.</summary>
internal sealed class LocalUploadWriter : UploadWriter
{
    private readonly LocalFileStore _store;
    private readonly LocalUpload _upload;
    private readonly CancellationTokenSource _holder;
    private readonly FileStream _data;
    private readonly PipeWriter _body;
    private readonly long _start;
    private bool _discarded;
    private bool _saved;
    private bool _disposed;

    public LocalUploadWriter(LocalFileStore store, LocalUpload upload, CancellationTokenSource holder, long start)
    {
        _store = store;
        _upload = upload;
        _holder = holder;
        TakenOver = holder.Token;
        _start = start;
        _data = new FileStream(upload.DataPath, FileMode.Append, FileAccess.Write, FileShare.ReadWrite, bufferSize: 0);
        _body = PipeWriter.Create(_data, new StreamPipeWriterOptions(leaveOpen: true));
    }

    public override PipeWriter Body => _body;

    public override CancellationToken TakenOver { get; }

    public override long Offset => _data.Length + _body.UnflushedBytes;

    public override long Room =>
        Math.Min(_upload.Record.Length ?? long.MaxValue, _store.Options.MaxFileBytes ?? long.MaxValue) - Offset;

    public override async ValueTask<UploadStatus> SaveAsync(CancellationToken cancellationToken)
    {
        await _body.FlushAsync(cancellationToken).ConfigureAwait(false);
        _data.Flush(flushToDisk: true);
        _upload.Save(_upload.Record with { Verified = null, Touched = _store.Now });
        _saved = true;
        return _upload.Status(_store.Options.UploadLifetime);
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
            await _body.CompleteAsync().ConfigureAwait(false);
            if (_discarded || (_upload.Record.Verified is not null && !_saved))
            {
                _data.SetLength(_start);
                _upload.Save(_upload.Record with { Verified = null });
            }

            await _data.DisposeAsync().ConfigureAwait(false);
        }
        finally
        {
            _upload.Leave(_holder);
        }
    }
}
