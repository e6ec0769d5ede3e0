using System.Runtime;
using Millrace.Lab.Machine;
using Millrace.Lab.Meters;
using Millrace.Lab.Results;

namespace Millrace.Lab.Running;

/// <summary>
/// What the launches of all suites have in common: a warm-up, rounds and passes over groups of cases, and the result.
/// </summary>
internal sealed class LaunchSession : IDisposable
{
    private const string StoppedByUser = "the run was stopped (Ctrl-C) before they were measured";
    private const string StoppedByTime = "the time of quick mode was over before they were measured";

    private readonly LaunchRequest _request;
    private readonly ILabProgress _progress;
    private readonly CancellationToken _stop;
    private readonly RunClock _clock;
    private readonly SystemCallPass _calls = new();
    private readonly List<LabCase> _cases = [];
    private readonly List<AbsentCases> _absent = [];
    private readonly DateTimeOffset _started = DateTimeOffset.UtcNow;
    private readonly double? _load = MachineInspector.LoadAverage();
    private WarmUpResult _warmUp = new(0, 0, false);
    private int _hotRounds;
    private int _coldRounds;
    private bool _cut;

    /// <summary>Begins a launch.</summary>
    public LaunchSession(LaunchRequest request, ILabProgress progress, CancellationToken stop)
    {
        _request = request;
        _progress = progress;
        _stop = stop;
        _clock = new RunClock(request.Limit);
    }

    /// <summary>The meters of this process.</summary>
    public ProcessMeters Meters { get; } = new();

    /// <summary>Whether a pass counts the bytes of large objects, too.</summary>
    public bool CountsLargeObjects { get; init; }

    /// <summary>Whether the user wants it to end.</summary>
    public bool IsStopped => _stop.IsCancellationRequested;

    /// <summary>Says what happens next.</summary>
    public void Phase(string phase) => _progress.Phase(phase);

    /// <summary>Runs every method on little until the compiler has nothing left to improve.</summary>
    /// <param name="engines">Every method once or twice, with parameters that make an invocation short.</param>
    /// <param name="most">Phases at most.</param>
    /// <param name="compiledElsewhere">How often the runtime of another process that takes part has compiled a method; null for none.</param>
    public void WarmUp(EngineSet engines, int most = Running.WarmUp.MaximumPhases, Func<long>? compiledElsewhere = null) =>
        _warmUp = Running.WarmUp.Run(
            engines.Entries,
            Runner(),
            _progress,
            most,
            () => JitInfo.GetCompiledMethodCount() + (compiledElsewhere?.Invoke() ?? 0),
            _stop);

    /// <summary>Notes cases that cannot be measured, and tells the user once.</summary>
    public void Omit(string what, string reason)
    {
        if (_absent.Exists(absent => absent.What == what && absent.Reason == reason))
        {
            return;
        }

        _absent.Add(new AbsentCases(what, reason));
        if (_request.Index == 0)
        {
            _progress.Note($"No {what}: {reason}.");
        }
    }

    /// <summary>Measures a group of cases.</summary>
    /// <param name="engines">The cases.</param>
    /// <param name="name">What the group is called: "hot" or "cold", or of what it is.</param>
    /// <param name="isCold">Whether its rounds count as cold ones.</param>
    /// <param name="limits">How much.</param>
    /// <param name="after">What follows in this launch is expected to take this long.</param>
    /// <param name="withPasses">Whether the passes are made of it, in a launch that makes them.</param>
    public void Measure(
        EngineSet engines, string name, bool isCold, RunLimits limits, TimeSpan after, bool withPasses = true)
    {
        _cases.AddRange(engines.Entries.Select(entry => entry.Case));
        RoundRunner runner = Runner();
        _clock.AfterThisGroup = _request.After + after;
        _progress.Phase($"checking {name} cases");
        runner.Describe(engines.Entries);
        _progress.Phase($"measuring {name} cases");
        int rounds = runner.Run(engines.Entries, limits);
        if (isCold)
        {
            _coldRounds += rounds;
        }
        else
        {
            _hotRounds += rounds;
        }

        if (withPasses && _request.WithPasses)
        {
            // A second copy of a method allocates and calls what the first does.
            CaseEngineOf[] originals = [.. engines.Entries.Where(entry => entry.Case is { Role: null, Foreign: null })];
            _progress.Phase($"counting allocations of {name} cases");
            runner.Pass(originals, AllocationPass.Measure);
            _progress.Phase($"counting system calls of {name} cases");
            runner.Pass(originals, _calls.Measure);
            _progress.Phase($"counting objects of {name} cases");
            runner.Pass(originals, ObjectCountPass.Measure);
            if (CountsLargeObjects)
            {
                _progress.Phase($"counting large objects of {name} cases");
                runner.Pass(originals, LargeObjectPass.Measure);
            }
        }

        _cut |= runner.WasCut;
    }

    /// <summary>What was measured.</summary>
    public LaunchResult Result()
    {
        LabCase[] unmeasured = [.. _cases.Where(labCase => labCase is { Error: null, Samples.Count: 0 })];
        if (unmeasured.Length > 0)
        {
            _absent.Add(new AbsentCases(
                $"{unmeasured.Length} cases, the first of them {unmeasured[0].Id}",
                IsStopped ? StoppedByUser : StoppedByTime));
        }

        return new LaunchResult
        {
            Facts = new LaunchFacts
            {
                Index = _request.Index,
                Started = _started,
                DurationSeconds = Math.Round(_clock.Elapsed.TotalSeconds, 1),
                Seed = _request.Seed,
                HotRounds = _hotRounds,
                ColdRounds = _coldRounds,
                CompilerQuiet = _warmUp.CompilerQuiet,
                LoadAverage = _load,
            },
            Engine = BuildFacts.Engine(_warmUp),
            Cases =
            [
                .. _cases.Except(unmeasured)
                    .Select(labCase => new LaunchCase(labCase.Plan, CaseSamplesBuilder.Build(labCase, Meters, _request.Index))),
            ],
            Absent = _absent,
            Meters = MeterSources.Of(
                Meters,
                _calls,
                withLargeObjects: CountsLargeObjects,
                withServer: _cases.Exists(labCase => labCase.Samples.Exists(sample => sample.Server is not null))),
            Unavailable = MeterSources.Missing(Meters, _calls),
            MeterCosts = _request.WithPasses && !IsStopped ? MeterCostProbe.Measure(Meters) : [],
            Cut = _cut || IsStopped,
        };
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Meters.Dispose();
        _calls.Dispose();
    }

    private RoundRunner Runner() => new(_request.Seed, _clock, _progress, _stop);
}
