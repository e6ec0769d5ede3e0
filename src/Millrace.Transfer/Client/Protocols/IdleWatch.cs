namespace Millrace.Transfer;

/// <summary>Ends a request on which nothing has moved for too long: a stalled connection counts as dead.</summary>
internal sealed class IdleWatch : IDisposable
{
    private readonly CancellationTokenSource _source;
    private readonly CancellationTokenRegistration _registration;
    private readonly CancellationToken _caller;
    private readonly TimeSpan _timeout;

    public IdleWatch(TimeSpan timeout, TimeProvider clock, CancellationToken caller)
    {
        _timeout = timeout;
        _caller = caller;
        _source = new CancellationTokenSource(timeout, clock);
        _registration = caller.UnsafeRegister(static source => ((CancellationTokenSource)source!).Cancel(), _source);
    }

    /// <summary>Ends the request: by the caller, or because nothing moves.</summary>
    public CancellationToken Token => _source.Token;

    /// <summary>Whether the request was ended because nothing moved.</summary>
    public bool IsIdle => _source.IsCancellationRequested && !_caller.IsCancellationRequested;

    /// <summary>How long nothing may move.</summary>
    public TimeSpan Timeout => _timeout;

    /// <summary>What the caller's own token says.</summary>
    public CancellationToken Caller => _caller;

    /// <summary>Something moved.</summary>
    public void Touch() => _source.CancelAfter(_timeout);

    /// <summary>What follows is the caller's own time: a slow source or destination is no dead connection.</summary>
    public void Pause() => _source.CancelAfter(System.Threading.Timeout.InfiniteTimeSpan);

    public void Dispose()
    {
        _registration.Dispose();
        _source.Dispose();
    }
}
