using System.Runtime;

namespace Millrace.Lab.Running;

/// <summary>One process's part of a run: a warm-up, then the groups of the plan in rounds, each followed by its passes.</summary>
internal sealed class SuiteLaunch : IDisposable
{
    private const string StoppedByUser = "the run was stopped (Ctrl-C) before they were measured";
    private const string StoppedByTime = "the time of quick mode was over before they were measured";

    private readonly Suite _suite;
    private readonly LaunchRequest _request;
    private readonly SuiteLimits _limits;
    private readonly ILabProgress _progress;
    private readonly CancellationToken _stop;
    private readonly RunClock _clock;
    private readonly ProcessMeters _meters = new();
    private readonly SystemCallPass _calls = new();
    private readonly List<LabCase> _cases = [];
    private readonly List<AbsentCases> _absent = [];
    private readonly DateTimeOffset _started = DateTimeOffset.UtcNow;
    private readonly double? _load = MachineInspector.LoadAverage();
    private readonly ProcessorUse? _useBefore;
    private ProcessorUse? _use = default(ProcessorUse);
    private WarmUpResult _warmUp = new(0, 0, false);
    private int _hotRounds;
    private int _coldRounds;
    private bool _cut;

    private SuiteLaunch(Suite suite, LaunchRequest request, ILabProgress progress, CancellationToken stop)
    {
        _suite = suite;
        _request = request;
        _limits = suite.Limits(request.Options.Mode);
        _progress = progress;
        _stop = stop;
        _clock = new RunClock(request.Limit);
        _useBefore = ProcessorUse.Read(request.Laboratory);
    }

    /// <summary>Measures. Always returns the measurements taken until it had to end.</summary>
    public static LaunchResult Run(Suite suite, LaunchRequest request, ILabProgress progress, CancellationToken stop)
    {
        using var launch = new SuiteLaunch(suite, request, progress, stop);
        return launch.Run();
    }

    public void Dispose()
    {
        _meters.Dispose();
        _calls.Dispose();
    }

    private LaunchResult Run()
    {
        PlannedCase[] plan = [.. _suite.Select(_request.Options, _request.Inputs, _request.Server).Where(CanBeMeasured)];
        Warm(plan);
        foreach (RunLimits limits in _limits.Groups)
        {
            // A file cannot be in the cache in two ways at once.
            foreach (IGrouping<CacheFill, PlannedCase> group in plan
                .Where(planned => planned.Group == limits.Group).GroupBy(planned => planned.Fill).OrderBy(group => group.Key))
            {
                if (!_stop.IsCancellationRequested)
                {
                    MeasureGroup([.. group], limits.OfOne(_request.Count));
                }
            }
        }

        plan.FirstOrDefault()?.Clear();
        return Result();
    }

    private bool CanBeMeasured(PlannedCase planned)
    {
        if (planned.WhyNot() is not { } reason)
        {
            return true;
        }

        var absent = new AbsentCases(planned.Missing, reason);
        if (!_absent.Contains(absent))
        {
            _absent.Add(absent);
            if (_request.Index == 0)
            {
                _progress.Note($"No {absent.What}: {reason}.");
            }
        }

        return false;
    }

    // Runs every method on very little until the compiler has nothing left to improve.
    private void Warm(PlannedCase[] plan)
    {
        _progress.Phase("warming up");
        PlannedCase[] small =
        [
            .. plan.SelectMany(planned => _suite.WarmUps(planned, _request.Options, _request.Inputs))
                .Select(planned => planned with { Role = null, Plan = 0, IsBusy = false }).Distinct(),
        ];
        EstablishFiles(small);
        List<LabCase> cases = LabCase.CreateAll(small, planned => planned.CreateState(cache: null), _meters);
        try
        {
            _warmUp = WarmUp.Run(
                cases,
                Runner(),
                _progress,
                _limits.WarmUpPhases,
                () => JitInfo.GetCompiledMethodCount() + _suite.CompiledElsewhere(_request.Server),
                _stop);
        }
        finally
        {
            cases.ForEach(item => item.Dispose());
        }
    }

    private void MeasureGroup(PlannedCase[] plan, RunLimits limits)
    {
        bool isCold = plan[0].Cache == CacheState.Cold;
        if (!_suite.MakesFilesOnce)
        {
            _progress.Phase(isCold ? "preparing cold files" : "preparing files");
        }

        Dictionary<TestFile, CacheFill> fills = EstablishFiles(plan);
        if (!isCold)
        {
            plan = [.. plan.Select(planned =>
                planned.CachedFile is { } file && fills.TryGetValue(file, out CacheFill fill) ? planned with { Fill = fill } : planned)];
        }

        Dictionary<TestFile, CacheControl> controls = FilesOf(plan).ToDictionary(file => file, CacheControl.Open);
        List<LabCase> cases = [];
        try
        {
            cases = LabCase.CreateAll(
                plan, planned => planned.CreateState(planned.CachedFile is { } file ? controls[file] : null), _meters);
            using BusyProcessors? load = plan[0].IsBusy ? BusyProcessors.Start() : null;
            Measure(cases, limits, isCold);
        }
        finally
        {
            cases.ForEach(item => item.Dispose());
            foreach (CacheControl control in controls.Values)
            {
                control.Dispose();
            }
        }
    }

    private void Measure(List<LabCase> cases, RunLimits limits, bool isCold)
    {
        string name = limits.Group;
        _cases.AddRange(cases);
        RoundRunner runner = Runner();
        _clock.AfterThisGroup = _request.After + _limits.Groups.SkipWhile(group => group.Group != name).Skip(1)
            .Aggregate(TimeSpan.Zero, (sum, group) => sum + group.Time);
        _progress.Phase($"checking {name} cases");
        runner.Describe(cases);
        _progress.Phase($"measuring {name} cases");
        ProcessorUse? before = ProcessorUse.Read(_request.Laboratory);
        int rounds = runner.Run(cases, limits);
        _use += ProcessorUse.Read(_request.Laboratory) - before;
        _coldRounds += isCold ? rounds : 0;
        _hotRounds += isCold ? 0 : rounds;
        if (limits.WithPasses && _request.WithPasses)
        {
            // A second copy of a method has the allocations and calls of the first.
            LabCase[] originals = [.. cases.Where(item => item.Planned is { Role: null, Foreign: null })];
            LabCase[] managed = [.. originals.Where(item => item.Planned.Unmanaged is null)];
            Pass("allocations", managed, AllocationPass.Measure);
            Pass("system calls", originals, _calls.Measure);
            Pass("objects", managed, ObjectCountPass.Measure);
            if (_suite.CountsLargeObjects)
            {
                Pass("large objects", managed, LargeObjects.MeasurePass);
            }

            void Pass(string what, IReadOnlyList<LabCase> counted, Action<LabCase> measure)
            {
                _progress.Phase($"counting {what} of {name} cases");
                runner.Pass(counted, measure);
            }
        }

        _cut |= runner.WasCut;
    }

    private LaunchResult Result()
    {
        LabCase[] unmeasured = [.. _cases.Where(item => item is { Error: null, Samples.Count: 0 })];
        if (unmeasured.Length > 0)
        {
            _absent.Add(new AbsentCases(
                $"{unmeasured.Length} cases, the first of them {unmeasured[0].Planned.Id}",
                _stop.IsCancellationRequested ? StoppedByUser : StoppedByTime));
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

                // The server of a user's bucket may run on this machine, and works for the measured process.
                OthersShare = _request.Options.Bucket is null ? OthersShare() : null,
            },
            Engine = BuildFacts.Engine(_warmUp),
            Cases = _cases.Except(unmeasured)
                .ToDictionary(item => item.Planned.Plan, item => CaseSamplesBuilder.Build(item, _meters, _request.Index)),
            Absent = _absent,
            Meters = MeterSources.Of(
                _meters,
                _calls,
                withLargeObjects: _suite.CountsLargeObjects,
                withServer: _cases.Exists(item => item.Samples.Exists(sample => sample.Server is not null))),
            Unavailable = MeterSources.Missing(_meters, _calls),
            MeterCosts = _request.WithPasses && !_stop.IsCancellationRequested ? MeterCostProbe.Measure(_meters) : [],
            Cut = _cut || _stop.IsCancellationRequested,
        };
    }

    // Of the rounds; if those were too short, of the whole launch.
    private double? OthersShare() =>
        _use?.OthersShare ?? (ProcessorUse.Read(_request.Laboratory) - _useBefore)?.OthersShare;

    // How each file was filled, unless that was done once for all processes.
    private Dictionary<TestFile, CacheFill> EstablishFiles(PlannedCase[] plan)
    {
        var fills = new Dictionary<TestFile, CacheFill>();
        foreach (PlannedCase planned in _suite.MakesFilesOnce ? [] : plan)
        {
            if (planned.CachedFile is { } file && !fills.ContainsKey(file))
            {
                fills[file] = CacheControl.EstablishOrExplain(
                    file, planned.Fill != CacheFill.None ? planned.Fill : CacheControl.DefaultFill(file));
            }
        }

        return fills;
    }

    private static IEnumerable<TestFile> FilesOf(PlannedCase[] plan) =>
        plan.Select(planned => planned.CachedFile).OfType<TestFile>().Distinct();

    private RoundRunner Runner() => new(_request.Seed, _clock, _progress, _stop);
}
