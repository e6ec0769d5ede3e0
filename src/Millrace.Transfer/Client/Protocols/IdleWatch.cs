namespace Millrace.Transfer;

/// <summary>Ends a request on which nothing has moved for too long: a stalled connection counts as dead.</summary>
internal sealed class IdleWatch : IDisposable
{
    private readonly CancellationTokenSource _source;
    private readonly CancellationTokenRegistration _registration;

    public IdleWatch(TimeSpan timeout, TimeProvider clock, CancellationToken caller)
    {
        Timeout = timeout;
        Caller = caller;
        _source = new CancellationTokenSource(timeout, clock);
        _registration = caller.UnsafeRegister(static source => ((CancellationTokenSource)source!).Cancel(), _source);
    }

    /// <summary>Ends the request: by the caller, or because nothing moves.</summary>
    public CancellationToken Token => _source.Token;

    /// <summary>Whether the request was ended because nothing moved.</summary>
    public bool IsIdle => _source.IsCancellationRequested && !Caller.IsCancellationRequested;

    /// <summary>How long nothing may move.</summary>
    public TimeSpan Timeout { get; }

    /// <summary>The caller's own token.</summary>
    public CancellationToken Caller { get; }

    /// <summary>Keeps the bytes of the request below a rate; null where they need not be.</summary>
    public RateLimit? Rate { get; init; }

    /// <summary>Waits until so many bytes may be moved; this wait does not count as a dead connection.</summary>
    public ValueTask PaceAsync(int bytes)
    {
        if (Rate is null)
        {
            return default;
        }

        Pause();
        return Rate.WaitAsync(bytes, Token);
    }

    /// <summary>Something moved.</summary>
    public void Touch() => _source.CancelAfter(Timeout);

    /// <summary>The following is the caller's time: a slow source or destination is not a dead connection.</summary>
    public void Pause() => _source.CancelAfter(System.Threading.Timeout.InfiniteTimeSpan);

    public void Dispose()
    {
        _registration.Dispose();
        _source.Dispose();
    }
}
