using System.Threading.Tasks.Sources;

namespace Millrace.Sources;

/// <summary>
/// A reader's wait for its source: one object for all waits of a reader, made by the first. Ended by whoever comes first:
/// the source, a token, or <see cref="End"/> on any thread.
/// </summary>
internal sealed class ReadWait : IValueTaskSource, IReadyCallback
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

        // Before anybody looks whether there is something to wait for: an end that comes in between must find the wait.
        Interlocked.Exchange(ref _waiting, 1);
        if (token.CanBeCanceled)
        {
            _registration = token.UnsafeRegister(static state => ((ReadWait)state!).End(canceled: true), this);
        }
    }

    /// <summary>Completes when the wait ends.</summary>
    /// <exception cref="OperationCanceledException">The token ended it.</exception>
    public ValueTask Task() => new(this, _core.Version);

    /// <summary>Ends the wait if there is one.</summary>
    public void End(bool canceled = false)
    {
        if (Interlocked.Exchange(ref _waiting, 0) == 1)
        {
            _core.SetResult(canceled);
        }
    }

    void IReadyCallback.OnReady() => End();

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
