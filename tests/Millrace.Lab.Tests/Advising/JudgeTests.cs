using Millrace.Lab.Advising;

namespace Millrace.Lab.Tests.Advising;

public sealed class JudgeTests
{
    [Theory]
    [InlineData(100.0, "Same")]
    [InlineData(100.9, "Same")]
    [InlineData(99.1, "Same")]
    [InlineData(102.0, "Slower")]
    [InlineData(98.0, "Faster")]
    public void Medians_decide_where_there_are_no_verdicts(double ms, string expected)
    {
        CaseResult other = Runs.Case("FileStreamSync", 4096, 100);
        CaseResult mine = Runs.Case("FilePipe", 4096, ms);
        Judgement judgement = new Judge(new MeasuredCases(Runs.Of(mine, other))).Compare(mine, other);
        Assert.Equal(expected, judgement.Relation.ToString());
        Assert.Equal(ms / 100, judgement.Ratio, 0.0001);
        Assert.Equal(0.01, judgement.Noise);
    }

    [Fact]
    public void Difference_within_the_baselines_own_noise_is_none()
    {
        CaseResult other = Runs.Case("FileStreamSync", 4096, 100);
        CaseResult mine = Runs.Case("FilePipe", 4096, 105);
        LabResults results = Runs.Of(mine, other) with { Noise = [NoiseOf(mine.Parameters, 0.06)] };
        Judgement judgement = new Judge(new MeasuredCases(results)).Compare(mine, other);
        Assert.Equal((Relation.Same, 0.06), (judgement.Relation, judgement.Noise));
    }

    [Fact]
    public void Difference_within_the_spread_of_the_cases_is_none()
    {
        CaseResult other = Runs.Case("FileStreamSync", 4096, 100);
        CaseResult mine = Runs.Case("FilePipe", 4096, 105);
        mine = mine with { Summary = mine.Summary! with { WallNs = mine.Summary.WallNs with { N = 16, P25 = 95e6, P75 = 115e6 } } };
        Judgement judgement = new Judge(new MeasuredCases(Runs.Of(mine, other))).Compare(mine, other);
        Assert.Equal(Relation.Same, judgement.Relation);
        Assert.Equal(1.57 * 20 / 4 / 105, judgement.Noise, 0.001);
    }

    [Theory]
    [InlineData("faster", "Faster")]
    [InlineData("slower", "Slower")]
    [InlineData("same", "Same")]
    [InlineData("noise", "Same")]
    [InlineData("too little data", "Unknown")]
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
        var judge = new Judge(new MeasuredCases(Runs.Of(mine, other)));
        Judgement judgement = judge.Compare(mine, other);
        Assert.Equal(expected, judgement.Relation.ToString());
        Assert.Equal((0.8, 0.04), (judgement.Ratio, judgement.Noise));

        Judgement reversed = judge.Compare(other, mine);
        string opposite = expected switch { "Faster" => "Slower", "Slower" => "Faster", _ => expected };
        Assert.Equal(opposite, reversed.Relation.ToString());
        Assert.Equal(1.25, reversed.Ratio, 0.0001);
    }

    [Fact]
    public void Verdict_of_other_parameters_does_not_count()
    {
        CaseResult other = Runs.Case("FileStreamSync", 65536, 100);
        CaseResult mine = Runs.Case("FilePipe", 4096, 50) with
        {
            Verdicts = [new VerdictResult { Metric = "wallNs", Against = "FileStreamSync", Verdict = "slower" }],
        };
        Assert.Equal(Relation.Faster, new Judge(new MeasuredCases(Runs.Of(mine, other))).Compare(mine, other).Relation);
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
