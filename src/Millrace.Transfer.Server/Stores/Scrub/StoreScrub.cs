using Microsoft.Extensions.Logging.Abstractions;

namespace Millrace.Transfer.Server;

/// <summary>
/// Reads all files of a store and compares them with the SHA-256 that is kept for their versions, to find files that a device has damaged
/// (bit rot): once with <see cref="RunAsync"/>, or slowly in the background after <see cref="Start"/>. Files without a digest get one.
/// Pending uploads and the trash are not read.
/// </summary>
/// <remarks>
/// The position and the damaged files are kept among <see cref="IFileStore.Documents"/>, so that a restart continues. Of several servers of a
/// bucket, one reads; another one takes over when that one stops or has been silent for 15 minutes. With a <see cref="LocalFileStore"/>, reading
/// leaves the page cache as it was; bytes that are already in the cache are compared from there, not from the device.
/// Thread-safe.
/// </remarks>
public sealed partial class StoreScrub : IAsyncDisposable
{
    /// <summary>Damaged files that are looked for again between two files.</summary>
    private const int MaxLooks = 100;

    /// <summary>Bytes that each file counts in addition to its own, so that a million empty files are spread, too.</summary>
    private const long FileCost = 16 * 1024;

    private const double MinRate = 256 * 1024;

    /// <summary>A fraction of the rate of a disk.</summary>
    private const double MaxRate = 64 * 1024 * 1024;

    private static readonly TimeSpan Lease = TimeSpan.FromMinutes(15);
    private static readonly TimeSpan RetryAfter = TimeSpan.FromMinutes(1);

    private readonly IFileStore _store;
    private readonly ScrubOptions _options;
    private readonly TransferMeter? _meter;
    private readonly ILogger _logger;
    private readonly TimeProvider _clock;
    private readonly string _self = Guid.NewGuid().ToString("N");
    private readonly TimeSpan _saveInterval;
    private readonly CancellationTokenSource _end = new();
    private Task _background = Task.CompletedTask;
    private ScrubState _state = new();
    private string? _version;
    private long _saved;
    private volatile ScrubStatus _status = new();
    private bool _isRunning;
    private int _disposed;

    /// <summary>Creates the scrub of a store. Nothing is read yet.</summary>
    /// <param name="store">The store; it remains the caller's, who disposes it after this.</param>
    /// <param name="options">Options; null for the defaults.</param>
    public StoreScrub(IFileStore store, ScrubOptions? options = null)
        : this(store, options, meter: null)
    {
    }

    internal StoreScrub(IFileStore store, ScrubOptions? options, TransferMeter? meter)
    {
        ArgumentNullException.ThrowIfNull(store);
        _store = store.Unwrap();
        _options = options ?? new ScrubOptions();
        _meter = meter;
        _logger = _options.Logger ?? NullLogger.Instance;
        _clock = _options.TimeProvider;

        // Each time is a request to a bucket; after a restart, the files since the last note are read again.
        _saveInterval = TimeSpan.FromMinutes(IsShared ? 5 : 1);
    }

    /// <summary>The current state. If another server does the work, as of the last look.</summary>
    public ScrubStatus Status => _status;

    private bool IsShared => _store.Documents?.IsShared == true;

    /// <summary>Reads the findings of a scrub in a folder. Its store may be open in any process.</summary>
    /// <param name="root">The folder of the store.</param>
    /// <param name="statePath"><see cref="LocalFileStoreOptions.StatePath"/>.</param>
    /// <exception cref="TransferException">It cannot be read.</exception>
    public static async Task<ScrubStatus> ReadStatusAsync(string root, string? statePath = null)
    {
        using var documents = new LocalDocuments(StateFolder.Of(root, statePath), Durability.None);
        return await ReadStatusAsync(documents, CancellationToken.None);
    }

    /// <summary>Reads the findings of a scrub in a store.</summary>
    /// <param name="store">The store.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="TransferException">It cannot be read.</exception>
    public static Task<ScrubStatus> ReadStatusAsync(IFileStore store, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(store);
        return ReadStatusAsync(store.Documents, cancellationToken);
    }

    /// <summary>Starts the background scrub, which continues where an earlier process stopped.</summary>
    /// <exception cref="InvalidOperationException">It runs already.</exception>
    public void Start()
    {
        TakeTurn();
        _background = Task.Run(RunForeverAsync);
    }

    /// <summary>Reads all files once, from the first one, as fast as <see cref="ScrubOptions.MaxBytesPerSecond"/> allows.</summary>
    /// <param name="cancellationToken">Interrupts the pass.</param>
    /// <returns>The result.</returns>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.Superseded"/>: another server of the bucket reads it; or the store failed.
    /// </exception>
    /// <exception cref="InvalidOperationException">It runs already.</exception>
    public async Task<ScrubStatus> RunAsync(CancellationToken cancellationToken = default)
    {
        TakeTurn();
        try
        {
            if (!await TryTakeAsync(cancellationToken))
            {
                throw new TransferException(
                    TransferError.Superseded,
                    $"Another server checks the files of this bucket, until {_state.HeldUntil:u} at least. Its result is kept with the bucket.");
            }

            try
            {
                _state.Started = null;
                await PassAsync(isBackground: false, cancellationToken);
                return _status;
            }
            finally
            {
                await ReleaseAsync();
            }
        }
        finally
        {
            Volatile.Write(ref _isRunning, false);
        }
    }

    /// <summary>Interrupts reading, and notes where it was.</summary>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0)
        {
            return;
        }

        await _end.CancelAsync();
        await _background;
        _end.Dispose();
    }

    private static async Task<ScrubStatus> ReadStatusAsync(IStoreDocuments? documents, CancellationToken cancellationToken) =>
        documents is not null && await documents.ReadAsync(ScrubState.Key, cancellationToken) is { } document
            ? ScrubState.Parse(document.Content.Span).ToStatus()
            : new ScrubStatus();

    private void TakeTurn()
    {
        if (Interlocked.Exchange(ref _isRunning, true))
        {
            throw new InvalidOperationException("The store is being read already.");
        }
    }

    private async Task RunForeverAsync()
    {
        CancellationToken stop = _end.Token;
        bool isHeld = false;
        try
        {
            while (true)
            {
                try
                {
                    isHeld = await TryTakeAsync(stop);
                    if (isHeld && (_state.Started is not null || _state.Completed is not { } last || _clock.GetUtcNow() - last >= _options.Period))
                    {
                        await PassAsync(isBackground: true, stop);
                    }

                    await Task.Delay(_saveInterval, _clock, stop);
                }
                catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
                {
                    _logger.ScrubPaused(exception.Message);
                    await Task.Delay(RetryAfter, _clock, stop);
                }
            }
        }
        catch (OperationCanceledException)
        {
            // The server stops.
        }
        finally
        {
            if (isHeld)
            {
                await ReleaseAsync();
            }

            Volatile.Write(ref _isRunning, false);
        }
    }

    /// <summary>One pass over all files, from the position of the state.</summary>
    private async Task PassAsync(bool isBackground, CancellationToken stop)
    {
        if (_state.Started is null)
        {
            await BeginAsync(stop);
        }

        double rate = isBackground ? RateOf(_state) : _options.MaxBytesPerSecond ?? double.PositiveInfinity;
        var pace = new ScrubPace(_clock);
        var listing = new ListFilesOptions
        {
            Recursive = true,
            After = TransferName.TryParse(_state.After, out TransferName after) ? after : default,
        };
        do
        {
            FilePage page = await _store.ListAsync(listing, stop);
            foreach (FileEntry entry in page.Entries)
            {
                long before = _state.Bytes;
                await CheckAsync(entry.Name, isBackground, rate, stop);
                _state.After = entry.Name.Value;
                Report();
                await WaitAsync(pace.Spend(_state.Bytes - before + FileCost, rate), stop);
            }

            listing = listing with { After = page.Next };
        }
        while (!listing.After.IsRoot);
        (_state.Completed, _state.Started, _state.After) = (_clock.GetUtcNow(), null, null);
        await SaveAsync(stop);
        _logger.Scrubbed(_state.Files, _state.Bytes, _state.Damaged.Count, _state.Skipped);
    }

    private async Task BeginAsync(CancellationToken stop)
    {
        FolderUsage usage = new(0, 0, 0);
        await foreach (FolderUsage counted in _store.MeasureAsync(default, stop))
        {
            usage = counted;
        }

        (_state.Started, _state.After) = (_clock.GetUtcNow(), null);
        (_state.Files, _state.Bytes, _state.Skipped) = (0, 0, 0);
        (_state.TotalFiles, _state.TotalBytes) = (usage.Files, usage.Bytes);
        await SaveAsync(stop);
    }

    /// <summary>The rate that spreads the remaining bytes over the remaining time, but over at least a quarter of the period.</summary>
    internal double RateOf(ScrubState state)
    {
        TimeSpan left = state.Started!.Value + _options.Period - _clock.GetUtcNow();
        double bytes = Math.Max(0, state.TotalBytes - state.Bytes) + (Math.Max(0, state.TotalFiles - state.Files) * (double)FileCost);
        return Math.Clamp(bytes / Math.Max(left.TotalSeconds, _options.Period.TotalSeconds / 4), MinRate, MaxRate);
    }

    private void Report()
    {
        if (_options.Progress is { } progress)
        {
            progress.Report(_status = _state.ToStatus());
        }
    }

    /// <summary>Waits, and keeps the state up to date for others.</summary>
    private async Task WaitAsync(TimeSpan time, CancellationToken stop)
    {
        stop.ThrowIfCancellationRequested();
        long began = _clock.GetTimestamp();
        do
        {
            TimeSpan left = time - _clock.GetElapsedTime(began);
            if (left > TimeSpan.Zero)
            {
                await Task.Delay(left < _saveInterval ? left : _saveInterval, _clock, stop);
            }

            if (IsSaveDue)
            {
                await SaveAsync(stop);
            }
        }
        while (_clock.GetElapsedTime(began) < time);
    }

    private bool IsSaveDue => _clock.GetElapsedTime(_saved) >= _saveInterval;

    /// <summary>Reads the state, and takes the work if no other server has it.</summary>
    private async Task<bool> TryTakeAsync(CancellationToken stop)
    {
        StoreDocument? document = _store.Documents is { } documents ? await documents.ReadAsync(ScrubState.Key, stop) : null;
        if (document?.Version != _version || _version is null)
        {
            _state = document is null ? _state : ScrubState.Parse(document.Content.Span);
            _version = document?.Version;
        }

        _status = _state.ToStatus();
        if (IsShared && _state.Holder is { } holder && holder != _self && _state.HeldUntil > _clock.GetUtcNow())
        {
            return false;
        }

        try
        {
            await SaveAsync(stop);
            return true;
        }
        catch (TransferException exception) when (exception.Error == TransferError.Superseded)
        {
            return false;
        }
    }

    /// <exception cref="TransferException"><see cref="TransferError.Superseded"/>: another server has taken over.</exception>
    private async Task SaveAsync(CancellationToken stop)
    {
        _saved = _clock.GetTimestamp();
        await ForgetRepairedAsync(stop);
        if (IsShared)
        {
            (_state.Holder, _state.HeldUntil) = (_self, _clock.GetUtcNow() + Lease);
        }

        await WriteAsync(stop);
    }

    private async Task WriteAsync(CancellationToken stop)
    {
        _status = _state.ToStatus();
        if (_store.Documents is { } documents)
        {
            _version = await documents.TryWriteAsync(ScrubState.Key, _state.ToBytes(), _version, isDurable: false, stop)
                ?? throw new TransferException(TransferError.Superseded, "Another server has taken over the check of the stored files.");
        }
    }

    /// <summary>Lets another server take over at once.</summary>
    private async Task ReleaseAsync()
    {
        _state.Holder = null;
        try
        {
            await WriteAsync(CancellationToken.None);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // Another server has it, or will in a while.
        }
    }

    /// <summary>Forgets damaged files that were replaced or deleted.</summary>
    private async Task ForgetRepairedAsync(CancellationToken stop)
    {
        foreach (DamagedFile file in _state.Damaged.Take(MaxLooks).ToArray())
        {
            if (!TransferName.TryParse(file.Name, out TransferName name)
                || (await _store.FindAsync(name, DigestNeed.IfKnown, stop))?.Tag.Value != file.Tag)
            {
                _state.Damaged.Remove(file);
            }
        }
    }
}
