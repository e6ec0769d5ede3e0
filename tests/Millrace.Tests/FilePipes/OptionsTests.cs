namespace Millrace.Tests.FilePipes;

/// <summary>FileReadOptions: defaults pinned, and what init refuses.</summary>
public sealed class OptionsTests
{
    [Fact]
    public void Defaults_are_pinned()
    {
        FileReadOptions options = default;

        Assert.Equal(ReadStrategy.Auto, options.Strategy);
        Assert.Equal(0, options.BufferSize);
        Assert.Equal(64 * 1024 * 1024, options.MaxBufferedBytes);
        Assert.Equal(0, options.Offset);
        Assert.Null(options.Length);
        Assert.Equal(FileShare.Read, options.Share);
        Assert.Null(options.Pool);
        Assert.False(options.LeaveOpen);
        Assert.Equal(FollowMode.None, options.Follow);
        Assert.Equal(TimeSpan.FromMilliseconds(250), options.FollowPollInterval);
        Assert.Equal(ChangeDetection.Rewritten, options.ChangeDetection);
        Assert.False(options.Portable);
    }

    [Fact]
    public void A_new_record_is_the_default() => Assert.Equal(default, new FileReadOptions());

    [Fact]
    public void Default_constants_are_the_defaults()
    {
        Assert.Equal(FileReadOptions.DefaultMaxBufferedBytes, default(FileReadOptions).MaxBufferedBytes);
        Assert.Equal(FileReadOptions.DefaultShare, default(FileReadOptions).Share);
        Assert.Equal(
            TimeSpan.FromMilliseconds(FileReadOptions.DefaultFollowPollMilliseconds),
            default(FileReadOptions).FollowPollInterval);
    }

    [Fact]
    public void Sharing_with_nobody_is_not_the_default() =>
        Assert.Equal(FileShare.None, new FileReadOptions { Share = FileShare.None }.Share);

    [Theory]
    [InlineData(-1)]
    [InlineData(int.MinValue)]
    public void BufferSize_is_not_negative(int value) =>
        AssertRefused(nameof(FileReadOptions.BufferSize), () => _ = new FileReadOptions { BufferSize = value });

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(int.MaxValue)]
    public void MaxBufferedBytes_is_positive_and_fits_an_array(int value) => AssertRefused(
        nameof(FileReadOptions.MaxBufferedBytes), () => _ = new FileReadOptions { MaxBufferedBytes = value });

    [Theory]
    [InlineData(-1)]
    [InlineData(long.MinValue)]
    public void Offset_is_not_negative(long value) =>
        AssertRefused(nameof(FileReadOptions.Offset), () => _ = new FileReadOptions { Offset = value });

    [Theory]
    [InlineData(-1)]
    [InlineData(long.MinValue)]
    public void Length_is_not_negative(long value) =>
        AssertRefused(nameof(FileReadOptions.Length), () => _ = new FileReadOptions { Length = value });

    [Theory]
    [InlineData(-1)]
    [InlineData(5)]
    public void Strategy_has_a_name(int value) =>
        AssertRefused(
            nameof(FileReadOptions.Strategy), () => _ = new FileReadOptions { Strategy = (ReadStrategy)value });

    [Theory]
    [InlineData(-1)]
    [InlineData(3)]
    public void Follow_has_a_name(int value) =>
        AssertRefused(nameof(FileReadOptions.Follow), () => _ = new FileReadOptions { Follow = (FollowMode)value });

    [Theory]
    [InlineData(-1)]
    [InlineData(3)]
    public void ChangeDetection_has_a_name(int value) => AssertRefused(
        nameof(FileReadOptions.ChangeDetection),
        () => _ = new FileReadOptions { ChangeDetection = (ChangeDetection)value });

    [Fact]
    public void FollowPollInterval_is_between_a_millisecond_and_a_day()
    {
        TimeSpan[] refused =
        [
            TimeSpan.Zero, TimeSpan.FromTicks(1), TimeSpan.FromMilliseconds(-1), TimeSpan.FromDays(1.001),
            TimeSpan.MaxValue,
        ];
        foreach (TimeSpan value in refused)
        {
            AssertRefused(
                nameof(FileReadOptions.FollowPollInterval),
                () => _ = new FileReadOptions { FollowPollInterval = value });
        }

        foreach (TimeSpan value in new[] { TimeSpan.FromMilliseconds(1), TimeSpan.FromDays(1) })
        {
            Assert.Equal(value, new FileReadOptions { FollowPollInterval = value }.FollowPollInterval);
        }
    }

    private static void AssertRefused(string name, Action create)
    {
        ArgumentOutOfRangeException exception = Assert.Throws<ArgumentOutOfRangeException>(create);
        Assert.Equal(name, exception.ParamName);
        Assert.Contains(name, exception.Message, StringComparison.Ordinal);
    }
}
