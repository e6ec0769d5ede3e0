using System.Threading.Tasks.Sources;

namespace Millrace.Transfer.Server;

/// <summary>The bytes of one request in one direction. One thread takes bytes at a time; any may end it.</summary>
/// <remarks>It is its own promise and its own work item: waiting for a turn allocates nothing.</remarks>
internal sealed class RateFlow(RateGate gate, RateGate.Caller caller, int turnBytes) : IValueTaskSource<int>, IThreadPoolWorkItem
{
    private ManualResetValueTaskSourceCore<int> _turn;

    /// <summary>Maximum bytes of a turn.</summary>
    public int TurnBytes => turnBytes;

    public RateGate.Caller Caller => caller;

    // All of these are guarded by the gate's lock.
    public int First { get; set; }

    /// <summary>Bytes of the last turn that are still unused.</summary>
    public int Left { get; set; }

    public int Wanted { get; private set; }

    public int Granted { get; private set; }

    public long VirtualTime { get; set; }

    public bool IsWaiting { get; private set; }

    public bool IsOver { get; set; }

    /// <summary>Waits until bytes may be moved.</summary>
    /// <param name="bytes">Bytes that the caller would like to move.</param>
    /// <returns>How many it may: 1 or more; 0 if the wait was canceled.</returns>
    public ValueTask<int> TakeAsync(int bytes) => gate.TakeAsync(this, bytes);

    /// <summary>Takes bytes that were moved, without waiting.</summary>
    public int TakeNow(int bytes) => gate.TakeNow(this, bytes);

    /// <summary>Ends a wait with 0 bytes.</summary>
    /// <returns>False if it does not wait.</returns>
    public bool TryCancel() => gate.EndWait(this, 0);

    /// <summary>Ends every wait, because the client is gone.</summary>
    public void End() => gate.End(this);

    /// <summary>Ends the request.</summary>
    public void Close() => gate.Close(this);

    internal void Wait(int bytes)
    {
        _turn.Reset();
        Wanted = bytes;
        IsWaiting = true;
    }

    internal void Grant(int bytes)
    {
        Granted = bytes;
        IsWaiting = false;
    }

    internal ValueTask<int> AsTask() => new(this, _turn.Version);

    internal void Continue() => ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);

    void IThreadPoolWorkItem.Execute() => _turn.SetResult(Granted);

    int IValueTaskSource<int>.GetResult(short token) => _turn.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<int>.GetStatus(short token) => _turn.GetStatus(token);

    void IValueTaskSource<int>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _turn.OnCompleted(continuation, state, token, flags);
}
