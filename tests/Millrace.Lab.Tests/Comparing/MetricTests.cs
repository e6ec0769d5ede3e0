namespace Millrace.Lab.Tests.Comparing;

public sealed class MetricTests
{
    [Theory]
    [InlineData("wallNs", true, "slower", false)]
    [InlineData("wallNs", false, "faster", true)]
    [InlineData("mibPerSecond", true, "faster", true)]
    [InlineData("mibPerSecond", false, "slower", false)]
    [InlineData("allocatedBytes", true, "more", false)]
    [InlineData("allocatedBytes", false, "less", true)]
    [InlineData("cpuNs", true, "more", false)]
    [InlineData("logicalReadBytes", true, "more", null)]
    public void Words_and_what_is_good_follow_the_polarity(string metric, bool isMore, string word, bool? better)
    {
        MetricKind kind = Metrics.Find(metric);
        Assert.Equal((word, better), (kind.Word(isMore), kind.IsBetter(isMore)));
    }

    [Fact]
    public void Every_metric_can_be_read_and_an_unknown_one_lists_them()
    {
        CaseResult item = Fixture.Case("FilePipe", 4096, 5);
        Assert.All(Metrics.All, kind => Assert.True(
            MetricReader.Read(item, kind) is { Missing: null, Median: not null }, kind.Name));
        Assert.Equal(Metrics.WallNs, Metrics.Find("WALLNS"));
        string message = Assert.Throws<LabException>(() => Metrics.Find("speed")).Message;
        Assert.All(Metrics.All, kind => Assert.Contains(kind.Name, message, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(new double[] { 700 }, new double[] { 700 }, "same")]
    [InlineData(new double[] { 1700 }, new double[] { 700 }, "same")]
    [InlineData(new double[] { 1800 }, new double[] { 700 }, "more")]
    [InlineData(new double[] { 0 }, new double[] { 1e6 }, "less")]
    [InlineData(new double[] { 5000, 5000, 100_000 }, new double[] { 5000, 90_000, 100_000 }, "noise")]
    [InlineData(new double[] { 1e6 + 10_000 }, new double[] { 1e6 }, "same")]
    public void Counts_have_to_differ_by_a_part_and_by_a_size(double[] mine, double[] other, string verdict)
    {
        Assert.Equal(verdict, Verdicts.Compare(Samples(mine), Samples(other), EffectLimit.Minimum).Verdict);

        static MetricSamples Samples(double[] counts) =>
            new() { Kind = Metrics.AllocatedBytes, Method = "Any", Counts = counts };
    }

    [Fact]
    public void Processor_time_below_what_the_meter_tells_is_too_little_data()
    {
        CaseResult item = Fixture.Case("FilePipe", 4096, 5);
        item = item with { Samples = item.Samples! with { UserCpuNs = [0, 5], SystemCpuNs = [0, 5] } };
        Assert.Contains("1 of 2 rounds", MetricReader.Read(item, Metrics.CpuNs).Missing, StringComparison.Ordinal);
    }
}
