namespace Millrace.Tests.FilePipes;

/// <summary>FileReadOptions: defaults pinned, and what init refuses.</summary>
public sealed class OptionsTests
{
    [Fact]
    public void Defaults_are_pinned()
    {
        FileReadOptions options = default;
        Assert.Equal(ReadStrategy.Auto, options.Strategy);
        Assert.Equal(0, options.BlockBytes);
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
        Assert.Equal(default, new FileReadOptions());
    }

    [Fact]
    public void Sharing_with_nobody_is_not_the_default() =>
        Assert.Equal(FileShare.None, new FileReadOptions { Share = FileShare.None }.Share);

    [Fact]
    public void Out_of_range_values_are_rejected()
    {
        AssertRejected(nameof(FileReadOptions.BlockBytes), value => new() { BlockBytes = (int)value }, -1, 1, 4095, 5000, 2_101_248);
        AssertRejected(nameof(FileReadOptions.BufferSize), value => new() { BufferSize = (int)value }, -1, int.MinValue);
        AssertRejected(nameof(FileReadOptions.MaxBufferedBytes), value => new() { MaxBufferedBytes = (int)value }, 0, -1, int.MaxValue);
        AssertRejected(nameof(FileReadOptions.Offset), value => new() { Offset = value }, -1, long.MinValue);
        AssertRejected(nameof(FileReadOptions.Length), value => new() { Length = value }, -1, long.MinValue);
        AssertRejected(nameof(FileReadOptions.Strategy), value => new() { Strategy = (ReadStrategy)value }, -1, 5);
        AssertRejected(nameof(FileReadOptions.Follow), value => new() { Follow = (FollowMode)value }, -1, 3);
        AssertRejected(nameof(FileReadOptions.ChangeDetection), value => new() { ChangeDetection = (ChangeDetection)value }, -1, 3);
        AssertRejected(
            nameof(FileReadOptions.FollowPollInterval),
            ticks => new() { FollowPollInterval = TimeSpan.FromTicks(ticks) },
            0,
            1,
            -TimeSpan.TicksPerMillisecond,
            TimeSpan.TicksPerDay + 1,
            long.MaxValue);
    }

    [Fact]
    public void Refusals_say_what_is_accepted()
    {
        static string Message(Action create) => Assert.ThrowsAny<ArgumentOutOfRangeException>(create).Message;

        Assert.Contains("use a multiple of 4096 up to 2097152 bytes, or 0.", Message(static () => _ = new FileReadOptions { BlockBytes = 1000 }), StringComparison.Ordinal);
        Assert.Contains("use a multiple of 4096 up to 2097152 bytes, or 0.", Message(static () => _ = new FileWriteOptions { BlockBytes = 1000 }), StringComparison.Ordinal);
        Assert.Contains("use a value of ReadStrategy.", Message(static () => _ = new FileReadOptions { Strategy = (ReadStrategy)9 }), StringComparison.Ordinal);
        Assert.Contains("use a value of Durability.", Message(static () => _ = new FileCopyOptions { Durability = (Durability)9 }), StringComparison.Ordinal);
        Assert.Contains("use a value of TornTailAction.", Message(static () => _ = new FileAppendOptions { TornTail = (TornTailAction)9 }), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(TimeSpan.TicksPerMillisecond)]
    [InlineData(TimeSpan.TicksPerDay)]
    public void FollowPollInterval_can_be_a_millisecond_and_a_day(long ticks) =>
        Assert.Equal(ticks, new FileReadOptions { FollowPollInterval = TimeSpan.FromTicks(ticks) }.FollowPollInterval.Ticks);

    private static void AssertRejected(string name, Func<long, FileReadOptions> create, params long[] values) =>
        Assert.All(values, value =>
        {
            ArgumentOutOfRangeException exception = Assert.Throws<ArgumentOutOfRangeException>(name, () => create(value));
            Assert.Contains(name, exception.Message, StringComparison.Ordinal);
        });
}
