using Millrace.Lab.Reporting;

namespace Millrace.Lab.Tests.Reporting;

public sealed class MedianIntervalTests
{
    /// <summary>The ranks of the usual tables, for example Conover's A3 for one half and 95 %.</summary>
    [Theory]
    [InlineData(6, 1, 6)]
    [InlineData(10, 2, 9)]
    [InlineData(20, 6, 15)]
    [InlineData(60, 22, 39)]
    [InlineData(100, 40, 61)]
    [InlineData(5000, 2431, 2570)]
    public void Interval_ends_match_published_tables(int count, int low, int high)
    {
        double[] samples = [.. Enumerable.Range(1, count).Reverse().Select(rank => (double)rank)];
        Assert.Equal((low, high), MedianInterval.Of(samples));
    }

    [Fact]
    public void Five_samples_are_too_few() => Assert.Null(MedianInterval.Of([1, 2, 3, 4, 5]));
}
