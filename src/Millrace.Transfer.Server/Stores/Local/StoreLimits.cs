namespace Millrace.Transfer.Server;

/// <summary>How much a store takes: of one file, altogether, and of the device. Thread-safe.</summary>
internal sealed class StoreLimits : IDisposable
{
    /// <summary>How old a count may be before a write is refused because of it, in milliseconds.</summary>
    /// <remarks>Who deleted files by hand is not told for longer than this that there is no room.</remarks>
    private const int CountLastsMilliseconds = 10_000;

    private readonly LocalFileStoreOptions _options;
    private readonly string _root;
    private readonly Func<long> _count;
    private readonly SemaphoreSlim _counting = new(1, 1);
    private long _used;
    private long _pending;
    private long _countedAt;
    private bool _counted;

    /// <summary>Limits of a store.</summary>
    /// <param name="options">The limits.</param>
    /// <param name="root">A path on the device.</param>
    /// <param name="count">Counts the bytes of all published files; slow.</param>
    public StoreLimits(LocalFileStoreOptions options, string root, Func<long> count)
    {
        _options = options;
        _root = root;
        _count = count;
    }

    /// <summary>Whether bytes of unknown number have to be counted as they come.</summary>
    public bool AppliesToUnknownLength => _options.MaxFileBytes is not null || AppliesToAll;

    /// <summary>Whether anything is limited but the single file.</summary>
    public bool AppliesToAll => _options.MaxTotalBytes is not null || _options.FreeSpaceToLeave > 0;

    /// <summary>Bytes of all files and of what is on its way; 0 where nobody needs to know.</summary>
    public long Used => Interlocked.Read(ref _used) + Interlocked.Read(ref _pending);

    /// <summary>Refuses a file of more bytes than one may have.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.TooLarge"/>.</exception>
    public void CheckFile(TransferName name, long length)
    {
        if (length > _options.MaxFileBytes)
        {
            throw StoreErrors.TooLarge(name, _options.MaxFileBytes.Value);
        }
    }

    /// <summary>Refuses what would not leave enough of the device free.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.NoSpace"/>.</exception>
    public void CheckDevice(TransferName name, long bytes)
    {
        if (_options.FreeSpaceToLeave > 0
            && new DriveInfo(_root).AvailableFreeSpace is var free
            && free - bytes < _options.FreeSpaceToLeave)
        {
            throw StoreErrors.NoSpace(
                name,
                $"{bytes} more bytes are needed, {free} are free on the server's device, and {_options.FreeSpaceToLeave} have to stay free");
        }
    }

    /// <summary>Takes room for bytes that will come, to be given back by <see cref="Release"/> or <see cref="Publish"/>.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.NoSpace"/>.</exception>
    public async ValueTask TakeAsync(TransferName name, long bytes, CancellationToken cancellationToken)
    {
        if (_options.MaxTotalBytes is null)
        {
            return;
        }

        await CountAsync(maxAge: long.MaxValue, cancellationToken).ConfigureAwait(false);
        if (!TryTake(bytes))
        {
            await CountAsync(CountLastsMilliseconds, cancellationToken).ConfigureAwait(false);
            Take(name, bytes);
        }
    }

    /// <summary>The same for bytes that have come, without waiting for a count.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.NoSpace"/>.</exception>
    public void Take(TransferName name, long bytes)
    {
        if (_options.MaxTotalBytes is { } limit && !TryTake(bytes))
        {
            throw StoreErrors.NoSpace(name, $"the store has {Used} of the {limit} bytes that it may have, and {bytes} more came");
        }
    }

    /// <summary>Takes what is there already, whatever the limit: an upload of an earlier process.</summary>
    public void TakeFound(long bytes) => Release(-bytes);

    /// <summary>Gives back what was taken and not published.</summary>
    public void Release(long bytes)
    {
        if (_options.MaxTotalBytes is not null)
        {
            Interlocked.Add(ref _pending, -bytes);
        }
    }

    /// <summary>What was taken has become a file.</summary>
    public void Publish(long taken, long length, long replaced)
    {
        if (_options.MaxTotalBytes is not null)
        {
            Interlocked.Add(ref _used, length - replaced);
            Interlocked.Add(ref _pending, -taken);
        }
    }

    /// <summary>A file is gone.</summary>
    public void Delete(long length)
    {
        if (_options.MaxTotalBytes is not null)
        {
            Interlocked.Add(ref _used, -length);
        }
    }

    /// <summary>Counts once; what is on its way then is counted by itself.</summary>
    public async Task CountAsync(long maxAge, CancellationToken cancellationToken)
    {
        if (_options.MaxTotalBytes is null || IsCounted(maxAge))
        {
            return;
        }

        await _counting.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            if (!IsCounted(maxAge))
            {
                long used = await Task.Run(_count, cancellationToken).ConfigureAwait(false);
                Interlocked.Exchange(ref _used, used);
                Volatile.Write(ref _countedAt, Environment.TickCount64);
                Volatile.Write(ref _counted, true);
            }
        }
        finally
        {
            _counting.Release();
        }
    }

    public void Dispose() => _counting.Dispose();

    private bool IsCounted(long maxAge) =>
        Volatile.Read(ref _counted) && Environment.TickCount64 - Volatile.Read(ref _countedAt) <= maxAge;

    private bool TryTake(long bytes)
    {
        if (Interlocked.Read(ref _used) + Interlocked.Add(ref _pending, bytes) <= _options.MaxTotalBytes)
        {
            return true;
        }

        Interlocked.Add(ref _pending, -bytes);
        return false;
    }
}
