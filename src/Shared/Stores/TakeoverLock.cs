namespace Millrace.Transfer.Server;

/// <summary>
/// A lock that every new caller takes over: it cancels the holder, and waits until the holder has let go. A client whose
/// connection died is therefore never blocked by the request that the server still runs for it.
/// </summary>
/// <param name="patience">How long a caller waits for the holder.</param>
/// <param name="releasing">Called before the lock is released; null for nothing.</param>
internal sealed class TakeoverLock(TimeSpan patience, Action? releasing = null) : IDisposable
{
    private readonly SemaphoreSlim _free = new(1, 1);
    private readonly Lock _gate = new();
    private readonly Action? _releasing = releasing;
    private Holder? _holder;
    private int _waiting;

    public bool IsHeld
    {
        get
        {
            lock (_gate)
            {
                return _holder is not null;
            }
        }
    }

    /// <summary>Stops the holder and waits for its place.</summary>
    /// <returns>Null if the holder did not let go in time. To be disposed, which releases the lock.</returns>
    /// <exception cref="OperationCanceledException">The caller has gone already, or while it waited.</exception>
    public async ValueTask<Holder?> AcquireAsync(CancellationToken cancellationToken)
    {
        // A request that starts late, when its client has gone and sent the next one, must not stop that one.
        cancellationToken.ThrowIfCancellationRequested();
        Interlocked.Increment(ref _waiting);
        try
        {
            CancelHolder();
            if (!await _free.WaitAsync(patience, cancellationToken))
            {
                return null;
            }
        }
        finally
        {
            Interlocked.Decrement(ref _waiting);
        }

        var holder = new Holder(this);
        lock (_gate)
        {
            _holder = holder;
        }

        if (Volatile.Read(ref _waiting) > 0)
        {
            // A caller that came while this one waited has the newer connection, and found no holder to cancel.
            CancelHolder();
        }

        return holder;
    }

    public void Dispose() => _free.Dispose();

    private void CancelHolder()
    {
        Holder? holder;
        lock (_gate)
        {
            holder = _holder;
        }

        // Not under the lock: a callback may release at once.
        holder?.Cancel();
    }

    /// <summary>The right to change the protected state, which a request keeps from its first step to its last.</summary>
    internal sealed class Holder : IDisposable
    {
        private readonly TakeoverLock _owner;
        private readonly CancellationTokenSource _superseded = new();
        private bool _isResting;
        private bool _released;

        public Holder(TakeoverLock owner)
        {
            _owner = owner;
            Superseded = _superseded.Token;
        }

        /// <summary>Canceled when another caller wants the lock. Stays readable after the release.</summary>
        public CancellationToken Superseded { get; }

        /// <summary>Ends a step: until the next one, another caller gets the lock at once.</summary>
        public void Rest()
        {
            lock (_owner._gate)
            {
                _isResting = true;
            }

            if (Superseded.IsCancellationRequested)
            {
                Release(onlyIfResting: true);
            }
        }

        /// <summary>Begins the next step.</summary>
        /// <returns>False if another caller has had the lock since the last one.</returns>
        public bool TryResume()
        {
            lock (_owner._gate)
            {
                _isResting = false;
                return !_released;
            }
        }

        public void Dispose() => Release(onlyIfResting: false);

        public void Cancel()
        {
            try
            {
                _superseded.Cancel();
            }
            catch (ObjectDisposedException)
            {
                // It has let go already.
            }

            Release(onlyIfResting: true);
        }

        private void Release(bool onlyIfResting)
        {
            lock (_owner._gate)
            {
                if (_released || (onlyIfResting && !_isResting))
                {
                    return;
                }

                _released = true;
                _owner._holder = null;
                _superseded.Dispose();
            }

            _owner._releasing?.Invoke();
            _owner._free.Release();
        }
    }
}
