namespace Millrace.Kestrel.Tests;

public sealed class MillraceSocketOptionsTests
{
    [Fact]
    public void Defaults_are_those_of_the_documentation()
    {
        var options = new MillraceSocketOptions();
        Assert.Equal(256 * 1024, options.MaxReadBytes);
        Assert.Equal(1024 * 1024, options.ReadBufferBytes);
        Assert.Equal(64 * 1024, options.WriteBufferBytes);
        Assert.Equal(512, options.Backlog);
        Assert.True(options.NoDelay);
        Assert.Equal(TimeSpan.FromSeconds(30), options.PrefaceTimeout);
    }

    [Fact]
    public void Invalid_values_are_rejected()
    {
        var options = new MillraceSocketOptions();
        Assert.Throws<ArgumentOutOfRangeException>(() => options.MaxReadBytes = 4095);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.MaxReadBytes = (256 * 1024) + 1);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.ReadBufferBytes = 0);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.WriteBufferBytes = -1);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.Backlog = 0);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.PrefaceTimeout = TimeSpan.Zero);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.PrefaceTimeout = TimeSpan.FromDays(25));
    }
}
