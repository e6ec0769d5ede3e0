namespace Millrace.Lab.Tests.Results;

public sealed class SummarizerTests
{
    private static readonly double[] Values = [1, 2, 3, 4, 100, 5, 6, 7, 8, 9];

    // The expected numbers are those of BenchmarkDotNet 0.14.
    [Fact]
    public void Distribution_keeps_outliers_and_interpolates_percentiles()
    {
        Distribution distribution = Summarizer.Describe(new Statistics(Values));
        Assert.Equal(10, distribution.N);
        Assert.Equal(14.5, distribution.Mean, precision: 10);
        Assert.Equal(5.5, distribution.Median, precision: 10);
        Assert.Equal(100, distribution.Max);
        Assert.Equal(30.152390728873666, distribution.StdDev, precision: 10);
        Assert.Equal(45.58611222149818, distribution.Error!.Value, precision: 10);
        Assert.Equal(3.25, distribution.P25, precision: 10);
        Assert.Equal(7.75, distribution.P75, precision: 10);
        Assert.Equal(18.1, distribution.P90, precision: 10);
        Assert.Equal(91.81, distribution.P99, precision: 10);
    }

    [Fact]
    public void Error_is_absent_where_there_are_too_few_samples()
    {
        Assert.Null(Summarizer.Describe(new Statistics([1.0])).Error);
        Assert.Equal(0, Summarizer.Describe(new Statistics([1.0])).StdDev);
    }

    [Fact]
    public void Ratio_is_taken_within_rounds_so_that_drift_does_not_show()
    {
        // The machine becomes ten times slower in the second round; the case always takes half of the baseline.
        ((int, int) Round, double Value)[] baseline =
            [((0, 0), 10), ((0, 0), 10), ((0, 1), 100), ((0, 1), 100), ((0, 3), 7), ((1, 2), 3)];
        ((int, int) Round, double Value)[] samples =
            [((0, 0), 5), ((0, 1), 50), ((0, 1), 40), ((0, 1), 60), ((0, 2), 1), ((1, 0), 9)];
        Statistics ratios = Summarizer.Ratios(samples, baseline)!;
        Assert.Equal(2, ratios.N);
        Assert.Equal(0.5, ratios.Mean, precision: 10);
        Assert.Equal(0, ratios.StandardDeviation, precision: 10);
        Assert.Null(Summarizer.Ratios([((0, 5), 1.0)], baseline));
    }

    [Theory]
    [InlineData(null, 1)]
    [InlineData(1, 1)]
    [InlineData(4, 4)]
    public void Every_reader_at_once_counts_the_whole_file(int? readers, int times)
    {
        CaseResult item = Fixture.Case("FilePipe", buffer: 65536, medianMs: 100);
        item = item with { Parameters = item.Parameters with { Readers = readers } };
        Assert.Equal(times * 1280.0, CaseSummarizer.Summarize(item, baseline: null).Summary!.MibPerSecond, precision: 6);
    }
}
