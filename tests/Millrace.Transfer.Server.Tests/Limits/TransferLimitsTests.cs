namespace Millrace.Transfer.Server.Tests.Limits;

public sealed class TransferLimitsTests
{
    [Fact]
    public void Defaults_match_the_documentation()
    {
        var limits = new TransferLimits();
        Assert.Equal(256, limits.MaxTransfers);
        Assert.Equal(32, limits.MaxListings);
        Assert.Equal(900, limits.MaxConnections);
        Assert.Null(limits.MaxBodyBytes);
        Assert.Equal(1024, limits.MinReceiveRate);
        Assert.Equal(TimeSpan.FromSeconds(10), limits.MinReceiveRateGracePeriod);
        Assert.Equal(TimeSpan.FromMinutes(10), limits.MaxSendPause);
        Assert.Equal(TimeSpan.FromSeconds(10), limits.HeaderTimeout);
        Assert.Equal(TimeSpan.FromSeconds(130), limits.KeepAliveTimeout);
        Assert.Equal(TimeSpan.FromSeconds(5), limits.RetryAfter);
        Assert.Equal(128 * 1024, limits.ReceiveBuffer);
        Assert.Equal(128 * 1024, limits.SendBuffer);
        Assert.Equal(16 * 1024 * 1024, limits.Http2Window);
        Assert.Equal(512 * 1024 * 1024, limits.MaxBufferedBytes);
    }

    [Fact]
    public void Invalid_values_are_refused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => new TransferLimits { MaxTransfers = 0 });
        Assert.Throws<ArgumentOutOfRangeException>(() => new TransferLimits { MaxListings = 0 });
        Assert.Throws<ArgumentOutOfRangeException>(() => new TransferLimits { MaxConnections = 0 });
        Assert.Throws<ArgumentOutOfRangeException>(() => new TransferLimits { MaxBufferedBytes = (16 * 1024 * 1024) - 1 });
        Assert.Throws<ArgumentOutOfRangeException>(() => new TransferLimits { MaxBodyBytes = -1 });
        Assert.Throws<ArgumentOutOfRangeException>(() => new TransferLimits { MinReceiveRate = -1 });
        Assert.Throws<ArgumentOutOfRangeException>(() => new TransferLimits { MinReceiveRateGracePeriod = TimeSpan.FromSeconds(1) });
        Assert.Throws<ArgumentOutOfRangeException>(() => new TransferLimits { HeaderTimeout = TimeSpan.Zero });
    }
}
