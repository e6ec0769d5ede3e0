namespace Millrace.Lab.Running;

/// <summary>
/// Runs a suite: several launches, each a process that measures everything, then the memory of every case in a process of
/// its own, then the results.
/// </summary>
/// <remarks>
/// Several processes, because two runs of one program differ by more than chance within one run explains: where its code
/// and its memory lie, the compiler's choices.
/// </remarks>
internal sealed class SuiteRun
{
    private const string SecondCopy = "measured of the first copy of the method only";
    private const string Interrupted = "the run ended before the pass that measures it";

    // The share of a limited run that the pass over all cases may take.
    private static readonly TimeSpan MemoryTime = TimeSpan.FromSeconds(25);
    private static readonly Dictionary<string, string> NoMeters = [];

    private readonly Suite _suite;
    private readonly LabOptions _options;
    private readonly ILaunchHost _host;
    private readonly ILabProgress _progress;
    private readonly CancellationToken _stop;
    private readonly List<string> _warnings = [];
    private readonly List<LaunchResult> _launches = [];
    private readonly Dictionary<int, MemoryResult> _memory = [];
    private readonly RunClock _clock;
    private readonly int _seed;
    private readonly int _count;
    private Uri? _server;

    private SuiteRun(Suite suite, LabOptions options, ILaunchHost host, ILabProgress progress, CancellationToken stop)
    {
        _suite = suite;
        _options = options;
        _host = host;
        _progress = progress;
        _stop = stop;
        _count = options.Launches ?? suite.Limits(options.Mode).Launches;
        _clock = new RunClock(suite.TimeLimit(options.Mode, _count));
        _seed = options.Seed ?? Random.Shared.Next();
    }

    /// <summary>Measures. Blocks the calling thread until it is done or stopped; the measurements are always returned.</summary>
    public static LabResults Run(
        Suite suite, LabOptions options, ILaunchHost host, ILabProgress progress, CancellationToken stop) =>
        new SuiteRun(suite, options, host, progress, stop).Run();

    private LabResults Run()
    {
        DateTimeOffset started = DateTimeOffset.UtcNow;
        _warnings.AddRange(BuildFacts.Warnings());
        foreach (string warning in _warnings)
        {
            _progress.Note(warning);
        }

        using SuiteInputs inputs = _suite.TakeInputs(_options);
        MachineFacts machine = MachineInspector.Inspect(inputs.Files[^1].Path);
        using IServedFiles? served = inputs.Plan.Any(planned => planned.NeedsServer)
            ? _host.Serve(new ServeRequest(_suite.Name, inputs.Files) { Bucket = _options.Bucket })
            : null;
        _server = served?.Address;
        for (int index = 0; index < _count && !_stop.IsCancellationRequested; index++)
        {
            Launch(inputs, index);
        }

        IReadOnlyDictionary<int, CaseResult> cases = CaseSamplesBuilder.Merge(_launches);
        if (_launches.Count > 0)
        {
            MeasureMemory(inputs, cases);
        }

        return Build(started, machine, cases);
    }

    private void Launch(SuiteInputs inputs, int index)
    {
        bool withPasses = _launches.Count == 0;
        double parts = _count - index + (withPasses ? _suite.PassesAsLaunches : 0);
        TimeSpan? share = (_clock.Left - MemoryTime) * ((1 + (withPasses ? _suite.PassesAsLaunches : 0)) / parts);
        var request = new LaunchRequest
        {
            Suite = _suite.Name,
            Options = _options,
            Inputs = inputs.Files,
            Server = _server,
            Index = index,
            Count = _count,
            Seed = unchecked(_seed + index),
            Laboratory = Environment.ProcessId,
            Limit = share,
            After = (share ?? TimeSpan.Zero) * (_count - index - 1),
            WithPasses = withPasses,
        };
        string prefix = _count == 1 ? "" : $"Launch {index + 1} of {_count}: ";
        try
        {
            _launches.Add(_host.Launch(request, new PrefixedProgress(_progress, prefix), _stop));
        }
        catch (LaunchFailedException exception)
        {
            _warnings.Add($"Launch {index + 1} of {_count} is missing: {exception.Message}");
            _progress.Note(_warnings[^1]);
            if (index == _count - 1 && _launches.Count == 0)
            {
                throw new LabException($"No launch came to its end: {exception.Message}", exception);
            }
        }
    }

    private void MeasureMemory(SuiteInputs inputs, IReadOnlyDictionary<int, CaseResult> cases)
    {
        _progress.Phase("Measuring memory, a process for every case");

        // The second copy of a method takes as long as the first.
        KeyValuePair<int, CaseResult>[] originals = [.. cases.Where(item => item.Value is { Error: null, Role: null })];
        for (int i = 0; i < originals.Length && !_stop.IsCancellationRequested && !_clock.IsOver; i++)
        {
            (int plan, CaseResult item) = originals[i];
            _progress.Report((double)i / originals.Length, _clock.Left, $"{item.Method}/{item.Parameters.Describe()}");
            _memory[plan] = _host.MeasureMemory(
                new MemoryRequest(_suite.Name, _options, inputs.Files, plan) { Server = _server });
        }
    }

    private LabResults Build(DateTimeOffset started, MachineFacts machine, IReadOnlyDictionary<int, CaseResult> cases)
    {
        LaunchResult? first = _launches.FirstOrDefault();
        var run = new LabResults
        {
            Schema = LabResults.CurrentSchema,
            Suite = _suite.Name,
            Mode = _options.Mode == LabMode.Quick ? "quick" : "full",
            Purpose = _options.AgainstItself ? "null" : null,
            Command = _options.Command,
            Started = started,
            DurationSeconds = Math.Round(_clock.Elapsed.TotalSeconds, 1),
            Interrupted = _stop.IsCancellationRequested || _launches.Exists(launch => launch.Cut),
            Seed = _seed,
            Engine = first?.Engine ?? BuildFacts.Engine(new WarmUpResult(0, 0, false)),
            Machine = machine,
            Meters = first?.Meters ?? new Dictionary<string, string>(),
            Launches = [.. _launches.Select(launch => launch.Facts)],
            MeterCosts = first?.MeterCosts ?? [],
            Absent = [.. Absent()],
            Warnings = _warnings,
            Cases = [],
        };
        LabResults results = InRunVerdicts.Add(ResultsBuilder.Build(run, cases.Select(item => WithPasses(item.Key, item.Value)), _suite.Methods));
        return _options.AgainstItself
            ? AgainstItself(results)
            : results with { Targets = _suite.Targets(results), Finding = _suite.Finding(results) };
    }

    // The suite's targets do not apply to such a run.
    private static LabResults AgainstItself(LabResults results)
    {
        NullSummary summary = NullSummary.Of(results);
        return results with
        {
            Finding = string.Join(' ', summary.Sentences().Take(2)),
            Targets =
            [
                new TargetResult
                {
                    Figure = "methods judged different from themselves",
                    Limit = $"≤ {NullSummary.Allowed:P0} of the pairs",
                    Measured = summary.Share is { } share
                        ? $"{summary.ToldApart.Count} of {summary.Judged}, {share:P1}"
                        : "not measured in this run",
                    Met = summary.Share is { } part ? part <= NullSummary.Allowed : null,
                },
            ],
        };
    }

    private IEnumerable<AbsentCases> Absent()
    {
        IEnumerable<AbsentCases> absent = _launches
            .SelectMany(launch => launch.Absent.Select(item => (launch.Facts.Index, Item: item)))
            .GroupBy(pair => pair.Item)
            .Select(group => group.Count() == _launches.Count
                ? group.Key
                : group.Key with { What = $"{group.Key.What}, in {group.Count()} of {_launches.Count} launches" });
        int begun = _launches.Count;
        return begun > 0 && begun < _count && _stop.IsCancellationRequested
            ? absent.Append(new AbsentCases($"{_count - begun} of {_count} launches", "the run was stopped (Ctrl-C) before"))
            : absent;
    }

    private CaseResult WithPasses(int plan, CaseResult item)
    {
        if (item.Error is not null)
        {
            return item;
        }

        var unavailable = new SortedDictionary<string, string>(StringComparer.Ordinal);
        foreach ((string meter, string reason) in _launches[0].Unavailable.Concat(item.Unavailable ?? NoMeters))
        {
            unavailable[meter] = reason;
        }

        PassSamples passes = item.Samples!.Passes ?? new PassSamples();
        MemoryResult? memory = _memory.GetValueOrDefault(plan);
        if (memory is { Reason: null })
        {
            passes = passes with
            {
                PeakResidentBytes = [memory.PeakResidentBytes],
                PeakOverIdleBytes = [memory.PeakOverIdleBytes],
            };
        }

        string missing = item.Role is null ? Interrupted : SecondCopy;
        AddUnless(passes.PeakResidentBytes is not null, "peakResidentBytes", memory?.Reason ?? missing);
        AddUnless(passes.AllocatedBytes is not null, "allocatedBytes", missing);
        AddUnless(passes.SystemCalls is not null, "systemCalls", missing);
        AddUnless(passes.AllocatedObjects is not null, MeterSources.AllocatedObjects, missing);
        return item with
        {
            Samples = item.Samples with { Passes = passes == new PassSamples() ? null : passes },
            Unavailable = unavailable.Count == 0 ? null : unavailable,
        };

        void AddUnless(bool available, string meter, string reason)
        {
            if (!available)
            {
                unavailable.TryAdd(meter, reason);
            }
        }
    }
}
