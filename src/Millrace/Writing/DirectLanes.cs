using Microsoft.Win32.SafeHandles;
using Millrace.Buffers;
using Millrace.Interop;
using Millrace.Sources;

namespace Millrace.Writing;

/// <summary>
/// The writes of one file past the page cache. The writer begins them and waits; pool threads end them. The first error
/// is permanent: later writes are of no use.
/// </summary>
internal sealed class DirectLanes
{
    /// <remarks>As many as keep a device busy while the caller fills the next block; see docs/measuring.md.</remarks>
    public const int Count = 4;

    private readonly Lock _gate = new();
    private readonly Stack<DirectLane> _free = new(Count);
    private FilePipeException? _error;
    private IReadyCallback? _callback;
    private bool _waitsForAll;
    private Action? _close;

    public DirectLanes(StagedFile file, SafeFileHandle direct)
    {
        File = file;
        Direct = direct;
        for (int i = 0; i < Count; i++)
        {
            _free.Push(new DirectLane(this));
        }
    }

    public StagedFile File { get; }

    /// <summary>The same file past the page cache.</summary>
    public SafeFileHandle Direct { get; }

    public bool IsIdle
    {
        get
        {
            lock (_gate)
            {
                return _free.Count == Count;
            }
        }
    }

    /// <summary>Whether another write can begin. Only the writer begins them, so that a yes stays one.</summary>
    public bool HasFree
    {
        get
        {
            lock (_gate)
            {
                return _free.Count > 0;
            }
        }
    }

    public void ThrowIfFailed()
    {
        if (Volatile.Read(ref _error) is { } error)
        {
            throw error;
        }
    }

    /// <summary>Begins a write of some bytes of a block, which it owns then. Only where <see cref="HasFree"/>.</summary>
    public void Begin(Block block, int start, int bytes, long offset)
    {
        DirectLane lane;
        lock (_gate)
        {
            lane = _free.Pop();
        }

        lane.Begin(block, start, bytes, offset);
    }

    /// <summary>
    /// Asks to be called when a write, or with <paramref name="all"/> every one, has ended. False when that is so
    /// already; the callback is not kept then.
    /// </summary>
    public bool Arm(IReadyCallback callback, bool all)
    {
        lock (_gate)
        {
            bool waits = all ? _free.Count < Count : _free.Count == 0;
            _waitsForAll = all;
            _callback = waits ? callback : null;
            return waits;
        }
    }

    public void Disarm()
    {
        lock (_gate)
        {
            _callback = null;
        }
    }

    /// <summary>Closes the file, at once or when the last write has ended. Called once.</summary>
    public void CloseWhenIdle(Action close)
    {
        lock (_gate)
        {
            _close = close;
            if (_free.Count < Count)
            {
                return;
            }
        }

        Close();
    }

    public void Ended(DirectLane lane, FilePipeException? error)
    {
        IReadyCallback? callback = null;
        bool closes;
        lock (_gate)
        {
            _error ??= error;
            _free.Push(lane);
            bool idle = _free.Count == Count;
            if (!_waitsForAll || idle)
            {
                callback = _callback;
                _callback = null;
            }

            closes = _close is not null && idle;
        }

        callback?.OnReady();
        if (closes)
        {
            Close();
        }
    }

    private void Close()
    {
        Direct.Dispose();
        _close!();
    }
}

internal sealed class DirectLane(DirectLanes lanes) : IThreadPoolWorkItem
{
    private Block? _block;
    private int _start;
    private int _bytes;
    private long _offset;

    public void Begin(Block block, int start, int bytes, long offset)
    {
        _block = block;
        _start = start;
        _bytes = bytes;
        _offset = offset;
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    unsafe void IThreadPoolWorkItem.Execute()
    {
        FilePipeException? error = null;
        var bytes = new ReadOnlySpan<byte>(_block!.Pointer + _start, _bytes);
        int code = PositionalWrite.Write(lanes.Direct, bytes, default, _offset, out long written);
        if (code is Errno.InvalidArgument or Errno.NotSupported)
        {
            // The file system accepted the flag and not the write.
            code = PositionalWrite.Write(lanes.File.Handle, bytes, default, _offset, out written);
        }

        if (code != 0)
        {
            error = WriteErrors.Describe("write", lanes.File.Path, _offset + written, code);
        }

        _block.Release();
        _block = null;
        lanes.Ended(this, error);
    }
}
