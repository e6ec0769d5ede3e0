namespace Millrace.Lab.Tests.Comparing;

public sealed class NullSummaryTests
{
    [Fact]
    public void Null_run_reports_its_noise_floor_and_rarely_a_difference()
    {
        var simulation = new Simulation(21) { BetweenLaunches = 0.02, WithinLaunch = 0.06 };
        NullSummary[] all =
            [.. Enumerable.Range(0, 20).Select(_ => NullSummary.Of(new SimulatedRun(simulation) { IsNull = true }.Make()))];
        Assert.All(all, summary => Assert.Equal((24, 24), (summary.Pairs, summary.Judged)));
        Assert.InRange(all.Average(summary => summary.Share!.Value), 0, 0.03);
        Assert.All(all, summary => Assert.InRange(summary.MedianDeviation!.Value, 0.001, summary.P95Deviation!.Value));
        Assert.Contains("24 pairs", all[0].Sentences()[0], StringComparison.Ordinal);
        Assert.Contains("Judged different", all[0].Sentences()[1], StringComparison.Ordinal);
    }

    [Fact]
    public void False_difference_is_named()
    {
        var simulation = new Simulation(22) { BetweenLaunches = 0, WithinLaunch = 0.01 };
        LabResults run = new SimulatedRun(simulation) { IsNull = true }.Make();
        run = run with
        {
            Cases =
            [
                .. run.Cases.Select(item => item is { Method: "FilePipeAgain", Parameters.Buffer: 4096 }
                    ? item with { Samples = item.Samples! with { WallNs = [.. item.Samples.WallNs.Select(value => value * 1.2)] } }
                    : item with { Verdicts = null }),
            ],
        };
        run = InRunVerdicts.Add(run);
        NullSummary summary = NullSummary.Of(run);
        string pair = Assert.Single(summary.ToldApart);
        Assert.Contains("FilePipeAgain", pair, StringComparison.Ordinal);
        Assert.Contains("slower, 1.2", pair, StringComparison.Ordinal);
        Assert.Equal(1 / 24.0, summary.Share);
    }

    [Fact]
    public void Run_with_one_launch_gives_a_reason_instead_of_a_verdict()
    {
        var simulation = new Simulation(23) { Launches = 1 };
        NullSummary summary = NullSummary.Of(new SimulatedRun(simulation) { IsNull = true }.Make());
        Assert.Null(summary.Share);
        Assert.Contains(summary.Sentences(), line => line.Contains("1 launch in common", StringComparison.Ordinal));
        Assert.Contains(
            "noise is unknown", NullSummary.Of(Results.Fixture.Run() with { Noise = [] }).Sentences()[0], StringComparison.Ordinal);
    }
}
