using System.Threading.Tasks.Sources;

namespace Millrace.Sources;

/// <summary>
/// The wait of a reader or writer: one object for all its waits. Ended by the first of: the awaited event, a token,
/// or <see cref="End"/> on any thread. A call may come late, for an earlier wait, so callers look again in a loop.
/// </summary>
internal sealed class AsyncWait : IValueTaskSource, IReadyCallback
{
    private ManualResetValueTaskSourceCore<bool> _core = new() { RunContinuationsAsynchronously = true };
    private CancellationToken _token;
    private CancellationTokenRegistration _registration;
    private int _waiting;

    /// <summary>Begins to wait; <see cref="Task"/> is to be awaited then, once.</summary>
    public void Begin(CancellationToken token)
    {
        _core.Reset();
        _token = token;

        // Before any thread checks whether there is something to wait for: an end that comes in between must find the wait.
        Interlocked.Exchange(ref _waiting, 1);
        if (token.CanBeCanceled)
        {
            _registration = token.UnsafeRegister(static state => ((AsyncWait)state!).End(canceled: true), this);
        }
    }

    public ValueTask Task() => new(this, _core.Version);

    public void End(bool canceled = false)
    {
        if (Interlocked.Exchange(ref _waiting, 0) == 1)
        {
            _core.SetResult(canceled);
        }
    }

    void IReadyCallback.OnReady(int ticket, bool mayRunHere) => End();

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    void IValueTaskSource.GetResult(short token)
    {
        bool canceled = _core.GetResult(token);
        _registration.Dispose();
        _registration = default;
        if (canceled)
        {
            throw new OperationCanceledException(_token);
        }
    }
}

internal sealed class BlockingWait : IReadyCallback, IDisposable
{
    private readonly ManualResetEventSlim _ready = new();

    public void OnReady(int ticket = 0, bool mayRunHere = false) => _ready.Set();

    public void Reset() => _ready.Reset();

    public void Wait() => _ready.Wait();

    public void Dispose() => _ready.Dispose();
}

/// <summary>Called once, on any thread and under no lock, when there is something to go on with.</summary>
internal interface IReadyCallback
{
    void OnReady(int ticket = 0, bool mayRunHere = false);
}
