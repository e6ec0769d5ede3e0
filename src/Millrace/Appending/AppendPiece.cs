using Millrace.Buffers;

namespace Millrace.Appending;

/// <summary>
/// What one flush hands to the log: bytes to be appended unbroken, and whether to wait for the device. Nobody has to wait
/// for it: a flush that was canceled leaves it with the log, and the next one finds what became of it.
/// </summary>
/// <remarks>One per writer. The writer begins and collects, the log does the rest in between.</remarks>
internal sealed unsafe class AppendPiece(string path)
{
    private readonly Lock _gate = new();
    private Block? _block;
    private int _start;
    private int _end;
    private PieceState _state;
    private IPieceWaiter? _waiter;
    private int _ticket;
    private AppendLog? _orphanOf;

    /// <summary>The name that the writer was given.</summary>
    public string Path { get; } = path;

    /// <summary>The next one of a list of the log's.</summary>
    public AppendPiece? Next { get; set; }

    /// <summary>Whether it is over only when the device has it.</summary>
    public bool Durable { get; private set; }

    /// <summary>The log's: whether its bytes are in the file.</summary>
    public bool Appended { get; set; }

    /// <summary>Where in the file its bytes begin; of one without bytes, nothing.</summary>
    public long Offset { get; set; }

    /// <summary>Why it failed, or null.</summary>
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

    /// <summary>Begins; only when idle.</summary>
    /// <param name="block">The bytes, owned from here on; null when they are in the file already.</param>
    /// <param name="start">Index in the block of the first byte.</param>
    /// <param name="end">Index in the block after the last byte.</param>
    /// <param name="durable">Whether to wait for the device.</param>
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

    /// <summary>Asks to be told of the end. False when there is none to come: the waiter is not kept then.</summary>
    public bool Arm(IPieceWaiter waiter, int ticket)
    {
        lock (_gate)
        {
            bool running = _state == PieceState.Running;
            _waiter = running ? waiter : null;
            _ticket = ticket;
            return running;
        }
    }

    /// <summary>The log's: it is over.</summary>
    public void End(bool mayRunHere)
    {
        IPieceWaiter? waiter;
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

        waiter?.OnEnded(ticket, mayRunHere);
    }

    /// <summary>Takes what is over. False if it is not, or was taken.</summary>
    /// <param name="block">The caller's again; null if there was none.</param>
    /// <param name="start">Index in the block of the first byte that was to be appended.</param>
    /// <param name="end">Index in the block after the last one.</param>
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
