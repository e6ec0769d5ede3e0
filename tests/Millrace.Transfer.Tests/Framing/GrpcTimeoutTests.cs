namespace Millrace.Transfer.Tests.Framing;

/// <summary>The field with the caller's timeout.</summary>
public sealed class GrpcTimeoutTests
{
    [Theory]
    [InlineData("1H", 3_600_000_000)]
    [InlineData("2M", 120_000_000)]
    [InlineData("3S", 3_000_000)]
    [InlineData("4m", 4_000)]
    [InlineData("5u", 5)]
    [InlineData("6000n", 6)]
    [InlineData("99999999u", 99_999_999)]
    public void Timeout_is_parsed_in_every_unit(string text, long microseconds)
    {
        Assert.True(GrpcTimeout.TryParse(text, out TimeSpan timeout));
        Assert.Equal(microseconds, timeout.Ticks / TimeSpan.TicksPerMicrosecond);
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("S")]
    [InlineData("1")]
    [InlineData("1s")]
    [InlineData("-1S")]
    [InlineData("+1S")]
    [InlineData(" 1S")]
    [InlineData("1.5S")]
    [InlineData("123456789S")]
    [InlineData("١S")]
    public void Invalid_text_is_refused(string? text) => Assert.False(GrpcTimeout.TryParse(text, out _));

    [Theory]
    [InlineData(0, "0u")]
    [InlineData(10, "1u")]
    [InlineData(TimeSpan.TicksPerSecond, "1000000u")]
    [InlineData(TimeSpan.TicksPerHour, "3600000m")]
    [InlineData(TimeSpan.TicksPerDay * 400, "34560000S")]
    public void Timeout_is_formatted_in_the_finest_unit_that_holds_it(long ticks, string text) =>
        Assert.Equal(text, GrpcTimeout.Format(TimeSpan.FromTicks(ticks)));

    [Fact]
    public void The_longest_time_is_written_too()
    {
        Assert.True(GrpcTimeout.TryParse(GrpcTimeout.Format(TimeSpan.MaxValue), out TimeSpan read));
        Assert.True(read > TimeSpan.FromDays(365));
    }
}
