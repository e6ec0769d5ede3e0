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
public sealed class StoreScrub : IAsyncDisposable
{
    /// <summary>Damaged files that are remembered; more of them are only logged.</summary>
    private const int MaxDamaged = 1000;

    /// <summary>Damaged files that are looked for again between two files.</summary>
    private const int MaxLooks = 100;

    /// <summary>Bytes that each file counts in addition to its own, so that a million empty files are spread, too.</summary>
    private const long FileCost = 16 * 1024;

    private const double MinRate = 256 * 1024;

    /// <summary>A fraction of the rate of a disk.</summary>
    private const double MaxRate = 64 * 1024 * 1024;

    /// <summary>So many failures in a row pause the pass: the store is probably the cause.</summary>
    private const int MaxFailures = 10;

    /// <summary>Maximum time that a file is open, so that a replaced one does not occupy its space for days. Large files are read faster.</summary>
    private static readonly TimeSpan MaxOpen = TimeSpan.FromHours(1);

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
    private int _failures;
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

    private async Task CheckAsync(TransferName name, bool isBackground, double rate, CancellationToken stop)
    {
        Outcome outcome;
        try
        {
            outcome = await CompareAsync(name, isBackground, rate, isSecond: false, stop);
            _failures = 0;
        }
        catch (TransferException exception) when (exception.Error is TransferError.NotFound or TransferError.Changed)
        {
            outcome = Outcome.Replaced;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            _logger.ScrubSkipped(name.Value, exception.Message);
            _state.Skipped++;
            bool isOfStore = exception is TransferException { Error: TransferError.Unavailable or TransferError.Disconnected };
            _failures = isOfStore ? _failures + 1 : 0;
            if (_failures == MaxFailures)
            {
                // The next pass begins after this file.
                _failures = 0;
                _state.After = name.Value;
                throw;
            }

            outcome = Outcome.Skipped;
        }

        _state.Files++;
        if (outcome is Outcome.Intact or Outcome.Computed)
        {
            _state.Damaged.RemoveAll(file => file.Name == name.Value);
        }

        _meter?.Scrubbed(outcome switch
        {
            Outcome.Intact => "intact",
            Outcome.Computed => "computed",
            Outcome.Damaged => "damaged",
            Outcome.Skipped => "skipped",
            _ => "replaced",
        });
    }

    private async Task<Outcome> CompareAsync(TransferName name, bool isBackground, double rate, bool isSecond, CancellationToken stop)
    {
        await using StoredFileReader reader = _store is LocalFileStore local
            ? await local.OpenOnDeviceAsync(name, stop)
            : await _store.OpenReadAsync(name, DigestNeed.IfKnown, stop);
        StoredFile file = reader.File;
        if (file.Sha256 is null && !reader.KeepsDigests)
        {
            // The store reads it, and keeps the result.
            await _store.FindAsync(name, DigestNeed.Always, stop);
            Count(file.Length);
            return Outcome.Computed;
        }

        FileDigest? digest;
        try
        {
            digest = await HashAsync(reader, isBackground ? Math.Clamp(Math.Max(rate, file.Length / MaxOpen.TotalSeconds), MinRate, MaxRate) : rate, stop);
        }
        catch (FilePipeException exception) when (exception.Error == FilePipeError.ReadFailed)
        {
            return Add(file, found: null, exception.Message);
        }
        catch (FilePipeException exception) when (exception.Error is FilePipeError.Changed or FilePipeError.Truncated)
        {
            return Outcome.Replaced;
        }

        if (digest is not { } found || !reader.IsUnchanged)
        {
            return Outcome.Replaced;
        }

        if (file.Sha256 is null)
        {
            return reader.TryKeep(found) ? Outcome.Computed : Outcome.Skipped;
        }

        if (found.Sha256 == file.Sha256)
        {
            return Outcome.Intact;
        }

        // Memory and cables fail too: if the second read is right, the device has no damage.
        _state.Bytes -= isSecond ? 0 : file.Length;
        return isSecond ? await IsStillAsync(file, stop) ? Add(file, found.Sha256, reason: null) : Outcome.Replaced
            : await CompareAsync(name, isBackground, rate, isSecond: true, stop);
    }

    /// <returns>Null if the name has another version meanwhile.</returns>
    private async Task<FileDigest?> HashAsync(StoredFileReader reader, double rate, CancellationToken stop)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        var checksum = new System.IO.Hashing.Crc32();
        var pace = new ScrubPace(_clock);
        PipeReader content = reader.ReadOnDevice(new ByteRange(0, reader.File.Length));
        try
        {
            while (true)
            {
                ReadResult result = await content.ReadAsync(stop);
                foreach (ReadOnlyMemory<byte> segment in result.Buffer)
                {
                    hash.AppendData(segment.Span);
                    checksum.Append(segment.Span);
                }

                long bytes = result.Buffer.Length;
                content.AdvanceTo(result.Buffer.End);
                Count(bytes);
                if (result.IsCompleted)
                {
                    break;
                }

                if (IsSaveDue)
                {
                    await SaveAsync(stop);
                    if (!await IsStillAsync(reader.File, stop))
                    {
                        return null;
                    }
                }

                await WaitAsync(pace.Spend(bytes, rate), stop);
            }
        }
        finally
        {
            await content.CompleteAsync();
        }

        Span<byte> digest = stackalloc byte[SHA256.HashSizeInBytes];
        hash.GetHashAndReset(digest);
        return new FileDigest(new Sha256Digest(digest), checksum.GetCurrentHashAsUInt32());
    }

    private async ValueTask<bool> IsStillAsync(StoredFile file, CancellationToken stop) =>
        (await _store.FindAsync(file.Name, DigestNeed.IfKnown, stop))?.Tag == file.Tag;

    private void Count(long bytes)
    {
        _state.Bytes += bytes;
        _meter?.ScrubRead(bytes);
        Report();
    }

    private Outcome Add(StoredFile file, Sha256Digest? found, string? reason)
    {
        if (found is null)
        {
            _logger.ScrubUnreadable(file.Name.Value, reason!);
        }
        else
        {
            _logger.ScrubDamaged(file.Name.Value, found.ToString()!, file.Sha256.ToString()!);
        }

        _state.Damaged.RemoveAll(other => other.Name == file.Name.Value);
        if (_state.Damaged.Count < MaxDamaged)
        {
            _state.Damaged.Add(new DamagedFile
            {
                Name = file.Name.Value,
                Tag = file.Tag.Value,
                Length = file.Length,
                Sha256 = file.Sha256?.ToString(),
                FoundSha256 = found?.ToString(),
                Reason = reason,
                Found = _clock.GetUtcNow(),
            });
        }

        return Outcome.Damaged;
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

    private enum Outcome
    {
        Intact,
        Computed,
        Damaged,
        Replaced,
        Skipped,
    }
}
