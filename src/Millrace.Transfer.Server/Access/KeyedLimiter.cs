using System.Threading.RateLimiting;

namespace Millrace.Transfer.Server;

/// <summary>
/// One of the framework's limiters for each key, such as a caller, while it is in use. <see cref="PartitionedRateLimiter{T}"/> looks for idle ones ten
/// times a second: those of a server that had nothing to do woke it up 70 times. Thread-safe.
/// </summary>
/// <param name="create">A limiter that has no timer of its own.</param>
internal sealed class KeyedLimiter(Func<RateLimiter> create) : IDisposable
{
    /// <summary>Limiters among which no idle ones are looked for.</summary>
    private const int FewLimiters = 64;

    /// <summary>How often idle ones are looked for at least, while new keys come.</summary>
    private static readonly TimeSpan Interval = TimeSpan.FromMinutes(1);

    private readonly Lock _lock = new();
    private readonly Dictionary<string, RateLimiter> _limiters = new(StringComparer.Ordinal);
    private int _many = FewLimiters;
    private long _removed = Environment.TickCount64;

    /// <summary>How many limiters are kept; for tests.</summary>
    public int Count
    {
        get
        {
            lock (_lock)
            {
                return _limiters.Count;
            }
        }
    }

    /// <param name="atOnce">Leases that a key may have.</param>
    /// <param name="waiting">Leases that it may wait for.</param>
    public static KeyedLimiter OfLeases(int atOnce, int waiting)
    {
        var options = new ConcurrencyLimiterOptions { PermitLimit = atOnce, QueueLimit = waiting };
        return new(() => new ConcurrencyLimiter(options));
    }

    /// <param name="tries">What a key may try at once, and again in each period.</param>
    /// <param name="period">The period.</param>
    public static KeyedLimiter OfTries(int tries, TimeSpan period)
    {
        var options = new TokenBucketRateLimiterOptions
        {
            TokenLimit = tries,
            TokensPerPeriod = tries,
            ReplenishmentPeriod = period,
            AutoReplenishment = false,
        };
        return new(() => new TokenBucketRateLimiter(options));
    }

    public RateLimitLease AttemptAcquire(string key)
    {
        lock (_lock)
        {
            return Find(key).AttemptAcquire();
        }
    }

    public ValueTask<RateLimitLease> AcquireAsync(string key, CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            return Find(key).AcquireAsync(cancellationToken: cancellationToken);
        }
    }

    /// <summary>Ends all waits without a lease.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            foreach (RateLimiter limiter in _limiters.Values)
            {
                limiter.Dispose();
            }
        }
    }

    private RateLimiter Find(string key)
    {
        if (_limiters.TryGetValue(key, out RateLimiter? limiter))
        {
            (limiter as ReplenishingRateLimiter)?.TryReplenish();
            return limiter;
        }

        if (_limiters.Count >= _many || (_limiters.Count >= FewLimiters && Environment.TickCount64 - _removed > Interval.TotalMilliseconds))
        {
            RemoveIdle();
        }

        return _limiters[key] = create();
    }

    /// <summary>A new limiter allows what an idle one does.</summary>
    private void RemoveIdle()
    {
        foreach ((string key, RateLimiter limiter) in _limiters)
        {
            (limiter as ReplenishingRateLimiter)?.TryReplenish();
            if (limiter.IdleDuration is not null)
            {
                _limiters.Remove(key);
                limiter.Dispose();
            }
        }

        _many = Math.Max(FewLimiters, 2 * _limiters.Count);
        _removed = Environment.TickCount64;
    }
}
