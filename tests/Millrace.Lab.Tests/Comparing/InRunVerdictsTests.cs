namespace Millrace.Lab.Tests.Comparing;

public sealed class InRunVerdictsTests
{
    private static readonly LabResults Run = new SimulatedRun(
        new Simulation(31) { BetweenLaunches = 0.01, WithinLaunch = 0.02 }).Make();

    [Fact]
    public void Every_case_but_the_baseline_is_judged_against_the_baseline_of_its_parameters()
    {
        foreach (CaseResult item in Run.Cases)
        {
            if (item.Method == "FileStreamSync")
            {
                Assert.Null(item.Verdicts);
                continue;
            }

            VerdictResult time = item.Verdicts!.Single(verdict => verdict.Metric == "wallNs");
            Assert.Equal("FileStreamSync", time.Against);
            if (item.Role is null)
            {
                Assert.Equal((VerdictWords.Faster, (bool?)true), (time.Verdict, time.Better));
                Assert.InRange(time.Ratio!.Value, time.Low!.Value, time.High!.Value);
                Assert.StartsWith("threshold", time.Reason, StringComparison.Ordinal);
            }
            else
            {
                Assert.Equal(EffectLimit.MinimumEffect, time.Threshold);
            }
        }
    }

    [Fact]
    public void Counts_are_compared_by_their_medians_and_missing_meters_are_left_out()
    {
        CaseResult pipe = Run.Cases.First(item => item.Method == "FilePipe");
        Assert.Equal("same", pipe.Verdicts!.Single(verdict => verdict.Metric == "systemCalls").Verdict);
        CaseResult without = pipe with
        {
            Summary = pipe.Summary! with { SystemCalls = null },
            Samples = pipe.Samples! with { Passes = pipe.Samples.Passes! with { SystemCalls = null } },
        };
        LabResults again = InRunVerdicts.Add(Run with { Cases = [Run.Cases[0], without] });
        Assert.DoesNotContain(again.Cases[1].Verdicts!, verdict => verdict.Metric == "systemCalls");
        Assert.Contains(again.Cases[1].Verdicts!, verdict => verdict.Metric == "wallNs");
    }

    [Fact]
    public void A_case_that_failed_or_was_not_verified_is_too_little_data()
    {
        CaseResult pipe = Run.Cases.First(item => item.Method == "FilePipe");
        CaseResult failed = pipe with { Error = "IOException: gone\nat once", Samples = null, Summary = null };
        CaseResult unverified = pipe with
        {
            UnverifiedReason = "not hot",
            Samples = pipe.Samples! with { Unverified = [.. Enumerable.Range(0, pipe.Samples.WallNs.Count - 5)] },
        };
        Assert.Equal("FilePipe failed: IOException: gone", Time(failed).Reason);
        Assert.Contains("not hot", Time(unverified).Reason, StringComparison.Ordinal);
        Assert.Equal(VerdictWords.TooLittleData, Time(unverified).Verdict);

        static VerdictResult Time(CaseResult item) =>
            InRunVerdicts.Add(Run with { Cases = [Run.Cases[0], item] }).Cases[1].Verdicts!.Single(verdict => verdict.Metric == "wallNs");
    }

    [Fact]
    public void Without_a_baseline_there_are_no_verdicts()
    {
        LabResults run = InRunVerdicts.Add(Fixture.Run(Fixture.Case("FilePipe", 4096, 5) with { Verdicts = null }));
        Assert.Null(run.Cases[0].Verdicts);
    }
}
