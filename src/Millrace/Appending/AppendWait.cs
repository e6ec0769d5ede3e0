using System.IO.Pipelines;
using System.Threading.Tasks.Sources;
using Millrace.Sources;

namespace Millrace.Appending;

/// <summary>
/// A writer's wait for its piece: one object for all flushes of a writer. Ended by the first of: the log, a token,
/// or <see cref="Cancel"/> on any thread.
/// </summary>
/// <remarks>
/// Not an <see cref="AsyncWait"/> awaited in a loop: with many writers of one file most flushes are pending at once, more than
/// the framework keeps state machines for. Tickets identify late calls instead.
/// </remarks>
internal sealed class AppendWait(FileAppendWriter writer) : IValueTaskSource<FlushResult>, IReadyCallback
{
    private ManualResetValueTaskSourceCore<WaitEnd> _core;
    private CancellationToken _token;
    private CancellationTokenRegistration _registration;
    private int _ticket;

    // The ticket of the wait that goes on; 0 when there is none.
    private int _waiting;

    /// <summary>Begins to wait; <see cref="Task"/> is to be awaited then, once.</summary>
    /// <returns>The ticket that an end passes to be meant for this wait and not for one that was given up.</returns>
    public int Begin(CancellationToken token)
    {
        // Of a flush that was not awaited.
        _registration.Dispose();
        _core.Reset();
        _token = token;
        _ticket = _ticket == int.MaxValue ? 1 : _ticket + 1;

        // Before any thread checks whether there is something to wait for: an end that comes in between must find the wait.
        Interlocked.Exchange(ref _waiting, _ticket);
        _registration = token.CanBeCanceled
            ? token.UnsafeRegister(static state => ((AppendWait)state!).End(WaitEnd.Token), this)
            : default;
        return _ticket;
    }

    public ValueTask<FlushResult> Task() => new(this, _core.Version);

    public void Cancel() => End(WaitEnd.Canceled);

    /// <summary>Ends the wait if there is one, after another thread has found the piece ended.</summary>
    public void Finish() => End(WaitEnd.Ended);

    public void OnReady(int ticket = 0, bool mayRunHere = false)
    {
        if (Interlocked.CompareExchange(ref _waiting, 0, ticket) == ticket)
        {
            Complete(WaitEnd.Ended, mayRunHere);
        }
    }

    private void End(WaitEnd end)
    {
        if (Interlocked.Exchange(ref _waiting, 0) != 0)
        {
            Complete(end, mayRunHere: false);
        }
    }

    private void Complete(WaitEnd end, bool mayRunHere)
    {
        // Not when the result is fetched: a flush that is not awaited must not block the writer for good.
        writer.EndPending();
        _core.RunContinuationsAsynchronously = !mayRunHere;
        _core.SetResult(end);
    }

    ValueTaskSourceStatus IValueTaskSource<FlushResult>.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource<FlushResult>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    FlushResult IValueTaskSource<FlushResult>.GetResult(short token)
    {
        WaitEnd end = _core.GetResult(token);
        _registration.Dispose();
        _registration = default;
        return end == WaitEnd.Token ? throw new OperationCanceledException(_token) : writer.Waited(end);
    }
}

internal enum WaitEnd
{
    Ended,
    Canceled,
    Token,
}
