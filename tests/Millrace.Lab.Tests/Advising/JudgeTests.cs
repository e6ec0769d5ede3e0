namespace Millrace.Lab.Tests.Advising;

public sealed class JudgeTests
{
    [Theory]
    [InlineData(100.0, "same")]
    [InlineData(100.9, "same")]
    [InlineData(99.1, "same")]
    [InlineData(102.0, "slower")]
    [InlineData(98.0, "faster")]
    public void Medians_decide_where_there_are_no_verdicts(double ms, string expected)
    {
        CaseResult other = Runs.Case("FileStreamSync", 4096, 100);
        CaseResult mine = Runs.Case("FilePipe", 4096, ms);
        VerdictResult judgement = new SituatedCases(Runs.Of(mine, other)).Compare(mine, other);
        Assert.Equal(expected, judgement.Verdict);
        Assert.Equal(ms / 100, judgement.Ratio!.Value, 0.0001);
        Assert.Equal(0.01, judgement.Threshold!.Value);
    }

    [Fact]
    public void Difference_within_the_baselines_own_noise_is_none()
    {
        CaseResult other = Runs.Case("FileStreamSync", 4096, 100);
        CaseResult mine = Runs.Case("FilePipe", 4096, 105);
        LabResults results = Runs.Of(mine, other) with { Noise = [NoiseOf(mine.Parameters, 0.06)] };
        VerdictResult judgement = new SituatedCases(results).Compare(mine, other);
        Assert.Equal((VerdictWords.Same, 0.06), (judgement.Verdict, judgement.Threshold!.Value));
    }

    [Fact]
    public void Difference_within_the_spread_of_the_cases_is_none()
    {
        CaseResult other = Runs.Case("FileStreamSync", 4096, 100);
        CaseResult mine = Runs.Case("FilePipe", 4096, 105);
        mine = mine with { Summary = mine.Summary! with { WallNs = mine.Summary.WallNs with { N = 16, P25 = 95e6, P75 = 115e6 } } };
        VerdictResult judgement = new SituatedCases(Runs.Of(mine, other)).Compare(mine, other);
        Assert.Equal(VerdictWords.Same, judgement.Verdict);
        Assert.Equal(1.57 * 20 / 4 / 105, judgement.Threshold!.Value, 0.001);
    }

    [Theory]
    [InlineData("faster", "faster")]
    [InlineData("slower", "slower")]
    [InlineData("same", "same")]
    [InlineData("noise", "same")]
    [InlineData("too little data", "too little data")]
    public void Verdicts_of_the_results_come_first(string verdict, string expected)
    {
        CaseResult other = Runs.Case("FileStreamSync", 4096, 100);
        CaseResult mine = Runs.Case("FilePipe", 4096, 50) with
        {
            Verdicts =
            [
                new VerdictResult { Metric = "allocatedBytes", Against = "FileStreamSync", Verdict = "more", Ratio = 9 },
                new VerdictResult
                {
                    Metric = "wallNs", Against = "FileStreamSync", Verdict = verdict, Ratio = 0.8, Threshold = 0.04,
                },
            ],
        };
        var cases = new SituatedCases(Runs.Of(mine, other));
        VerdictResult judgement = cases.Compare(mine, other);
        Assert.Equal(expected, judgement.Verdict);
        Assert.Equal((0.8, 0.04), (judgement.Ratio!.Value, judgement.Threshold!.Value));

        VerdictResult reversed = cases.Compare(other, mine);
        string opposite = expected switch { "faster" => "slower", "slower" => "faster", _ => expected };
        Assert.Equal(opposite, reversed.Verdict);
        Assert.Equal(1.25, reversed.Ratio!.Value, 0.0001);
    }

    [Fact]
    public void Verdict_of_other_parameters_does_not_count()
    {
        CaseResult other = Runs.Case("FileStreamSync", 65536, 100);
        CaseResult mine = Runs.Case("FilePipe", 4096, 50) with
        {
            Verdicts = [new VerdictResult { Metric = "wallNs", Against = "FileStreamSync", Verdict = "slower" }],
        };
        Assert.Equal(VerdictWords.Faster, new SituatedCases(Runs.Of(mine, other)).Compare(mine, other).Verdict);
    }

    internal static NoiseResult NoiseOf(CaseParameters parameters, double deviation) => new()
    {
        Method = "FileStreamSync",
        Parameters = parameters,
        MedianRatio = 1 + deviation,
        Ratio = 1,
        RatioStdDev = 0.01,
        Deviation = deviation,
    };
}
