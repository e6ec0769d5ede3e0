using Millrace.Buffers;
using Millrace.Sources;

namespace Millrace.Writing;

/// <summary>
/// The work of a pool thread for a flush: writes a block that it was given, and waits for the device. Nothing has to wait
/// for it: a flush that was canceled leaves it running, and the next one finds its outcome.
/// </summary>
/// <remarks>One per writer, one run at a time. The writer begins and collects; the pool runs.</remarks>
internal sealed class FlushWork(BufferedFileWriter writer) : IThreadPoolWorkItem
{
    private readonly Lock _gate = new();
    private Block? _block;
    private int _start;
    private int _end;
    private long _offset;
    private bool _durable;
    private FlushState _state;
    private bool _closes;
    private FilePipeException? _error;
    private IReadyCallback? _callback;

    public FlushState State
    {
        get
        {
            lock (_gate)
            {
                return _state;
            }
        }
    }

    public void Begin(Block? block, int start, int end, long offset, bool durable)
    {
        _block = block;
        _start = start;
        _end = end;
        _offset = offset;
        _durable = durable;
        Again();
    }

    public void Again()
    {
        lock (_gate)
        {
            _state = FlushState.Running;
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Asks to be called when the run ends. False when there is none; the callback is not kept then.</summary>
    public bool Arm(IReadyCallback callback)
    {
        lock (_gate)
        {
            bool running = _state == FlushState.Running;
            _callback = running ? callback : null;
            return running;
        }
    }

    public void Disarm()
    {
        lock (_gate)
        {
            _callback = null;
        }
    }

    public int Collect()
    {
        lock (_gate)
        {
            if (_error is { } error)
            {
                _error = null;
                _state = FlushState.Failed;
                throw error;
            }

            _state = FlushState.Idle;
        }

        int bytes = _end - _start;
        ReleaseBlock();
        return bytes;
    }

    /// <summary>Sees to it that the file is closed as soon as nothing runs. False when that is now: the caller closes it.</summary>
    public bool CloseWhenIdle()
    {
        lock (_gate)
        {
            if (_state == FlushState.Running)
            {
                _closes = true;
                return true;
            }
        }

        ReleaseBlock();
        return false;
    }

    void IThreadPoolWorkItem.Execute()
    {
        FilePipeException? error = null;
        try
        {
            Work();
        }
        catch (FilePipeException exception)
        {
            error = exception;
        }

        IReadyCallback? callback;
        bool closes;
        lock (_gate)
        {
            _state = FlushState.Ended;
            _error = error;
            callback = _callback;
            _callback = null;
            closes = _closes;
        }

        if (closes)
        {
            ReleaseBlock();
            writer.CloseOnPool();
        }

        callback?.OnReady();
    }

    private unsafe void Work()
    {
        if (_block is { } block)
        {
            writer.WriteOnPool(new ReadOnlySpan<byte>(block.Pointer + _start, _end - _start), _offset);
        }

        if (_durable)
        {
            writer.FlushOnPool();
        }
    }

    private void ReleaseBlock()
    {
        _block?.Release();
        _block = null;
        _start = 0;
        _end = 0;
    }
}

internal enum FlushState
{
    Idle,
    Running,
    Ended,

    /// <summary>It failed and the writer knows; the bytes are still there, to be tried again.</summary>
    Failed,
}
