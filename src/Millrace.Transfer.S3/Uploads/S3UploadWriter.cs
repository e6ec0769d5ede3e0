namespace Millrace.Transfer.S3;

/// <summary>
/// Appends to an <see cref="S3Upload"/> and keeps its lock until it is disposed. Every two seconds it saves how far the parts are,
/// and looks whether another server has taken the upload over.
/// </summary>
internal sealed class S3UploadWriter : UploadWriter
{
    private readonly Bucket _bucket;
    private readonly S3Upload _upload;
    private readonly Action<UploadStatus> _changed;
    private readonly Func<ValueTask> _refused;
    private readonly TakeoverLock.Holder _holder;
    private readonly Multipart _multipart;
    private readonly PartWriter _body;
    private readonly CancellationTokenSource _end = new();
    private readonly Task _watching;
    private readonly bool _discardable;
    private readonly long _limit;
    private bool _mayBeSaved;
    private bool _settled;
    private bool _disposed;

    /// <param name="bucket">The bucket.</param>
    /// <param name="upload">The upload.</param>
    /// <param name="changed">Receives the upload's new status.</param>
    /// <param name="refused">Called at the end if there was no room for all bytes.</param>
    /// <param name="holder">Its lock; rests when this is disposed.</param>
    /// <param name="multipart">Where the parts go.</param>
    /// <param name="body">At the upload's offset; owned.</param>
    /// <param name="limit">Bytes that the upload may have.</param>
    /// <param name="discardable">Whether nothing counts before <see cref="SaveAsync"/>.</param>
    public S3UploadWriter(
        Bucket bucket, S3Upload upload, Action<UploadStatus> changed, Func<ValueTask> refused, TakeoverLock.Holder holder, Multipart multipart, PartWriter body,
        long limit, bool discardable)
    {
        _bucket = bucket;
        _upload = upload;
        _changed = changed;
        _refused = refused;
        _holder = holder;
        _multipart = multipart;
        _body = body;
        _limit = limit;
        _discardable = discardable;
        body.DiscardsOnRefusal = discardable;
        if (!discardable)
        {
            upload.Follow(this);
        }

        _watching = WatchAsync();
    }

    public override PipeWriter Output => _body;

    public override CancellationToken Superseded => _holder.Superseded;

    public override long Offset => _body.Position;

    public override long RemainingBytes => Math.Max(0, _limit - Offset);

    /// <remarks>
    /// Where the range has whole parts, the bucket copies them (<c>UploadPartCopy</c>), and this only reads them for the hash. The rest of the
    /// range is read and sent.
    /// </remarks>
    public override async ValueTask<bool> TryCopyAsync(StoredFileReader source, ByteRange range, CancellationToken cancellationToken)
    {
        if (source is not S3FileReader file || !_bucket.CopiesParts || !_body.HasPartIn(range.Length))
        {
            return false;
        }

        await _body.CopyAsync(file, range, cancellationToken);
        return true;
    }

    public override async ValueTask<UploadStatus> SaveAsync(CancellationToken cancellationToken)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        await StopWatchingAsync();
        await _body.SettleAsync(isLast: _upload.Record.Length == Offset, cancellationToken);
        cancellationToken = cancellationToken.Begin();
        UploadRecord record = ToRecord();
        if (_body.Tail is { Length: > 0 } tail)
        {
            record = record with { TailKey = _upload.TailKeyAt(record.End), TailBytes = tail.Length };
            await _bucket.PutPartAsync(record.TailKey, tail, cancellationToken);
        }

        if (record.Length == record.Offset)
        {
            record = record with { Sha256 = _body.ToDigest().ToString(), Hash = null };
        }

        _mayBeSaved = true;
        await _upload.SaveAsync(record, cancellationToken);
        _settled = true;
        UploadStatus status = _upload.ToStatus();
        _changed(status);
        return status;
    }

    /// <remarks>Whole parts are saved from time to time automatically.</remarks>
    public override ValueTask<long> SaveReceivedAsync() => new(_upload.Record.Offset);

    public override async ValueTask DiscardAsync()
    {
        _settled = true;
        await StopWatchingAsync();
        _body.ReleaseCharge();
    }

    public override async ValueTask DisposeAsync()
    {
        if (_disposed)
        {
            return;
        }

        try
        {
            if (!_settled && !_discardable)
            {
                await SaveAsync(CancellationToken.None);
            }
        }
        catch (Exception exception) when (exception is TransferException || S3Errors.IsOfStore(exception))
        {
            // The last saved state counts.
        }
        finally
        {
            _disposed = true;
            _upload.Follow(null);
            await StopWatchingAsync();
            await _body.DisposeAsync();
            if (!_mayBeSaved && _upload.Record.MultipartId is null)
            {
                // Parts that no saved state records have no owner.
                await _multipart.AbortAsync();
            }

            _end.Dispose();
            if (_body.WasRefused)
            {
                await _refused();
            }

            _holder.Rest();
        }
    }

    /// <summary>The state up to the last whole part.</summary>
    private UploadRecord ToRecord()
    {
        PartProgress progress = _body.Progress;
        UploadRecord now = _upload.Record;
        return progress.End == now.End ? now with { MultipartId = _multipart.UploadId } : now with
        {
            MultipartId = _multipart.UploadId,
            Tags = progress.Tags,
            End = progress.End,
            Hash = progress.Hash.TryExport(),
            TailKey = null,
            TailBytes = 0,
        };
    }

    private async Task WatchAsync()
    {
        using var timer = new PeriodicTimer(S3Upload.Watch);
        try
        {
            while (await timer.WaitForNextTickAsync(_end.Token))
            {
                await LookAsync();
            }
        }
        catch (OperationCanceledException)
        {
            // The writer saves, or is disposed.
        }
    }

    private async ValueTask LookAsync()
    {
        try
        {
            // Neither is canceled in between: a save whose outcome is unknown costs a new claim.
            if (!_discardable && _body.Progress.End > _upload.Record.End)
            {
                _mayBeSaved = true;
                await _upload.SaveAsync(ToRecord(), CancellationToken.None);
            }
            else
            {
                await _upload.CheckAsync(CancellationToken.None);
            }
        }
        catch (TransferException exception) when (exception.Error is TransferError.Superseded or TransferError.NotFound)
        {
            _holder.Cancel();
        }
        catch (TransferException)
        {
            // The next one may succeed; a part that fails reports it to the writer.
        }
    }

    private async ValueTask StopWatchingAsync()
    {
        if (!_watching.IsCompleted)
        {
            await _end.CancelAsync();
            await _watching;
        }
    }
}
