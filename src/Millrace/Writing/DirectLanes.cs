using Microsoft.Win32.SafeHandles;
using Millrace.Buffers;
using Millrace.Sources;

namespace Millrace.Writing;

/// <summary>
/// The writes of one file past the page cache. The writer begins them and waits; pool threads end them. The first error
/// lasts: what was written after it is of no use.
/// </summary>
internal sealed class DirectLanes
{
    /// <summary>Writes in flight at once.</summary>
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

    /// <summary>Whether nothing is in flight.</summary>
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

    /// <exception cref="FilePipeException">A write has failed.</exception>
    public void ThrowIfFailed()
    {
        if (Volatile.Read(ref _error) is { } error)
        {
            throw error;
        }
    }

    /// <summary>Begins a write of the first bytes of a block, which it owns then. Only where <see cref="HasFree"/>.</summary>
    public void Begin(Block block, int bytes, long offset)
    {
        DirectLane lane;
        lock (_gate)
        {
            lane = _free.Pop();
        }

        lane.Begin(block, bytes, offset);
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
    /// <param name="close">Closes the rest.</param>
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

    /// <summary>For the lanes.</summary>
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
