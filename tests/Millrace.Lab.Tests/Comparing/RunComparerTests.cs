using Xunit.Abstractions;

namespace Millrace.Lab.Tests.Comparing;

public sealed class RunComparerTests
{
    private const int Repetitions = 20;

    private readonly ITestOutputHelper _output;

    public RunComparerTests(ITestOutputHelper output) => _output = output;

    [Theory]
    [InlineData(10, 0.02, 0.05)]
    [InlineData(6, 0.03, 0.15)]
    [InlineData(15, 0.01, 0.03)]
    public void Two_null_runs_of_a_drifting_machine_name_hardly_any_case(int rounds, double between, double within)
    {
        var simulation = new Simulation(11) { Rounds = rounds, BetweenLaunches = between, WithinLaunch = within };
        int named = 0;
        int all = 0;
        for (int i = 0; i < Repetitions; i++)
        {
            var first = new SimulatedRun(simulation) { IsNull = true };
            var second = new SimulatedRun(simulation) { IsNull = true, Machine = i % 2 == 0 ? 1.3 : 0.8 };
            RunComparison comparison = RunComparer.Compare(first.Stored("a"), second.Stored("b"), new ComparisonOptions());
            Assert.Null(comparison.Impossible);
            named += comparison.Cases.Count(item => VerdictWords.NamesDifference(item.Verdict.Verdict));
            all += comparison.Cases.Count;
        }

        _output.WriteLine($"{named} of {all}: {named / (double)all:P2}");
        Assert.True(named <= 0.01 * all, $"{named} of {all}");
    }

    [Fact]
    public void Slower_method_is_found_despite_machine_drift()
    {
        var simulation = new Simulation(12) { BetweenLaunches = 0.01, WithinLaunch = 0.03 };
        int found = 0;
        int wrong = 0;
        for (int i = 0; i < Repetitions; i++)
        {
            RunComparison comparison = RunComparer.Compare(
                new SimulatedRun(simulation).Stored("a"),
                new SimulatedRun(simulation) { Machine = 0.8, Change = PipeSlower }.Stored("b"),
                new ComparisonOptions());
            found += comparison.Cases.Count(item => item is { Method: "FilePipe", Verdict.Verdict: VerdictWords.Slower });
            wrong += comparison.Cases.Count(item =>
                item.Method != "FilePipe" && VerdictWords.NamesDifference(item.Verdict.Verdict));
        }

        int all = Repetitions * SimulatedRun.Buffers.Length;
        _output.WriteLine($"{found} of {all} found, {wrong} wrong");
        Assert.True(found >= 0.85 * all, $"{found} of {all}");
        Assert.True(wrong <= 0.01 * 4 * all, $"{wrong}");
    }

    [Fact]
    public void Drift_is_stated_and_left_in_when_that_is_asked_for()
    {
        var simulation = new Simulation(13) { BetweenLaunches = 0.005, WithinLaunch = 0.01, Drift = 0 };
        StoredRun first = new SimulatedRun(simulation).Stored("a");
        StoredRun second = new SimulatedRun(simulation) { Machine = 1.25 }.Stored("b");

        RunComparison adjusted = RunComparer.Compare(first, second, new ComparisonOptions());
        Assert.InRange(adjusted.Drift["hot"], 1.2, 1.3);
        Assert.Equal(0, adjusted.Count(VerdictWords.Slower));
        Assert.Contains(adjusted.Notes, note => note.Contains("--by time", StringComparison.Ordinal));

        RunComparison asMeasured = RunComparer.Compare(first, second, new ComparisonOptions { By = ComparisonBasis.Time });
        Assert.Equal(asMeasured.Cases.Count, asMeasured.Count(VerdictWords.Slower));
        Assert.Contains(asMeasured.Notes, note => note.Contains("probably the machine", StringComparison.Ordinal));
    }

    [Fact]
    public void Another_machine_is_compared_by_ratio_and_rank_and_the_fields_are_named()
    {
        var simulation = new Simulation(14) { BetweenLaunches = 0.005, WithinLaunch = 0.01, Drift = 0.1 };
        StoredRun first = new SimulatedRun(simulation).Stored("a");
        LabResults made = new SimulatedRun(simulation)
        {
            Machine = 3,
            Change = (method, _) => method == "FilePipe" ? 2 : 1,
        }.Make();
        StoredRun second = new("b", made with { Machine = made.Machine with { Cpu = "Another", Cores = 64 } });

        RunComparison comparison = RunComparer.Compare(first, second, new ComparisonOptions());

        Assert.Equal(ComparisonBasis.Ratio, comparison.Basis);
        Assert.Equal(["cpu", "cores"], comparison.Differences.Select(difference => difference.Field));
        Assert.DoesNotContain(comparison.Cases, item => item.Method == "FileStreamSync");
        CaseComparison pipe = comparison.Cases.First(item => item.Method == "FilePipe");
        Assert.Equal(VerdictWords.Slower, pipe.Verdict.Verdict);
        Assert.InRange(pipe.Verdict.Ratio!.Value, 1.9, 2.1);
        Assert.Equal((1, 3), (pipe.ReferenceRank, pipe.OtherRank));
        Assert.All(
            comparison.Cases.Where(item => item.Method != "FilePipe"),
            item => Assert.False(VerdictWords.NamesDifference(item.Verdict.Verdict)));
    }

    [Fact]
    public void Cases_of_the_baseline_are_not_judged_by_themselves()
    {
        var simulation = new Simulation(15) { BetweenLaunches = 0, WithinLaunch = 0.01, Drift = 0 };
        StoredRun first = Only(new SimulatedRun(simulation).Stored("a"), 4096);
        StoredRun second = Only(new SimulatedRun(simulation) { Machine = 1.5 }.Stored("b"), 4096);
        RunComparison comparison = RunComparer.Compare(first, second, new ComparisonOptions());
        CaseComparison baseline = comparison.Cases.First(item => item is { Method: "FileStreamSync", Role: null });
        Assert.Equal(VerdictWords.Noise, baseline.Verdict.Verdict);
        Assert.Contains("drift was measured with 2 such cases", baseline.Verdict.Reason, StringComparison.Ordinal);
    }

    [Fact]
    public void Runs_with_one_launch_are_too_little_data()
    {
        var simulation = new Simulation(16) { Launches = 1, Rounds = 60 };
        RunComparison comparison = RunComparer.Compare(
            new SimulatedRun(simulation).Stored("a"), new SimulatedRun(simulation).Stored("b"), new ComparisonOptions());
        Assert.All(comparison.Cases, item => Assert.Equal(VerdictWords.TooLittleData, item.Verdict.Verdict));
        Assert.Contains("1 launch in the reference; 3 are needed", comparison.Impossible, StringComparison.Ordinal);
    }

    [Fact]
    public void What_has_nothing_in_common_is_not_compared()
    {
        var simulation = new Simulation(17);
        StoredRun first = new SimulatedRun(simulation).Stored("a");
        StoredRun suite = first with { Results = first.Results with { Suite = "other" } };
        Assert.Contains("suite", RunComparer.Compare(first, suite, new ComparisonOptions()).Impossible, StringComparison.Ordinal);
        Assert.Contains(
            "no case in common",
            RunComparer.Compare(Only(first, 2048), Only(first, 4096), new ComparisonOptions()).Impossible,
            StringComparison.Ordinal);
        Assert.Contains(
            "filter",
            RunComparer.Compare(first, first, new ComparisonOptions { Filters = ["Nothing*"] }).Impossible,
            StringComparison.Ordinal);
    }

    [Fact]
    public void Rows_that_the_laboratory_no_longer_has_are_named()
    {
        var simulation = new Simulation(19);
        StoredRun now = new SimulatedRun(simulation).Stored("b");
        CaseResult[] removed = [.. now.Results.Cases.Where(item => item.Method == "FilePipe").Select(item => item with { Method = "RemovedRow" })];
        StoredRun before = new("a", now.Results with { Cases = [.. now.Results.Cases, .. removed] });
        const string Named = "has the rows RemovedRow, which this version of the laboratory does not have";
        Assert.Contains(RunComparer.Compare(before, now, new ComparisonOptions()).Notes, note => note.Contains(Named, StringComparison.Ordinal));
        Assert.Contains(RunComparer.Compare(now, before, new ComparisonOptions()).Notes, note => note.Contains(Named, StringComparison.Ordinal));
        Assert.Contains(
            Named, RunComparer.Compare(before, now, new ComparisonOptions { Filters = ["RemovedRow"] }).Impossible, StringComparison.Ordinal);
        Assert.Contains(
            Named,
            RunComparer.Compare(before with { Results = before.Results with { Cases = removed } }, now, new ComparisonOptions()).Impossible,
            StringComparison.Ordinal);
        Assert.DoesNotContain(
            RunComparer.Compare(before, before, new ComparisonOptions()).Notes, note => note.Contains("RemovedRow", StringComparison.Ordinal));
    }

    [Fact]
    public void A_stored_null_run_raises_the_threshold()
    {
        var simulation = new Simulation(18) { BetweenLaunches = 0.005, WithinLaunch = 0.01 };
        LabResults noisy = new SimulatedRun(simulation) { IsNull = true }.Make();
        noisy = noisy with { Noise = [.. noisy.Noise.Select(noise => noise with { Deviation = 0.4 })] };
        StoredRun first = new SimulatedRun(simulation).Stored("a");
        StoredRun second = new SimulatedRun(simulation) { Change = (_, _) => 1.3 }.Stored("b");
        Assert.True(RunComparer.Compare(first, second, new ComparisonOptions()).Count(VerdictWords.Slower) > 10);
        RunComparison withNull = RunComparer.Compare(first, second, new ComparisonOptions { NullRun = noisy });
        Assert.Equal(0, withNull.Count(VerdictWords.Slower));
        Assert.All(withNull.Cases, item => Assert.Contains("stored null run", item.Verdict.Reason, StringComparison.Ordinal));
    }

    private static double PipeSlower(string method, int buffer) => method == "FilePipe" ? 1.15 : 1;

    private static StoredRun Only(StoredRun run, int buffer) => run with
    {
        Results = run.Results with { Cases = [.. run.Results.Cases.Where(item => item.Parameters.Buffer == buffer)] },
    };
}
