using System.IO.Pipelines;

namespace Millrace.Transfer;

/// <summary>One file on its way here, over all its tries.</summary>
internal sealed partial class Download : IAsyncDisposable
{
    private readonly TransferContext _context;
    private readonly TransferName _name;
    private readonly DownloadSink _sink;
    private readonly ByteRange? _range;
    private readonly long _maxBytes;
    private readonly bool _keepsTime;
    private readonly bool _keepsPermissions;
    private readonly ProgressMeter _meter;
    private readonly ParallelHash? _hash;
    private readonly RetryState _state = new();
    private readonly long _start;

    // Bytes that the sink has after _start, including those of an earlier process.
    private long _taken;
    private long? _end;
    private long? _length;
    private EntityTag? _tag;
    private FileTime? _modified;
    private bool? _isExecutable;
    private Sha256Digest? _expected;
    private bool _continued;
    private bool _keptIsHashed;
    private bool _asksHoles;
    private ReceiveTurns? _turns;
    private ReceiveTurns? _held;

    /// <summary>What may bring it with other files, until that was tried.</summary>
    private BatchDownloads? _batches;

    /// <summary>Describes a download. The sink stays the caller's.</summary>
    public Download(
        TransferContext context, TransferName name, DownloadSink sink, GetOptions options, ProgressMeter meter)
    {
        _context = context;
        _name = name;
        _sink = sink;
        _range = options.Range;
        _maxBytes = options.MaxBytes ?? long.MaxValue;
        _keepsTime = !options.NoTimes && _range is null;
        _keepsPermissions = options.Permissions && _range is null;
        _meter = meter;
        _start = _range?.Offset ?? 0;
        _hash = context.Options.VerifyDigests && _range is null ? new ParallelHash() : null;
        _missing = sink.Note?.Missing;
        _asksHoles = sink.TakesHoles && context.TakesHoles;
        if (sink.Note is { } note && sink.Kept > 0)
        {
            _tag = new EntityTag(note.Tag);
            _length = note.Length;
            _end = note.Length;
            _taken = _missing is null ? sink.Kept : 0;
            _continued = true;
        }
    }

    /// <summary>Its bytes, as they were listed; null where that is not known, or it is not to be fetched with others.</summary>
    public long? ListedLength { get; init; }

    private ProtocolCall Call => new("Downloading", _name.Value, _context.Protocol.Kind);

    /// <param name="turns">Lets so many receive at once; null for any number.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public async Task<TransferResult> RunAsync(ReceiveTurns? turns, CancellationToken cancellationToken)
    {
        _turns = turns;
        if (_range is null && !_continued && _context.Downloads is { } batches && batches.Takes(ListedLength ?? long.MaxValue))
        {
            _batches = batches;
            _turns ??= batches.Turns;
        }

        try
        {
            ThrowIfTooLarge(_end - _start ?? 0);
            await _context.Retry.RunAsync((_, token) => FetchAsync(token), cancellationToken, _state).ConfigureAwait(false);
            if (_sink.SharesCommit)
            {
                LeaveTurn();
            }
            else if (_context.Options.Durability != Durability.None)
            {
                // The wait for the device takes a thread.
                await EnterTurnAsync(cancellationToken).ConfigureAwait(false);
            }

            await _sink.CommitAsync(_keepsTime ? _modified : null, _keepsPermissions ? _isExecutable : null, cancellationToken).ConfigureAwait(false);
            _meter.Report(_taken, last: true);
            return new TransferResult(
                _name, _range is null ? _taken : _length ?? _start + _taken, _tag, _verified, _context.Protocol.Kind, _meter.Moved, _meter.Attempts)
            {
                BytesReused = _reused,
            };
        }
        catch
        {
            await _sink.AbandonAsync().ConfigureAwait(false);
            throw;
        }
        finally
        {
            LeaveTurn();
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (_hash is not null)
        {
            await _hash.DrainAsync().ConfigureAwait(false);
            _hash.Dispose();
        }
    }

    /// <summary>Waits until it may receive, with a request of its own.</summary>
    private async ValueTask EnterTurnAsync(CancellationToken cancellationToken)
    {
        if (_turns is not null && _held is null)
        {
            await _turns.EnterAsync(cancellationToken).ConfigureAwait(false);
            _held = _turns;
        }
    }

    private void LeaveTurn()
    {
        _held?.Leave();
        _held = null;
    }

    private async ValueTask<bool> FetchAsync(CancellationToken cancellationToken)
    {
        if (_batches is null)
        {
            await EnterTurnAsync(cancellationToken).ConfigureAwait(false);
        }

        using IdleWatch watch = _context.Watch(cancellationToken);
        if (_state.Attempts > 1)
        {
            _meter.Retry();
        }

        try
        {
            await FetchRestAsync(watch).ConfigureAwait(false);
        }
        catch (TransferException exception) when (exception is { Error: TransferError.Changed, Status: not null })
        {
            // The server has noticed it.
            throw await RestartChangedAsync().ConfigureAwait(false) ?? exception;
        }
        catch (TransferException exception) when (exception.Error == TransferError.TooManyTransfers)
        {
            _turns?.SlowDown();
            throw;
        }

        await VerifyAsync(watch).ConfigureAwait(false);
        return true;
    }

    private async ValueTask FetchRestAsync(IdleWatch watch)
    {
        if (_continued && !_keptIsHashed && _taken == _end)
        {
            await LookAtKeptAsync(watch).ConfigureAwait(false);
        }

        if (_end is { } end && _start + _taken >= end)
        {
            return;
        }

        if (_missing is not null && _length is not null && _tag is not null)
        {
            await FetchRangesAsync(watch).ConfigureAwait(false);
            return;
        }

        ByteRange? range = _taken > 0 || _range is not null
            ? new ByteRange(_start + _taken, (_range?.Length ?? long.MaxValue) is var most && most == long.MaxValue ? most : most - _taken)
            : null;
        using OpenedFile file = await OpenAsync(range, watch).ConfigureAwait(false);
        if (file.HasHoles)
        {
            _asksHoles = false;
            file.Dispose();
            await FetchSparseAsync(watch).ConfigureAwait(false);
            return;
        }

        await TakeDescriptionAsync(file, watch).ConfigureAwait(false);
        if (await CopyAsync(file, watch).ConfigureAwait(false))
        {
            file.Dispose();
            _missing = [_taken, _end!.Value];
            await FetchRangesAsync(watch).ConfigureAwait(false);
        }
    }

    private async ValueTask<OpenedFile> OpenAsync(ByteRange? range, IdleWatch watch)
    {
        if (_batches is { } batches)
        {
            _batches = null;
            if (await batches.OpenAsync(_name, ListedLength!.Value, _hash is not null, watch).ConfigureAwait(false) is { } opened)
            {
                return opened;
            }

            watch.Pause();
            await EnterTurnAsync(watch.Caller).ConfigureAwait(false);
        }

        try
        {
            return await _context.Protocol.OpenAsync(
                _name, range, _tag, _hash is not null, watch, acceptsHoles: _asksHoles && range is null).ConfigureAwait(false);
        }
        catch (TransferException exception) when (exception.Error == TransferError.RangeNotSatisfiable && _taken > 0)
        {
            // It has become shorter, and the server does not look at If-Range before the range.
            if (!_sink.CanRestart)
            {
                throw Changed();
            }

            await RestartAsync().ConfigureAwait(false);
            return await _context.Protocol.OpenAsync(_name, null, null, _hash is not null, watch).ConfigureAwait(false);
        }
    }

    /// <summary>Looks whether the answer is of the same version, and goes on where it begins.</summary>
    private async ValueTask TakeDescriptionAsync(OpenedFile file, IdleWatch watch)
    {
        bool same = _tag is not null && file.Tag == _tag;
        if (_taken > 0 && !same)
        {
            if (!_sink.CanRestart)
            {
                throw Changed();
            }

            await RestartAsync().ConfigureAwait(false);
        }

        if (file.Offset > _start + _taken)
        {
            throw Failures.Make(
                TransferError.Changed,
                Call,
                $"bytes starting at {_start + _taken} were requested, but those starting at {file.Offset} were received. It starts over.",
                isTransient: true);
        }

        _tag = file.Tag;
        _length = file.Length;
        _modified = file.Modified;
        _isExecutable = file.IsExecutable;
        _expected = file.Sha256 ?? _expected;
        _end = _range is { } range && range.Length != long.MaxValue
            ? Math.Min(range.End, file.Length ?? range.End)
            : file.Length;
        ThrowIfTooLarge(_end - _start ?? 0);
        _meter.Total = _end - _start;
        _mayUseRanges = MayUseRanges(file);
        _sink.Describe(file, _mayUseRanges);
        await HashKeptAsync(watch).ConfigureAwait(false);
        _state.Reached(_taken);
        _meter.Report(_taken);
    }

    /// <summary>An earlier process has received all of it: checks that it is still the server's version.</summary>
    private async ValueTask LookAtKeptAsync(IdleWatch watch)
    {
        StoredFile? stored = await _context.Protocol.FindAsync(_name, _hash is not null, watch).ConfigureAwait(false);
        if (stored?.Tag != _tag)
        {
            await RestartAsync().ConfigureAwait(false);
            return;
        }

        _expected = stored?.Sha256;
        _modified = stored?.Modified;
        _isExecutable = stored?.IsExecutable;
        await HashKeptAsync(watch).ConfigureAwait(false);
    }

    private async ValueTask HashKeptAsync(IdleWatch watch)
    {
        if (_hash is not null && _continued && !_keptIsHashed)
        {
            watch.Pause();
            await _sink.HashAsync(_hash, _taken, watch.Token).ConfigureAwait(false);
        }

        _keptIsHashed = true;
    }

    private async ValueTask RestartAsync()
    {
        if (_hash is not null)
        {
            await _hash.DrainAsync().ConfigureAwait(false);
            _hash.Reset();
        }

        await _sink.RestartAsync().ConfigureAwait(false);
        _taken = 0;
        _tag = null;
        _end = null;
        _length = null;
        _expected = null;
        _continued = false;
        _reused = 0;
        _missing = null;
    }

    private void ThrowIfTooLarge(long bytes)
    {
        if (bytes > _maxBytes)
        {
            throw Failures.Make(
                TransferError.TooLarge,
                Call,
                $"it has more than the {_maxBytes} bytes that you allow. Nothing was published here; allow more if it may have them.");
        }
    }

    private TransferException Changed() => Failures.Make(
        TransferError.Changed,
        Call,
        "it was replaced on the server meanwhile, and bytes already delivered cannot be taken back. Download it again.");
}
