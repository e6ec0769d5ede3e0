using Millrace.Buffers;
using Millrace.Interop;

namespace Millrace.Sources;

/// <summary>
/// Reads a file that others append to. After the last byte it waits, woken by change notifications and by a timer in case they
/// are lost. In <see cref="FollowMode.Name"/> it goes over to the next file of that name once the old one is read.
/// </summary>
internal sealed class FollowSource : ReadSource, IReadyCallback
{
    private readonly FileReadOptions _options;
    private readonly Lock _gate = new();
    private CachedSource _inner;
    private FollowWatcher? _watcher;
    private IReadyCallback? _callback;
    private Exception? _error;

    // Where in the current file the reader is; the reader's own offsets go on counting over all files.
    private long _offset;
    private bool _atEnd;
    private bool _disposed;

    public FollowSource(OpenFile file, in FileReadOptions options)
    {
        if (!file.CanSeek)
        {
            throw new NotSupportedException(
                $"'{file.Path}' cannot be followed: it is a FIFO, a socket or a terminal, which wait for data anyway.");
        }

        _options = options;
        _offset = file.Start;
        _inner = Inner(file);
    }

    /// <remarks>The reader was never completed; the timer and the folder's watch would stay.</remarks>
    ~FollowSource()
    {
        if (_watcher is { } watcher)
        {
            // Not here: watching another folder may hold the lock for as long as a file system takes to answer.
            ThreadPool.UnsafeQueueUserWorkItem(static forgotten => forgotten.Dispose(), watcher, preferLocal: false);
        }
    }

    public override OpenFile File => _inner.File;

    public override ReadStrategy Strategy => ReadStrategy.Buffered;

    public override string Reason => "follow mode";

    private bool ByName => _options.Follow == FollowMode.Name;

    public override FillResult TryFill(ref Window window)
    {
        lock (_gate)
        {
            while (true)
            {
                if (_error is { } error)
                {
                    _error = null;
                    throw error;
                }

                if (_atEnd && !LookForMore())
                {
                    return _offset >= File.Limit ? FillResult.EndOfFile : FillResult.Pending;
                }

                switch (FillFromFile(ref window))
                {
                    case FillResult.EndOfFile:
                        _atEnd = true;
                        break;
                    case FillResult.Pending:
                        return FillResult.Pending;
                    default:
                        return FillResult.Filled;
                }
            }
        }
    }

    public override bool Arm(IReadyCallback callback)
    {
        lock (_gate)
        {
            if (_error is not null)
            {
                return false;
            }

            if (!_atEnd)
            {
                return _inner.Arm(callback);
            }

            _callback = callback;
        }

        Watch();

        // Changes between the look and the watch are found now.
        Look();
        return true;
    }

    public override void Disarm()
    {
        lock (_gate)
        {
            Forget();
            _inner.Disarm();
        }
    }

    public override void Seek(long offset)
    {
        if (ByName)
        {
            throw new NotSupportedException("A file that is followed by its name cannot seek: the name may be another file's by now.");
        }

        lock (_gate)
        {
            _inner.Seek(offset);
            _offset = offset;
            _atEnd = false;
        }
    }

    public override void Dispose()
    {
        FollowWatcher? watcher;
        lock (_gate)
        {
            _disposed = true;
            Forget();
            watcher = _watcher;
            _watcher = null;
            _inner.Dispose();
        }

        watcher?.Dispose();
        GC.SuppressFinalize(this);
    }

    /// <summary>Something happened to the file, or the timer ran: called by the watcher on any thread.</summary>
    void IReadyCallback.OnReady(int ticket, bool mayRunHere) => Look();

    public override void Recycle(Block block) => _inner.Recycle(block);

    /// <summary>
    /// Begins to watch, without the lock: the system's watcher has its own locks, which it may hold while it calls.
    /// </summary>
    private void Watch()
    {
        FollowWatcher watcher = _watcher ?? new FollowWatcher(File.Path, File.Native, _options.FollowPollInterval);
        lock (_gate)
        {
            if (!_disposed)
            {
                _watcher = watcher;
                watcher.CallOnly(_callback is null ? null : this);
                return;
            }
        }

        watcher.Dispose();
    }

    /// <summary>Stops waiting.</summary>
    private void Forget()
    {
        _callback = null;
        _watcher?.CallOnly(null);
    }

    private void Look()
    {
        IReadyCallback? callback;
        lock (_gate)
        {
            if (_callback is null || _disposed)
            {
                return;
            }

            try
            {
                if (!LookForMore())
                {
                    return;
                }
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                // Told by the read that is waiting.
                _error = exception;
            }

            callback = _callback;
            Forget();

            // The bytes are there, but perhaps not without waiting: the inner source calls when they are in memory.
            if (_error is null && _inner.Arm(callback))
            {
                return;
            }
        }

        callback.OnReady();
    }

    private FillResult FillFromFile(ref Window window)
    {
        long before = window.EndOffset;
        try
        {
            FillResult result = _inner.TryFill(ref window);
            _offset += window.EndOffset - before;
            return result;
        }
        catch (FilePipeException exception) when (ByName && exception.Error == FilePipeError.Truncated)
        {
            return FillResult.EndOfFile;
        }
    }

    /// <summary>At the end of what was read: has the file grown, was it truncated, is there a new one of that name?</summary>
    private bool LookForMore()
    {
        if (_offset >= File.Limit)
        {
            return false;
        }

        long size = File.CurrentSize;
        if (size == _offset && ByName && FileIdentity.HasBeenReplaced(File.Handle, File.Path, File.Native))
        {
            // The last bytes may have been written between the look at the size and the look at the name.
            size = File.CurrentSize;
            if (size == _offset && TryOpenNext())
            {
                size = File.CurrentSize;
            }
        }

        if (size < _offset)
        {
            if (!ByName)
            {
                throw new FilePipeException(
                    FilePipeError.Truncated,
                    $"'{File.Path}' was truncated to {size} bytes while it was followed; the bytes before offset "
                    + $"{_offset} were delivered. {nameof(FollowMode)}.{nameof(FollowMode.Name)} starts again instead.",
                    File.Path,
                    _offset);
            }

            _offset = 0;
        }

        if (size <= _offset)
        {
            return false;
        }

        _inner.Seek(_offset);
        _atEnd = false;
        return true;
    }

    private bool TryOpenNext()
    {
        OpenFile next;
        try
        {
            next = OpenFile.Open(File.Path, _options with { Offset = 0 });
        }
        catch (FilePipeException exception) when (exception.Error == FilePipeError.NotFound)
        {
            // Renamed away and not created again yet.
            return false;
        }

        CachedSource old = _inner;
        _inner = Inner(next);
        _offset = 0;
        old.Dispose();
        old.File.Dispose();
        return true;
    }

    private CachedSource Inner(OpenFile file) => new(file, _options, ReadStrategy.Buffered, Reason);
}

/// <summary>
/// Calls when something may have happened to a file: by the system's change notifications for its folder, and by a timer
/// where there are none (network file systems, too many watches) or one was lost.
/// </summary>
/// <remarks>Holds its follower only while that waits, so that one that is never completed can be collected.</remarks>
internal sealed class FollowWatcher : IThreadPoolWorkItem, IDisposable
{
    private readonly Timer _timer;
    private readonly FolderWatch? _folder;
    private volatile IReadyCallback? _waiting;
    private int _woken;

    public FollowWatcher(string path, bool native, TimeSpan pollInterval)
    {
        string full = path.Length == 0 ? "" : Path.GetFullPath(path);
        Name = Path.GetFileName(full);
        _folder = Path.GetDirectoryName(full) is { Length: > 0 } folder ? FolderWatch.TryJoin(folder, native, this) : null;
        _timer = new Timer(static state => ((FollowWatcher)state!)._waiting?.OnReady(), this, pollInterval, pollInterval);
    }

    /// <summary>The file's name in its folder.</summary>
    public string Name { get; }

    /// <summary>Sets the callback; null while nothing waits.</summary>
    public void CallOnly(IReadyCallback? waiting) => _waiting = waiting;

    /// <summary>Has the pool look: looking may take its time, and the caller's thread is everybody's.</summary>
    public void Wake()
    {
        if (_waiting is not null && Interlocked.Exchange(ref _woken, 1) == 0)
        {
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
    }

    void IThreadPoolWorkItem.Execute()
    {
        Interlocked.Exchange(ref _woken, 0);
        _waiting?.OnReady();
    }

    public void Dispose()
    {
        _waiting = null;
        _timer.Dispose();
        _folder?.Leave(this);
    }
}
