using Millrace.Lab.Machine;
using Millrace.Lab.Meters;
using Millrace.Lab.Results;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Files;

/// <summary>One process's part of the suite: warm-up, rounds of hot and of cold cases, and passes of their own.</summary>
internal sealed class FilesLaunch : IDisposable
{
    private const string StoppedByUser = "the run was stopped (Ctrl-C) before they were measured";
    private const string StoppedByTime = "the time of quick mode was over before they were measured";

    private readonly LaunchRequest _request;
    private readonly FilesLimits _limits;
    private readonly BenchmarkCatalog _catalog;
    private readonly ILabProgress _progress;
    private readonly CancellationToken _stop;
    private readonly RunClock _clock;
    private readonly ProcessMeters _meters = new();
    private readonly SystemCallPass _calls = new();
    private readonly List<LabCase> _cases = [];
    private readonly List<AbsentCases> _absent = [];
    private int _hotRounds;
    private int _coldRounds;
    private bool _cut;

    /// <summary>Makes a launch.</summary>
    public FilesLaunch(
        LaunchRequest request,
        FilesLimits limits,
        BenchmarkCatalog catalog,
        ILabProgress progress,
        CancellationToken stop)
    {
        _request = request;
        _limits = limits;
        _catalog = catalog;
        _progress = progress;
        _stop = stop;
        _clock = new RunClock(request.Limit);
    }

    /// <summary>Measures. What was measured until it had to end is always returned.</summary>
    public LaunchResult Run()
    {
        DateTimeOffset started = DateTimeOffset.UtcNow;
        double? load = MachineInspector.LoadAverage();
        IReadOnlyList<FileCase> plan = FilesPlan.Select(_request.Options, _request.Inputs);
        WarmUpResult warmUp = Warm(plan);
        foreach (IGrouping<(CacheState Cache, CacheFill Order), FileCase> group in Groups(plan))
        {
            RunGroup([.. group], group.Key.Cache);
        }

        LabCase[] unmeasured = [.. _cases.Where(labCase => labCase is { Error: null, Samples.Count: 0 })];
        if (unmeasured.Length > 0)
        {
            _absent.Add(new AbsentCases(
                $"{unmeasured.Length} cases, the first of them {unmeasured[0].Id}",
                _stop.IsCancellationRequested ? StoppedByUser : StoppedByTime));
        }

        return new LaunchResult
        {
            Facts = new LaunchFacts
            {
                Index = _request.Index,
                Started = started,
                DurationSeconds = Math.Round(_clock.Elapsed.TotalSeconds, 1),
                Seed = _request.Seed,
                HotRounds = _hotRounds,
                ColdRounds = _coldRounds,
                CompilerQuiet = warmUp.CompilerQuiet,
                LoadAverage = load,
            },
            Engine = BuildFacts.Engine(warmUp),
            Cases =
            [
                .. _cases.Except(unmeasured)
                    .Select(labCase => new LaunchCase(labCase.Plan, CaseSamplesBuilder.Build(labCase, _meters, _request.Index))),
            ],
            Absent = _absent,
            Meters = MeterSources.Of(_meters, _calls),
            Unavailable = MeterSources.Missing(_meters, _calls),
            MeterCosts = _request.WithPasses && !_stop.IsCancellationRequested ? MeterCostProbe.Measure(_meters) : [],
            Cut = _cut || _stop.IsCancellationRequested,
        };
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _meters.Dispose();
        _calls.Dispose();
    }

    private static IEnumerable<IGrouping<(CacheState Cache, CacheFill Fill), FileCase>> Groups(
        IEnumerable<FileCase> plan) => plan
        .GroupBy(entry => (entry.Cache, entry.Fill == FilesPlan.DefaultFill(entry.Source) ? CacheFill.None : entry.Fill))
        .OrderBy(group => group.Key);

    private WarmUpResult Warm(IReadOnlyList<FileCase> plan)
    {
        _progress.Phase("warming up");
        TestFile small = TestFile.OfIncrements(FilesSuite.DataPath(_request.Options), _limits.WarmUpBytes);
        Establish(small, CacheFill.LargeWrites);
        FileCase[] cases =
        [
            .. from entry in plan.DistinctBy(entry => (entry.Method, entry.Options, entry.Cache))
               from buffer in new[] { FilesPlan.Buffers[1], FilesPlan.Buffers[4] }
               select entry with { Source = small, Buffer = buffer, Role = null, Fill = CacheFill.LargeWrites },
        ];
        using var engines = new EngineSet(_catalog, cases, state: _ => HotAnyway.Instance, _meters);
        return WarmUp.Run(engines.Entries, Runner(), _progress, _stop);
    }

    private void RunGroup(FileCase[] plan, CacheState cache)
    {
        plan = [.. plan.Where(entry => cache == CacheState.Hot ? CanBeHot(entry.Source) : CanBeCold(entry.Source))];
        TestFile[] files = [.. plan.Select(entry => entry.Source).Distinct()];
        if (plan.Length == 0 || _stop.IsCancellationRequested)
        {
            return;
        }

        _progress.Phase(cache == CacheState.Hot ? "preparing files" : "preparing cold files");
        var fills = files.ToDictionary(
            file => file,
            file => Establish(
                file,
                cache == CacheState.Cold
                    ? FilesPlan.DefaultFill(file)
                    : plan.First(entry => entry.Source == file).Fill));
        if (cache == CacheState.Hot)
        {
            plan = [.. plan.Select(entry => entry with { Fill = fills[entry.Source] })];
        }

        Dictionary<TestFile, CacheControl> controls = files.ToDictionary(file => file, CacheControl.Open);
        try
        {
            using var engines = new EngineSet(_catalog, plan, entry => controls[entry.Source], _meters);
            _cases.AddRange(engines.Entries.Select(entry => entry.Case));
            Measure(engines.Entries, cache);
        }
        finally
        {
            foreach (CacheControl control in controls.Values)
            {
                control.Dispose();
            }
        }
    }

    private void Measure(IReadOnlyList<CaseEngineOf> entries, CacheState cache)
    {
        RoundRunner runner = Runner();
        string name = cache == CacheState.Hot ? "hot" : "cold";
        _clock.AfterThisGroup = _request.After + (cache == CacheState.Hot ? _limits.Cold.Time : TimeSpan.Zero);
        _progress.Phase($"checking {name} cases");
        runner.Describe(entries);
        _progress.Phase($"measuring {name} cases");
        int rounds = runner.Run(entries, cache == CacheState.Hot ? _limits.Hot : _limits.Cold);
        if (cache == CacheState.Hot)
        {
            _hotRounds += rounds;
        }
        else
        {
            _coldRounds += rounds;
        }

        if (_request.WithPasses)
        {
            // A second copy of a method allocates and calls what the first does.
            CaseEngineOf[] originals = [.. entries.Where(entry => entry.Case.Role is null)];
            _progress.Phase($"counting allocations of {name} cases");
            runner.Pass(originals, AllocationPass.Measure);
            _progress.Phase($"counting system calls of {name} cases");
            runner.Pass(originals, _calls.Measure);
            runner.Pass(originals, ObjectCountPass.Measure);
        }

        _cut |= runner.WasCut;
    }

    private bool CanBeHot(TestFile file) => CanBe("hot cases", CacheControl.WhyNoHot(file));

    private bool CanBeCold(TestFile file) => CanBe("cold cases", CacheControl.WhyNoCold(file));

    private bool CanBe(string what, string? reasonNot)
    {
        if (reasonNot is not null && !_absent.Exists(absent => absent.What == what && absent.Reason == reasonNot))
        {
            _absent.Add(new AbsentCases(what, reasonNot));
            if (_request.Index == 0)
            {
                _progress.Note($"No {what}: {reasonNot}.");
            }
        }

        return reasonNot is null;
    }

    private static CacheFill Establish(TestFile file, CacheFill fill)
    {
        try
        {
            return CacheControl.Establish(file, fill);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new LabException(
                $"The test file {file.Path} ({ByteSize.ToText(file.Bytes)}) cannot be written: {exception.Message} "
                + "Name another folder with --data.",
                exception);
        }
    }

    private RoundRunner Runner() => new(_request.Seed, _clock, _progress, _stop);
}
