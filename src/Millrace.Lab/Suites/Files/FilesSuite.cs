using Millrace.Lab.Machine;
using Millrace.Lab.Meters;
using Millrace.Lab.Results;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Files;

/// <summary>The suite "files": every way to read a file, measured on this machine.</summary>
public sealed class FilesSuite
{
    /// <summary>The suite's name.</summary>
    public const string Name = "files";

    private const string StoppedByUser = "the run was stopped (Ctrl-C) before they were measured";
    private const string StoppedByTime = "quick mode's three minutes were over before they were measured";

    private readonly LabOptions _options;
    private readonly ILabProgress _progress;
    private readonly FilesLimits _limits;
    private readonly CancellationToken _stop;
    private readonly RunClock _clock;
    private readonly BenchmarkCatalog _catalog;
    private readonly List<LabCase> _cases = [];
    private readonly List<AbsentCases> _absent = [];
    private readonly List<string> _warnings = [];
    private readonly int _seed;
    private bool _cut;

    private FilesSuite(
        LabOptions options, ILabProgress progress, FilesLimits limits, BenchmarkCatalog catalog, CancellationToken stop)
    {
        _options = options;
        _progress = progress;
        _limits = limits;
        _catalog = catalog;
        _stop = stop;
        _clock = new RunClock(limits.Total);
        _seed = options.Seed ?? Random.Shared.Next();
    }

    /// <summary>Measures. Blocks the calling thread until it is done or stopped; what was measured is always returned.</summary>
    /// <param name="options">What to measure.</param>
    /// <param name="progress">Is told how it goes.</param>
    /// <param name="stop">Ends the run after the current invocation.</param>
    /// <exception cref="LabException">It cannot begin.</exception>
    public static LabResults Run(LabOptions options, ILabProgress progress, CancellationToken stop)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(progress);
        return Run(
            options,
            progress,
            options.Mode == LabMode.Quick ? FilesLimits.Quick : FilesLimits.Full,
            new BenchmarkCatalog(typeof(FileReading)),
            stop);
    }

    internal static LabResults Run(
        LabOptions options,
        ILabProgress progress,
        FilesLimits limits,
        BenchmarkCatalog catalog,
        CancellationToken stop) =>
        new FilesSuite(options, progress, limits, catalog, stop).Run();

    private LabResults Run()
    {
        DateTimeOffset started = DateTimeOffset.UtcNow;
        _warnings.AddRange(BuildFacts.Warnings());
        foreach (string warning in _warnings)
        {
            _progress.Note(warning);
        }

        string data = Path.GetFullPath(_options.DataFolder ?? DataFolder.Default);
        using var folder = DataFolderLock.Take(data);
        List<TestFile> files = Files(data);
        MachineFacts machine = MachineInspector.Inspect(files[^1].Path);
        FileCase[] plan = Select(FilesPlan.Cases(_options.Mode, files));

        TestFile small = TestFile.OfIncrements(data, _limits.WarmUpBytes);
        WarmUpResult warmUp = Warm(small, plan);
        using var calls = new SystemCallPass();
        foreach (IGrouping<(CacheState Cache, CacheFill Order), FileCase> group in Groups(plan))
        {
            RunGroup([.. group], group.Key.Cache, calls);
        }

        LabCase[] unmeasured = [.. _cases.Where(labCase => labCase is { Error: null, Samples.Count: 0 })];
        if (unmeasured.Length > 0)
        {
            _absent.Add(new AbsentCases(
                $"{unmeasured.Length} cases, the first of them {unmeasured[0].Id}",
                _stop.IsCancellationRequested ? StoppedByUser : StoppedByTime));
        }

        return FilesResults.Build(
            new LabResults
            {
                Schema = LabResults.CurrentSchema,
                Suite = Name,
                Mode = _options.Mode == LabMode.Quick ? "quick" : "full",
                Command = _options.Command,
                Started = started,
                DurationSeconds = Math.Round(_clock.Elapsed.TotalSeconds, 1),
                Interrupted = _cut || _stop.IsCancellationRequested,
                Seed = _seed,
                Engine = BuildFacts.Engine(warmUp),
                Machine = machine,
                Meters = FilesResults.Meters(calls),
                Absent = _absent,
                Warnings = _warnings,
                Cases = [],
            },
            _cases.Except(unmeasured),
            calls);
    }

    private List<TestFile> Files(string data) => _options.FilePath is { } path
        ? [UserFile.Inspect(path)]
        : [
            .. (_options.Mode == LabMode.Quick ? FilesPlan.QuickSizes : FilesPlan.FullSizes)
                .Select(bytes => TestFile.OfIncrements(data, bytes)),
        ];

    private FileCase[] Select(IReadOnlyList<FileCase> plan)
    {
        var filter = new CaseFilter(_options.Filters);
        FileCase[] selected =
        [
            .. plan.Where(entry => filter.Selects(entry.Name, $"{entry.Name}/{entry.Parameters.Describe()}")),
        ];
        return selected.Length > 0
            ? selected
            : throw new LabException(
                $"No case matches --filter {string.Join(' ', _options.Filters)}. Cases are named like "
                + $"\"FilePipe\" (a method) or \"{plan[0].Name}/{plan[0].Parameters.Describe()}\" (one case); "
                + "* stands for any text.");
    }

    private static IEnumerable<IGrouping<(CacheState Cache, CacheFill Fill), FileCase>> Groups(FileCase[] plan) => plan
        .GroupBy(entry => (entry.Cache, entry.Fill == FilesPlan.DefaultFill(entry.Source) ? CacheFill.None : entry.Fill))
        .OrderBy(group => group.Key);

    private WarmUpResult Warm(TestFile small, FileCase[] plan)
    {
        _progress.Phase("Warming up");
        Establish(small, CacheFill.LargeWrites);
        FileCase[] cases =
        [
            .. from entry in plan.DistinctBy(entry => (entry.Method, entry.Options, entry.Cache))
               from buffer in new[] { FilesPlan.Buffers[1], FilesPlan.Buffers[4] }
               select entry with { Source = small, Buffer = buffer, Role = null, Fill = CacheFill.LargeWrites },
        ];
        using var engines = new EngineSet(_catalog, cases, state: _ => HotAnyway.Instance);
        return WarmUp.Run(engines.Entries, Runner(), _progress, _stop);
    }

    private void RunGroup(FileCase[] plan, CacheState cache, SystemCallPass calls)
    {
        plan = [.. plan.Where(entry => cache == CacheState.Hot ? CanBeHot(entry.Source) : CanBeCold(entry.Source))];
        TestFile[] files = [.. plan.Select(entry => entry.Source).Distinct()];
        if (plan.Length == 0 || _stop.IsCancellationRequested)
        {
            return;
        }

        _progress.Phase(cache == CacheState.Hot ? "Preparing files" : "Preparing cold files");
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
            using var engines = new EngineSet(_catalog, plan, entry => controls[entry.Source]);
            _cases.AddRange(engines.Entries.Select(entry => entry.Case));
            Measure(engines.Entries, cache, calls);
        }
        finally
        {
            foreach (CacheControl control in controls.Values)
            {
                control.Dispose();
            }
        }
    }

    private void Measure(IReadOnlyList<CaseEngineOf> entries, CacheState cache, SystemCallPass calls)
    {
        RoundRunner runner = Runner();
        string name = cache == CacheState.Hot ? "hot" : "cold";
        _clock.AfterThisGroup = cache == CacheState.Hot ? _limits.Cold.Time : TimeSpan.Zero;
        _progress.Phase($"Checking {name} cases");
        runner.Describe(entries);
        _progress.Phase($"Measuring {name} cases");
        runner.Run(entries, cache == CacheState.Hot ? _limits.Hot : _limits.Cold);
        _progress.Phase($"Counting allocations of {name} cases");
        runner.Pass(entries, entry => entry.Case.Allocations = AllocationPass.Measure(entry));
        _progress.Phase($"Counting system calls of {name} cases");
        runner.Pass(entries, calls.Measure);
        _cut |= runner.WasCut;
    }

    private bool CanBeHot(TestFile file) => CanBe("hot cases", CacheControl.WhyNoHot(file));

    private bool CanBeCold(TestFile file) => CanBe("cold cases", CacheControl.WhyNoCold(file));

    private bool CanBe(string what, string? reasonNot)
    {
        if (reasonNot is not null && !_absent.Exists(absent => absent.What == what && absent.Reason == reasonNot))
        {
            _absent.Add(new AbsentCases(what, reasonNot));
            _progress.Note($"No {what}: {reasonNot}.");
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

    private RoundRunner Runner() => new(_seed, _clock, _progress, _stop);
}
