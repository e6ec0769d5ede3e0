using Xunit.Abstractions;

namespace Millrace.Lab.Tests.Comparing;

/// <summary>How often verdicts are wrong, and how often they find a real difference. Seeds are fixed: the rates are exact.</summary>
public sealed class VerdictRateTests
{
    private const int Repetitions = 500;

    private readonly ITestOutputHelper _output;

    public VerdictRateTests(ITestOutputHelper output) => _output = output;

    [Theory]
    [InlineData(10, 0.01, 0.02)]
    [InlineData(10, 0.02, 0.04)]
    [InlineData(15, 0.02, 0.05)]
    [InlineData(20, 0.03, 0.02)]
    [InlineData(20, 0.03, 0.05)]
    [InlineData(20, 0.02, 0.15)]
    [InlineData(5, 0.02, 0.10)]
    public void False_difference_between_a_method_and_itself_is_rare(int rounds, double between, double within)
    {
        var simulation = new Simulation(1) { Rounds = rounds, BetweenLaunches = between, WithinLaunch = within };
        int inRun = Count(() => InRun(simulation, 1, 0.02), VerdictWords.NamesDifference);
        int runs = Count(() => Runs(simulation, 1, 0.02), VerdictWords.NamesDifference);
        Assert.True(inRun <= Repetitions * 0.03, $"{inRun} of {Repetitions} within a run");
        Assert.True(runs <= Repetitions * 0.03, $"{runs} of {Repetitions} between runs");
    }

    [Theory]
    [InlineData(10, 0.01, 0.03, 0.90)]
    [InlineData(15, 0.02, 0.04, 0.90)]
    [InlineData(20, 0.02, 0.05, 0.90)]
    [InlineData(20, 0.03, 0.05, 0.75)]
    [InlineData(20, 0.02, 0.10, 0.60)]
    public void Ten_percent_are_found_in_most_cases(int rounds, double between, double within, double rate)
    {
        var simulation = new Simulation(2) { Rounds = rounds, BetweenLaunches = between, WithinLaunch = within };
        int faster = Count(() => InRun(simulation, 1 / 1.1, 0.03), word => word == VerdictWords.Faster);
        int slower = Count(() => InRun(simulation, 1.1, 0.03), word => word == VerdictWords.Slower);
        Assert.True(faster >= Repetitions * rate, $"{faster} of {Repetitions} faster");
        Assert.True(slower >= Repetitions * rate, $"{slower} of {Repetitions} slower");
    }

    [Fact]
    public void Ten_percent_are_found_between_runs_of_a_calm_machine()
    {
        var simulation = new Simulation(3) { Drift = 0.03, BetweenLaunches = 0.015 };
        int slower = Count(() => Runs(simulation, 1.1, 0.03), word => word == VerdictWords.Slower);
        Assert.True(slower >= Repetitions * 0.85, $"{slower} of {Repetitions}");
    }

    [Fact]
    public void Direction_of_a_difference_is_never_confused()
    {
        var simulation = new Simulation(4) { BetweenLaunches = 0.03 };
        Assert.Equal(0, Count(() => InRun(simulation, 1.08, 0.02), word => word == VerdictWords.Faster));
        Assert.Equal(0, Count(() => Runs(simulation, 1 / 1.08, 0.02), word => word == VerdictWords.Slower));
    }

    [Fact]
    public void Same_means_within_the_threshold()
    {
        var simulation = new Simulation(5) { BetweenLaunches = 0.01, WithinLaunch = 0.02 };
        int right = Count(() => InRun(simulation, 1, 0.08), word => word == VerdictWords.Same);
        int wrong = Count(() => InRun(simulation, 1.09, 0.08), word => word == VerdictWords.Same);
        Assert.True(right >= Repetitions * 0.85, $"{right} of {Repetitions}");
        Assert.True(wrong <= Repetitions * 0.02, $"{wrong} of {Repetitions}");
    }

    [Fact]
    public void The_interval_contains_the_true_ratio_about_as_often_as_it_says()
    {
        var simulation = new Simulation(6) { BetweenLaunches = EffectLimit.UsualLaunchSpread / Math.Sqrt(2) };
        int contained = 0;
        for (int i = 0; i < Repetitions; i++)
        {
            (MetricSamples mine, MetricSamples baseline) = simulation.Pair(1.3);
            var verdict = Verdicts.CompareInRun(mine, baseline, EffectLimit.Minimum);
            contained += verdict.Low < 1.3 && verdict.High > 1.3 ? 1 : 0;
        }

        Assert.InRange(contained, Repetitions * 0.92, Repetitions * 0.995);
    }

    private static string InRun(Simulation simulation, double ratio, double threshold)
    {
        (MetricSamples mine, MetricSamples baseline) = simulation.Pair(ratio);
        return Verdicts.CompareInRun(mine, baseline, new EffectLimit(threshold, "set")).Verdict;
    }

    private static string Runs(Simulation simulation, double ratio, double threshold) => Verdicts.Compare(
        simulation.Case("Mine", 1e6 * ratio), simulation.Case("Mine", 1e6), new EffectLimit(threshold, "set")).Verdict;

    // The rates that docs/lab-compare.md states are these.
    private int Count(Func<string> verdict, Func<string, bool> isIt)
    {
        int count = Enumerable.Range(0, Repetitions).Count(_ => isIt(verdict()));
        _output.WriteLine($"{count / (double)Repetitions:P1}");
        return count;
    }
}
