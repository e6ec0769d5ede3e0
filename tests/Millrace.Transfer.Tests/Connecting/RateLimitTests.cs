namespace Millrace.Transfer.Tests.Connecting;

public sealed class RateLimitTests
{
    [Fact]
    public void Bytes_wait_for_those_before_them_and_idle_time_is_not_made_up_for()
    {
        var clock = new ManualClock();
        var limit = new RateLimit(1_000, clock);
        Assert.Equal(125, limit.MaxBytes);
        Assert.Equal(TimeSpan.Zero, limit.Reserve(100));
        Assert.Equal(TimeSpan.FromMilliseconds(100), limit.Reserve(50));
        Assert.Equal(TimeSpan.FromMilliseconds(150), limit.Reserve(10));
        clock.Advance(TimeSpan.FromMilliseconds(150));
        Assert.Equal(TimeSpan.FromMilliseconds(10), limit.Reserve(1));
        clock.Advance(TimeSpan.FromSeconds(10));
        Assert.Equal(TimeSpan.Zero, limit.Reserve(1_000));
        Assert.Equal(TimeSpan.FromSeconds(1), limit.Reserve(1));
    }

    [Theory]
    [InlineData(1, 1)]
    [InlineData(8_000, 1_000)]
    [InlineData(long.MaxValue, 262_144)]
    public void Pieces_last_an_eighth_of_a_second_at_most(long rate, int bytes) =>
        Assert.Equal(bytes, new RateLimit(rate, new ManualClock()).MaxBytes);
}
