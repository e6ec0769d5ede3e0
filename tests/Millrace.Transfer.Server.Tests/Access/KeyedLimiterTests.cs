using System.Threading.RateLimiting;

namespace Millrace.Transfer.Server.Tests;

public sealed class KeyedLimiterTests
{
    [Fact]
    public async Task Each_key_has_its_own_leases_and_its_own_queue()
    {
        using KeyedLimiter limiter = KeyedLimiter.OfLeases(atOnce: 2, waiting: 1);
        using RateLimitLease one = limiter.AttemptAcquire("a"), two = limiter.AttemptAcquire("a"), three = limiter.AttemptAcquire("a");
        Assert.True(one.IsAcquired && two.IsAcquired);
        Assert.False(three.IsAcquired);
        using RateLimitLease other = limiter.AttemptAcquire("b");
        Assert.True(other.IsAcquired);

        Task<RateLimitLease> waits = limiter.AcquireAsync("a", default).AsTask();
        using RateLimitLease refused = await limiter.AcquireAsync("a", default);
        Assert.False(refused.IsAcquired);
        Assert.False(waits.IsCompleted);
        one.Dispose();
        using RateLimitLease got = await waits.Soon();
        Assert.True(got.IsAcquired);
    }

    [Fact]
    public void Idle_keys_are_forgotten_and_those_in_use_are_not()
    {
        using KeyedLimiter limiter = KeyedLimiter.OfLeases(atOnce: 1, waiting: 0);
        using RateLimitLease held = limiter.AttemptAcquire("held");
        for (int i = 0; i < 10_000; i++)
        {
            limiter.AttemptAcquire($"{i}").Dispose();
        }

        Assert.InRange(limiter.Count, 1, 100);
        using RateLimitLease refused = limiter.AttemptAcquire("held");
        Assert.False(refused.IsAcquired);
    }

    [Fact]
    public void Tries_that_are_used_up_are_remembered_among_many_keys()
    {
        using KeyedLimiter limiter = KeyedLimiter.OfTries(2, TimeSpan.FromHours(1));
        Assert.True(Try("a") && Try("a"));
        for (int i = 0; i < 1000; i++)
        {
            Assert.True(Try($"{i}"));
        }

        Assert.False(Try("a"));

        bool Try(string key)
        {
            using RateLimitLease lease = limiter.AttemptAcquire(key);
            return lease.IsAcquired;
        }
    }

    [Fact]
    public async Task Tries_come_back_with_time()
    {
        using KeyedLimiter limiter = KeyedLimiter.OfTries(1, TimeSpan.FromMilliseconds(20));
        using RateLimitLease first = limiter.AttemptAcquire("a");
        Assert.True(first.IsAcquired);
        await Bounded.UntilAsync(() =>
        {
            using RateLimitLease next = limiter.AttemptAcquire("a");
            return next.IsAcquired;
        });
    }
}
