namespace Millrace.Transfer;

/// <summary>Retries requests that a cut connection or a busy server ended: later each time, and not all clients at once.</summary>
internal sealed class RetryPolicy(TransferClientOptions options, TimeProvider clock)
{
    /// <summary>The longest wait that a server may ask for; longer ones are the caller's business.</summary>
    private static readonly TimeSpan LongestAsked = TimeSpan.FromMinutes(5);

    /// <summary>Runs an attempt, and others where that helps.</summary>
    public async Task<T> RunAsync<T>(
        Func<RetryState, CancellationToken, ValueTask<T>> attempt, CancellationToken cancellationToken, RetryState? state = null)
    {
        state ??= new RetryState();
        while (true)
        {
            cancellationToken.ThrowIfCancellationRequested();
            try
            {
                return await attempt(state, cancellationToken).ConfigureAwait(false);
            }
            catch (TransferException exception)
            {
                if (!state.Fail(exception, options.MaxAttempts))
                {
                    throw;
                }
            }

            await Task.Delay(Delay(state, Random.Shared.NextDouble()), clock, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>The wait after a failure: between half and all of what doubling gives, so that many clients do not come back together.</summary>
    /// <param name="state">The failures.</param>
    /// <param name="jitter">0 to 1.</param>
    public TimeSpan Delay(RetryState state, double jitter)
    {
        if (state.IsSmallerNext)
        {
            return TimeSpan.Zero;
        }

        if (state.Asked is { } asked)
        {
            return asked < LongestAsked ? asked : LongestAsked;
        }

        int doublings = Math.Min(state.Failures - 1, 30);
        double longest = Math.Min(options.FirstDelay.TotalMilliseconds * Math.Pow(2, doublings), options.MaxDelay.TotalMilliseconds);
        return TimeSpan.FromMilliseconds(longest * (0.5 + (jitter / 2)));
    }
}

/// <summary>The attempts of one transfer. Progress resets the count of failures.</summary>
internal sealed class RetryState
{
    /// <summary>Attempts so far, the running one included.</summary>
    public int Attempts { get; private set; } = 1;

    /// <summary>Attempts that failed since the last progress.</summary>
    public int Failures { get; private set; }

    /// <summary>How long the other side asked to wait; null when it did not.</summary>
    public TimeSpan? Asked { get; private set; }

    /// <summary>Whether the next attempt sends less in one request, and need not wait.</summary>
    public bool IsSmallerNext { get; private set; }

    private long _best = -1;

    /// <summary>More bytes than ever before are progress.</summary>
    public void Reached(long bytes)
    {
        if (bytes > _best)
        {
            if (_best >= 0)
            {
                Failures = 0;
            }

            _best = bytes;
        }
    }

    /// <summary>Counts a failed attempt.</summary>
    /// <returns>Whether another attempt may help.</returns>
    public bool Fail(TransferException exception, int most)
    {
        IsSmallerNext = exception.IsSmallerNext;
        Failures += IsSmallerNext ? 0 : 1;
        Asked = exception.RetryAfter;
        if (!exception.IsTransient || Failures >= most)
        {
            return false;
        }

        Attempts++;
        return true;
    }
}
