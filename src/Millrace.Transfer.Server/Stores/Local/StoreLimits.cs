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
    private readonly Lock _reserving = new();
    private long _used;
    private long _added;
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

    /// <summary>Deletes so many bytes of the trash, and returns whether it deleted any; null without a trash.</summary>
    public Func<long, bool>? MakeRoom { get; set; }

    /// <summary>Bytes of all files and reservations; 0 without a limit.</summary>
    public long Used => Interlocked.Read(ref _used) + Interlocked.Read(ref _reserved);

    /// <summary>Bytes that the store may still have; negative if it has too many. Not for a store without a limit.</summary>
    public long Left => (_options.MaxTotalBytes ?? long.MaxValue) - Used;

    /// <summary>The room in the store, as far as it has been counted.</summary>
    public StoreSpace FindSpace()
    {
        var device = new DriveInfo(_root);
        long free = Math.Max(0, device.AvailableFreeSpace - _options.FreeSpaceToLeave);
        return _options.MaxTotalBytes is { } limit && Volatile.Read(ref _counted)
            ? new StoreSpace(Math.Clamp(limit - Used, 0, free), Used)
            : new StoreSpace(Math.Min(free, _options.MaxTotalBytes ?? free), device.TotalSize - device.AvailableFreeSpace);
    }

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
            && free - bytes < _options.FreeSpaceToLeave
            && !(MakeRoom?.Invoke(_options.FreeSpaceToLeave + bytes - free) == true
                && (free = new DriveInfo(_root).AvailableFreeSpace) - bytes >= _options.FreeSpaceToLeave))
        {
            throw Errors.NoSpace(
                name,
                $"{bytes} more bytes are needed, {free} are free on the server's device, and {_options.FreeSpaceToLeave} have to stay free");
        }
    }

    /// <summary>
    /// Refuses bytes that will come and would not fit now, after a new count if the last one leaves too little. Reserves
    /// nothing: an announcement costs its sender nothing.
    /// </summary>
    /// <exception cref="TransferException"><see cref="TransferError.NoSpace"/>.</exception>
    public async ValueTask CheckTotalAsync(TransferName name, long bytes, CancellationToken cancellationToken)
    {
        if (_options.MaxTotalBytes is not { } limit)
        {
            return;
        }

        await CountAsync(maxAge: long.MaxValue, cancellationToken);
        if (bytes > limit - Used)
        {
            await CountAsync(CountLastsMilliseconds, cancellationToken);
            if (bytes > limit - Used && !(MakeRoom?.Invoke(bytes - (limit - Used)) == true && bytes <= limit - Used))
            {
                throw Full(name, limit, bytes);
            }
        }
    }

    /// <summary>Charges bytes that have arrived, without a new count.</summary>
    /// <param name="name">The file.</param>
    /// <param name="bytes">Bytes to charge.</param>
    /// <param name="lost">
    /// Reserved bytes that are of no use if these are refused. They are released in the same step: two senders whose files do
    /// not both fit would otherwise refuse each other.
    /// </param>
    /// <exception cref="TransferException"><see cref="TransferError.NoSpace"/>.</exception>
    public void Reserve(TransferName name, long bytes, long lost)
    {
        if (_options.MaxTotalBytes is not { } limit)
        {
            return;
        }

        if (MakeRoom is not null && Used + bytes - limit is > 0 and var excess)
        {
            _ = MakeRoom(excess);
        }

        lock (_reserving)
        {
            if (Used + bytes > limit)
            {
                TransferException full = Full(name, limit, bytes);
                AddReserved(-lost);
                throw full;
            }

            AddReserved(bytes);
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
            Interlocked.Add(ref _added, Math.Max(0, bytes));
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
                // The count may have missed files published meanwhile.
                long added = Interlocked.Read(ref _added);
                long used = await Task.Run(_count, cancellationToken);
                Interlocked.Exchange(ref _used, used + Interlocked.Read(ref _added) - added);
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

    private TransferException Full(TransferName name, long limit, long bytes) => Errors.NoSpace(
        name, $"the store has {Used} of the {limit} bytes that it may have, and {bytes} more came");

    private bool IsCounted(long maxAge) =>
        Volatile.Read(ref _counted) && Environment.TickCount64 - Volatile.Read(ref _countedAt) <= maxAge;
}

/// <summary>The part of the store's total that one unpublished file holds: the bytes that arrived. Not thread-safe.</summary>
internal sealed class Reservation(StoreLimits limits)
{
    public long ReservedBytes { get; private set; }

    /// <param name="name">The file.</param>
    /// <param name="bytes">Bytes that arrived.</param>
    /// <param name="kept">Bytes of the file that stay if these are refused.</param>
    /// <exception cref="TransferException"><see cref="TransferError.NoSpace"/>.</exception>
    public void Reserve(TransferName name, long bytes, long kept = long.MaxValue)
    {
        long lost = Math.Max(0, ReservedBytes - kept);
        ReservedBytes -= lost;
        limits.Reserve(name, bytes, lost);
        ReservedBytes += lost + bytes;
    }

    /// <summary>Counts the bytes that were kept, whatever the limit: fewer than arrived, or those of an earlier process.</summary>
    public void Set(long bytes)
    {
        limits.AddReserved(bytes - ReservedBytes);
        ReservedBytes = bytes;
    }

    /// <summary>Releases the bytes that have not become a file.</summary>
    public void ReleaseReservation() => Set(0);

    /// <summary>The reserved bytes have become a file.</summary>
    /// <param name="length">Bytes of the file.</param>
    /// <param name="replaced">Bytes of the file that had its name before.</param>
    public void Publish(long length, long replaced)
    {
        limits.AddUsed(length - replaced);
        ReleaseReservation();
    }
}
