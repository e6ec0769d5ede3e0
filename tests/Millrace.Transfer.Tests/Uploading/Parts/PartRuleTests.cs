namespace Millrace.Transfer.Tests.Uploading.Parts;

public sealed class PartRuleTests
{
    private const long MiB = 1024 * 1024;

    [Theory]
    [InlineData(30 * MiB, 4, 4)]
    [InlineData(30 * MiB + 1, 4, 4)]
    [InlineData(2 * MiB, 4, 2)]
    [InlineData(64 * MiB, 4, 8)]
    [InlineData(1024 * MiB, 4, 16)]
    [InlineData(1024 * MiB, 100, 128)]
    [InlineData(1024 * 1024 * MiB, 1000, 256)]
    public void Parts_cover_the_file_in_order(long length, int connections, int count)
    {
        UploadParts parts = UploadParts.Of(length, connections);

        long end = 0;
        foreach (UploadPart part in parts.All)
        {
            Assert.Equal(end, part.Offset);
            Assert.True(part.Length > 0);
            end += part.Length;
        }

        Assert.Equal(length, end);
        Assert.Equal(count, parts.All.Count);
    }

    [Fact]
    public void Returned_part_is_taken_by_another_connection()
    {
        UploadParts parts = UploadParts.Of(2 * MiB, 2);
        parts.Enter();
        parts.Enter();
        UploadPart first = parts.Take()!;
        UploadPart second = parts.Take()!;

        Assert.True(parts.TryLeave(first));
        Assert.False(parts.TryLeave(second));
        Assert.Same(first, parts.Take());
        Assert.Null(parts.Take());
    }

    [Theory]
    [InlineData(10, 1_000_000, 4_000_000, true)]
    [InlineData(9, 1_000_000, 4_000_000, false)]
    [InlineData(10, 4_000_000, 8_000_000, false)]
    [InlineData(10, 1_000_000, 2_400_000, false)]
    [InlineData(60, 30_000_000, 500_000_000, true)]
    [InlineData(60, 40_000_000, 500_000_000, false)]
    public void Rate_is_measured_for_a_second_after_buffers_fill(int roundTrip, long inSecond, long rest, bool several)
    {
        const long Buffered = 1_500_000;
        var clock = new ManualClock();
        var watch = new UploadWatch(clock, TimeSpan.FromMilliseconds(roundTrip), Buffered + inSecond + rest);

        Assert.False(watch.IsWorthIt(Buffered));
        clock.Advance(UploadWatch.Settling);
        Assert.False(watch.IsWorthIt(Buffered));
        clock.Advance(RangeRule.Watched - TimeSpan.FromMilliseconds(1));
        Assert.False(watch.IsWorthIt(Buffered + inSecond));
        clock.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Equal(several, watch.IsWorthIt(Buffered + inSecond));
    }
}
