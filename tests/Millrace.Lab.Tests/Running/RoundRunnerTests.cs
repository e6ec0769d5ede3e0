using System.Runtime;

namespace Millrace.Lab.Tests.Running;

public sealed class RoundRunnerTests : IDisposable
{
    private static readonly RunLimits FiveRounds =
        new() { MinRounds = 5, MaxRounds = 5, Time = TimeSpan.Zero, MaxPerVisit = 1 };

    private readonly RecordedProgress _progress = new();
    private readonly ProcessMeters _meters = new();

    public RoundRunnerTests() => FakeMethod.Calls.Clear();

    public void Dispose() => _meters.Dispose();

    [Fact]
    public void Every_round_visits_every_case_once_in_a_new_order()
    {
        List<LabCase> cases = Cases("Good", 8);
        Assert.Equal(5, Runner(seed: 1).Run(cases, FiveRounds));
        Assert.Equal(40, FakeMethod.Calls.Count);
        string[][] rounds = [.. FakeMethod.Calls.Chunk(8)];
        Assert.All(rounds, round => Assert.Equal(8, round.Distinct().Count()));
        Assert.True(rounds.Select(round => string.Join(' ', round)).Distinct().Count() > 1);
        Assert.All(cases, entry => Assert.Equal([0, 1, 2, 3, 4], entry.Samples.Select(sample => sample.Round)));
    }

    [Fact]
    public void Seed_repeats_the_order()
    {
        string First(int seed)
        {
            FakeMethod.Calls.Clear();
            Runner(seed).Run(Cases("Good", 8), FiveRounds);
            return string.Join(' ', FakeMethod.Calls);
        }

        Assert.Equal(First(7), First(7));
        Assert.NotEqual(First(7), First(8));
    }

    [Fact]
    public void Failing_case_stops_alone()
    {
        List<LabCase> cases =
            [.. Cases("Good", 2), .. Cases("FailsTheThirdTime", 1), .. Cases("FailsAsync", 1), .. Cases("GoodAsync", 1)];
        Runner(seed: 1).Run(cases, FiveRounds);
        Assert.Equal(
            [null, null, "InvalidOperationException: third time", "InvalidOperationException: from another thread", null],
            cases.Select(entry => entry.Error));
        Assert.Equal([5, 5, 2, 0, 5], cases.Select(entry => entry.Samples.Count));
        Assert.Equal(2, _progress.Notes.Count);
    }

    [Fact]
    public void Stop_ends_after_the_current_invocation()
    {
        using var stop = new CancellationTokenSource();
        int visits = 0;
        var progress = new RecordedProgress
        {
            OnReport = _ =>
            {
                if (++visits == 11)
                {
                    stop.Cancel();
                }
            },
        };
        var runner = new RoundRunner(1, new RunClock(null), progress, stop.Token);
        runner.Run(Cases("Good", 8), FiveRounds);
        Assert.Equal(10, FakeMethod.Calls.Count);
        Assert.True(runner.WasCut);
    }

    [Fact]
    public void Time_limit_ends_a_run_before_the_minimum_of_rounds()
    {
        var runner = new RoundRunner(1, new RunClock(TimeSpan.Zero), _progress, CancellationToken.None);
        Assert.Equal(0, runner.Run(Cases("Good", 2), FiveRounds));
        Assert.True(runner.WasCut);
    }

    [Fact]
    public void Short_invocations_are_repeated_within_a_visit()
    {
        List<LabCase> cases = Cases("Good", 1);
        RoundRunner runner = Runner(seed: 1);
        runner.Describe(cases);
        Assert.True(cases[0].ExpectedNs > 0);
        cases[0].ExpectedNs = 1;
        runner.Run(cases, FiveRounds with { MaxPerVisit = 3 });
        Assert.Equal(15, cases[0].Samples.Count);
        Assert.False(runner.WasCut);
    }

    [Fact]
    public void Violated_state_marks_sample_and_case()
    {
        var planned = new FakeCase("Good", 0);
        using var entry = new LabCase(planned, new EveryOther(planned), _meters);
        Runner(seed: 1).Run([entry], FiveRounds);
        Assert.Equal("not so", entry.Violation);
        Assert.Equal(
            [null, "not so", null, "not so", null], entry.Samples.Select(sample => sample.Violation));
    }

    [Fact]
    public void Warm_up_runs_until_the_compiler_is_quiet()
    {
        List<LabCase> cases = Cases("GoodAsync", 1);
        WarmUpResult result = WarmUp.Run(
            cases,
            Runner(seed: 1),
            _progress,
            WarmUp.MaxPhases,
            () => JitInfo.GetCompiledMethodCount(),
            CancellationToken.None);
        Assert.InRange(result.Phases, 5, 10);
        Assert.Equal(result.CallsPerMethod, FakeMethod.Calls.Count);
        Assert.True(result.CallsPerMethod > 60, "Two times 30 calls are needed before a method has its final form.");
        Assert.Empty(cases[0].Samples);
    }

    [Fact]
    public void Next_phase_waits_for_background_compilation()
    {
        int asked = 0;

        // Before the calls, after them, and after every pause.
        WarmUp.Run(Cases("GoodAsync", 1), Runner(seed: 1), _progress, most: 1, () => Math.Min(++asked, 5), CancellationToken.None);

        Assert.Equal(6, asked);
    }

    private List<LabCase> Cases(string method, int count) => LabCase.CreateAll(
        Enumerable.Range(0, count).Select(value => new FakeCase(method, value)), planned => planned.CreateState(cache: null), _meters);

    private RoundRunner Runner(int seed) => new(seed, new RunClock(null), _progress, CancellationToken.None);

    private sealed class EveryOther(PlannedCase planned) : CaseState(planned, cache: null)
    {
        private int _calls;

        public override string? Prepare() => _calls++ % 2 == 0 ? null : "not so";
    }
}
