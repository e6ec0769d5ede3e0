using Millrace.Buffers;
using Millrace.Sources;

namespace Millrace.Appending;

/// <summary>
/// One flush's request to the log: bytes to append contiguously, and whether to wait for the device. Nothing has to wait
/// for it: a flush that was canceled leaves it with the log, and the next one finds its outcome.
/// </summary>
/// <remarks>One per writer. The writer begins and collects, the log does the rest in between.</remarks>
internal sealed unsafe class AppendPiece(string path)
{
    private readonly Lock _gate = new();
    private Block? _block;
    private int _start;
    private int _end;
    private PieceState _state;
    private IReadyCallback? _waiter;
    private int _ticket;
    private AppendLog? _orphanOf;

    public string Path { get; } = path;

    public AppendPiece? Next { get; set; }

    /// <summary>Whether it is over only when the device has it.</summary>
    public bool Durable { get; private set; }

    public bool Appended { get; set; }

    /// <summary>Where in the file its bytes begin; of one without bytes, nothing.</summary>
    public long Offset { get; set; }

    public AppendFailure? Failure { get; set; }

    public int Length => _end - _start;

    public byte* Bytes => _block!.Pointer + _start;

    public PieceState State
    {
        get
        {
            lock (_gate)
            {
                return _state;
            }
        }
    }

    /// <summary>Begins; only when idle. Owns the block from here; null when its bytes are in the file already.</summary>
    public void Begin(Block? block, int start, int end, bool durable)
    {
        _block = block;
        _start = start;
        _end = end;
        Durable = durable;
        Appended = start == end;
        Failure = null;
        lock (_gate)
        {
            _state = PieceState.Running;
        }
    }

    /// <summary>Keeps a waiter until the piece ends. False if it is not running: the waiter is not kept then.</summary>
    public bool Arm(IReadyCallback waiter, int ticket = 0)
    {
        lock (_gate)
        {
            bool running = _state == PieceState.Running;
            _waiter = running ? waiter : null;
            _ticket = ticket;
            return running;
        }
    }

    public void End(bool mayRunHere)
    {
        IReadyCallback? waiter;
        int ticket;
        AppendLog? orphanOf;
        lock (_gate)
        {
            _state = PieceState.Ended;
            waiter = _waiter;
            ticket = _ticket;
            _waiter = null;
            orphanOf = _orphanOf;
        }

        if (orphanOf is not null)
        {
            _block?.Release();
            AppendRegistry.Release(orphanOf);
        }

        waiter?.OnReady(ticket, mayRunHere);
    }

    public bool TryCollect(out Block? block, out int start, out int end)
    {
        lock (_gate)
        {
            bool ended = _state == PieceState.Ended;
            block = ended ? _block : null;
            start = _start;
            end = _end;
            if (ended)
            {
                _block = null;
                _state = PieceState.Idle;
            }

            return ended;
        }
    }

    /// <summary>
    /// The writer has gone: the block, and the writer's share in the log, are given back as soon as it is over. False when
    /// that is now: the caller does it.
    /// </summary>
    public bool TryOrphan(AppendLog log)
    {
        lock (_gate)
        {
            bool running = _state == PieceState.Running;
            _orphanOf = running ? log : null;
            return running;
        }
    }
}

internal enum PieceState
{
    Idle,
    Running,
    Ended,
}
