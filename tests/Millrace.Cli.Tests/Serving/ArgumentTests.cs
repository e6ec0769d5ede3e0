
namespace Millrace.Cli.Tests.Serving;

public sealed class ArgumentTests
{
    [Theory]
    [InlineData("0", 0)]
    [InlineData("1000", 1000)]
    [InlineData("64K", 65_536)]
    [InlineData("64k", 65_536)]
    [InlineData("10GiB", 10L << 30)]
    [InlineData("500MB", 500_000_000)]
    [InlineData("1.5 MiB", 3 << 19)]
    [InlineData("12B", 12)]
    public void Sizes_are_parsed(string text, long expected)
    {
        Assert.True(SizeArgument.TryParse(text, out long bytes));
        Assert.Equal(expected, bytes);
    }

    [Theory]
    [InlineData("")]
    [InlineData("K")]
    [InlineData("-1")]
    [InlineData("1Q")]
    [InlineData("9000000000TiB")]
    [InlineData(null)]
    public void Invalid_sizes_are_rejected(string? text) => Assert.False(SizeArgument.TryParse(text, out _));

    [Theory]
    [InlineData("0", 0)]
    [InlineData("90s", 90)]
    [InlineData("90", 90)]
    [InlineData("1.5h", 5400)]
    [InlineData("15m", 900)]
    [InlineData("30d", 2_592_000)]
    [InlineData("52w", 31_449_600)]
    public void Durations_are_parsed(string text, double seconds)
    {
        Assert.True(DurationArgument.TryParse(text, out TimeSpan time));
        Assert.Equal(TimeSpan.FromSeconds(seconds), time);
    }

    [Theory]
    [InlineData("")]
    [InlineData("h")]
    [InlineData("-1h")]
    [InlineData("1y")]
    [InlineData("NaN")]
    [InlineData("1e9d")]
    [InlineData("999999d")]
    [InlineData(null)]
    public void Invalid_durations_are_rejected(string? text) => Assert.False(DurationArgument.TryParse(text, out _));
}
