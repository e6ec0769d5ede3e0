namespace Millrace.Transfer.Server;

/// <summary>Limits of one file, of the store and of the device. Thread-safe.</summary>
internal sealed class StoreLimits : IDisposable
{
    /// <summary>How old a count may be when a write is refused because of it, in milliseconds.</summary>
    /// <remarks>After you delete files by hand, uploads are refused for no longer than this.</remarks>
    private const int CountLastsMilliseconds = 10_000;

    private readonly LocalFileStoreOptions _options;
    private readonly string _root;
    private readonly Func<long> _count;
    private readonly SemaphoreSlim _counting = new(1, 1);
    private long _used;
    private long _reserved;
    private long _countedAt;
    private bool _counted;

    /// <param name="options">The limits.</param>
    /// <param name="root">A path on the device.</param>
    /// <param name="count">Counts the bytes of all published files; slow.</param>
    public StoreLimits(LocalFileStoreOptions options, string root, Func<long> count)
    {
        _options = options;
        _root = root;
        _count = count;
    }

    /// <summary>Whether bytes of unknown number have to be counted as they arrive.</summary>
    public bool AppliesToUnknownLength => _options.MaxFileBytes is not null || AppliesToAll;

    /// <summary>Whether more than the size of one file is limited.</summary>
    public bool AppliesToAll => _options.MaxTotalBytes is not null || _options.FreeSpaceToLeave > 0;

    /// <summary>Bytes of all files and reservations; 0 without a limit.</summary>
    public long Used => Interlocked.Read(ref _used) + Interlocked.Read(ref _reserved);

    /// <exception cref="TransferException"><see cref="TransferError.TooLarge"/>.</exception>
    public void CheckFile(TransferName name, long length)
    {
        if (length > _options.MaxFileBytes)
        {
            throw Errors.TooLarge(name, _options.MaxFileBytes.Value);
        }
    }

    /// <exception cref="TransferException"><see cref="TransferError.NoSpace"/>: too little of the device would stay free.</exception>
    public void CheckDevice(TransferName name, long bytes)
    {
        if (_options.FreeSpaceToLeave > 0
            && new DriveInfo(_root).AvailableFreeSpace is var free
            && free - bytes < _options.FreeSpaceToLeave)
        {
            throw Errors.NoSpace(
                name,
                $"{bytes} more bytes are needed, {free} are free on the server's device, and {_options.FreeSpaceToLeave} have to stay free");
        }
    }

    /// <summary>Reserves bytes that will arrive, after a new count if the last one leaves too little.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.NoSpace"/>.</exception>
    public async ValueTask ReserveAsync(TransferName name, long bytes, CancellationToken cancellationToken)
    {
        if (_options.MaxTotalBytes is null)
        {
            return;
        }

        await CountAsync(maxAge: long.MaxValue, cancellationToken);
        if (!TryReserve(bytes))
        {
            await CountAsync(CountLastsMilliseconds, cancellationToken);
            Reserve(name, bytes);
        }
    }

    /// <summary>Reserves bytes that have arrived, without a new count.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.NoSpace"/>.</exception>
    public void Reserve(TransferName name, long bytes)
    {
        if (_options.MaxTotalBytes is { } limit && !TryReserve(bytes))
        {
            throw Errors.NoSpace(name, $"the store has {Used} of the {limit} bytes that it may have, and {bytes} more came");
        }
    }

    /// <summary>Adds to the reserved bytes whatever the limit; negative to release them.</summary>
    public void AddReserved(long bytes)
    {
        if (_options.MaxTotalBytes is not null)
        {
            Interlocked.Add(ref _reserved, bytes);
        }
    }

    /// <summary>Adds to the bytes of published files; negative when one was deleted.</summary>
    public void AddUsed(long bytes)
    {
        if (_options.MaxTotalBytes is not null)
        {
            Interlocked.Add(ref _used, bytes);
        }
    }

    /// <summary>Counts the published files, unless that was done recently.</summary>
    public async Task CountAsync(long maxAge, CancellationToken cancellationToken)
    {
        if (_options.MaxTotalBytes is null || IsCounted(maxAge))
        {
            return;
        }

        await _counting.WaitAsync(cancellationToken);
        try
        {
            if (!IsCounted(maxAge))
            {
                long used = await Task.Run(_count, cancellationToken);
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

    private bool TryReserve(long bytes)
    {
        if (Interlocked.Read(ref _used) + Interlocked.Add(ref _reserved, bytes) <= _options.MaxTotalBytes)
        {
            return true;
        }

        Interlocked.Add(ref _reserved, -bytes);
        return false;
    }
}

/// <summary>The part of the store's total that one unpublished file holds. Not thread-safe.</summary>
internal sealed class Reservation(StoreLimits limits)
{
    public long ReservedBytes { get; private set; }

    /// <exception cref="TransferException"><see cref="TransferError.NoSpace"/>.</exception>
    public async ValueTask ReserveAsync(TransferName name, long bytes, CancellationToken cancellationToken)
    {
        await limits.ReserveAsync(name, bytes, cancellationToken);
        ReservedBytes += bytes;
    }

    /// <exception cref="TransferException"><see cref="TransferError.NoSpace"/>.</exception>
    public void Reserve(TransferName name, long bytes)
    {
        limits.Reserve(name, bytes);
        ReservedBytes += bytes;
    }

    /// <summary>Counts the bytes of an upload of an earlier process, whatever the limit.</summary>
    public void CountExisting(long bytes)
    {
        limits.AddReserved(bytes);
        ReservedBytes += bytes;
    }

    /// <summary>Gives back what has not become a file.</summary>
    public void ReleaseReservation()
    {
        limits.AddReserved(-ReservedBytes);
        ReservedBytes = 0;
    }

    /// <summary>The reserved bytes have become a file.</summary>
    /// <param name="length">Bytes of the file.</param>
    /// <param name="replaced">Bytes of the file that had its name before.</param>
    public void Publish(long length, long replaced)
    {
        limits.AddUsed(length - replaced);
        ReleaseReservation();
    }
}
