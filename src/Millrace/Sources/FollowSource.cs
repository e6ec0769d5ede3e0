using Microsoft.Win32.SafeHandles;
using Millrace.Buffers;
using Millrace.Interop;

namespace Millrace.Sources;

/// <summary>
/// Reads a file that others append to: at its end it waits, woken by change notifications and by a timer in case they
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
                $"'{file.Path}' cannot be followed: it is a FIFO, a socket or a terminal, which wait for data by themselves.");
        }

        _options = options;
        _offset = file.Start;
        _inner = Inner(file);
    }

    public override OpenFile File => _inner.File;

    public override ReadStrategy Strategy => ReadStrategy.Buffered;

    public override string Reason => "follow mode";

    protected override BlockAllocator Allocator => new(_options.Pool);

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

        // What came between the look and the watch is found now.
        Look();
        return true;
    }

    public override void Disarm()
    {
        lock (_gate)
        {
            _callback = null;
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
            _callback = null;
            watcher = _watcher;
            _watcher = null;
            _inner.Dispose();
        }

        watcher?.Dispose();
    }

    /// <summary>Something happened to the file, or the timer ran: called by the watcher on any thread.</summary>
    void IReadyCallback.OnReady() => Look();

    protected override void Recycle(Block block) => _inner.TakeBack(block);

    /// <summary>
    /// Begins to watch, without the lock: the system's watcher has locks of its own, which it may hold while it calls.
    /// </summary>
    private void Watch()
    {
        if (_watcher is not null)
        {
            return;
        }

        var watcher = new FollowWatcher(this, File.Path, _options.FollowPollInterval);
        lock (_gate)
        {
            if (!_disposed)
            {
                _watcher = watcher;
                return;
            }
        }

        watcher.Dispose();
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
            _callback = null;

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
    /// <returns>Whether there is something to read.</returns>
    private bool LookForMore()
    {
        if (_offset >= File.Limit)
        {
            return false;
        }

        long size = File.CurrentSize;
        if (size == _offset && ByName && FileIdentity.IsAnother(File.Handle, File.Path, File.Native))
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
        SafeFileHandle handle;
        try
        {
            handle = FileOpener.Open(File.Path, _options);
        }
        catch (FilePipeException exception) when (exception.Error == FilePipeError.NotFound)
        {
            // Renamed away and not created again yet.
            return false;
        }

        CachedSource old = _inner;
        _inner = Inner(new OpenFile(handle, old.File.Path, _options with { Offset = 0 }, ownsHandle: true));
        _offset = 0;
        old.Dispose();
        old.File.Dispose();
        return true;
    }

    private CachedSource Inner(OpenFile file) => new(file, Allocator, ReadStrategy.Buffered, Reason);
}
