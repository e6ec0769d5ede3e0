using System.Runtime;
using Millrace.Lab.Data;
using Millrace.Lab.Meters;
using Millrace.Lab.Running;
using Millrace.Lab.Suites.Files;

namespace Millrace.Lab.Tests.Running;

public sealed class RoundRunnerTests : IDisposable
{
    private static readonly RunLimits FiveRounds =
        new() { MinimumRounds = 5, MaximumRounds = 5, Time = TimeSpan.Zero, MaximumPerVisit = 1 };

    private readonly BenchmarkCatalog _catalog = BenchmarkCatalog.Of(typeof(FakeBenchmark));
    private readonly RecordedProgress _progress = new();
    private readonly ProcessMeters _meters = new();

    public RoundRunnerTests() => FakeBenchmark.Calls.Clear();

    public void Dispose() => _meters.Dispose();

    [Fact]
    public void Every_round_visits_every_case_once_in_an_order_of_its_own()
    {
        List<CaseEngineOf> cases = Cases("Good", 8);
        Assert.Equal(5, Runner(seed: 1).Run(cases, FiveRounds));
        Assert.Equal(40, FakeBenchmark.Calls.Count);
        string[][] rounds = [.. FakeBenchmark.Calls.Chunk(8)];
        Assert.All(rounds, round => Assert.Equal(8, round.Distinct().Count()));
        Assert.True(rounds.Select(round => string.Join(' ', round)).Distinct().Count() > 1);
        Assert.All(cases, entry => Assert.Equal([0, 1, 2, 3, 4], entry.Case.Samples.Select(sample => sample.Round)));
    }

    [Fact]
    public void Seed_repeats_the_order()
    {
        string First(int seed)
        {
            FakeBenchmark.Calls.Clear();
            Runner(seed).Run(Cases("Good", 8), FiveRounds);
            return string.Join(' ', FakeBenchmark.Calls);
        }

        Assert.Equal(First(7), First(7));
        Assert.NotEqual(First(7), First(8));
    }

    [Fact]
    public void Failing_case_stops_alone()
    {
        List<CaseEngineOf> cases =
            [.. Cases("Good", 2), .. Cases("FailsTheThirdTime", 1), .. Cases("FailsAsync", 1), .. Cases("GoodAsync", 1)];
        Runner(seed: 1).Run(cases, FiveRounds);
        Assert.Equal(
            [null, null, "InvalidOperationException: third time", "InvalidOperationException: from another thread", null],
            cases.Select(entry => entry.Case.Error));
        Assert.Equal([5, 5, 2, 0, 5], cases.Select(entry => entry.Case.Samples.Count));
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
        Assert.Equal(10, FakeBenchmark.Calls.Count);
        Assert.True(runner.WasCut);
    }

    [Fact]
    public void Time_over_ends_a_run_even_before_the_minimum_of_rounds()
    {
        var runner = new RoundRunner(1, new RunClock(TimeSpan.Zero), _progress, CancellationToken.None);
        Assert.Equal(0, runner.Run(Cases("Good", 2), FiveRounds));
        Assert.True(runner.WasCut);
    }

    [Fact]
    public void Short_invocations_are_repeated_within_a_visit()
    {
        List<CaseEngineOf> cases = Cases("Good", 1);
        RoundRunner runner = Runner(seed: 1);
        runner.Describe(cases);
        Assert.True(cases[0].Case.ExpectedNs > 0);
        cases[0].Case.ExpectedNs = 1;
        runner.Run(cases, FiveRounds with { MaximumPerVisit = 3 });
        Assert.Equal(15, cases[0].Case.Samples.Count);
        Assert.False(runner.WasCut);
    }

    [Fact]
    public void State_that_is_violated_marks_sample_and_case()
    {
        var entry = new LabCase(
            0, "Good", null, _catalog.Create("Good", new Dictionary<string, object> { ["Value"] = 0 }), new CaseParameters());
        using var engine = new CaseEngine(entry, new EveryOther(), _meters);
        Runner(seed: 1).Run([new CaseEngineOf(entry, engine)], FiveRounds);
        Assert.Equal("not so", entry.Violation);
        Assert.Equal(
            [null, "not so", null, "not so", null], entry.Samples.Select(sample => sample.Violation));
    }

    [Fact]
    public void Warm_up_runs_until_the_compiler_is_quiet()
    {
        List<CaseEngineOf> cases = Cases("GoodAsync", 1);
        WarmUpResult result = WarmUp.Run(
            cases,
            Runner(seed: 1),
            _progress,
            WarmUp.MaximumPhases,
            () => JitInfo.GetCompiledMethodCount(),
            CancellationToken.None);
        Assert.InRange(result.Phases, 5, 10);
        Assert.Equal(result.CallsPerMethod, FakeBenchmark.Calls.Count);
        Assert.True(result.CallsPerMethod > 60, "Two times 30 calls are needed before a method has its final form.");
        Assert.Empty(cases[0].Case.Samples);
    }

    [Fact]
    public void Next_phase_waits_for_what_is_compiled_in_the_background()
    {
        int asked = 0;

        // In front of the calls, behind them, and after every pause.
        WarmUp.Run(Cases("GoodAsync", 1), Runner(seed: 1), _progress, most: 1, () => Math.Min(++asked, 5), CancellationToken.None);

        Assert.Equal(6, asked);
    }

    private List<CaseEngineOf> Cases(string method, int count) =>
    [
        .. Enumerable.Range(0, count).Select(value =>
        {
            var labCase = new LabCase(
                plan: value,
                method,
                role: null,
                _catalog.Create(method, new Dictionary<string, object> { ["Value"] = value }),
                new CaseParameters { Buffer = value });
            return new CaseEngineOf(labCase, new CaseEngine(labCase, NoCachePreparation.Instance, _meters));
        }),
    ];

    private RoundRunner Runner(int seed) => new(seed, new RunClock(null), _progress, CancellationToken.None);

    private sealed class EveryOther : IIterationState
    {
        private int _calls;

        public string? Prepare(LabCase labCase) => _calls++ % 2 == 0 ? null : "not so";
    }
}
