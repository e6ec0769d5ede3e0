namespace Millrace.Lab.Comparing;

internal sealed record MachineHistory
{
    public required string Machine { get; init; }
    public required IReadOnlyList<RunPoint> Runs { get; init; }
    public required IReadOnlyList<CaseHistory> Cases { get; init; }

    /// <summary>Groups runs by machine and suite and compares each with the one before.</summary>
    /// <param name="filters">Globs that select cases; without one the overview alone is made.</param>
    public static IReadOnlyList<MachineHistory> Of(
        IEnumerable<StoredRun> runs, IReadOnlyList<string> filters, MetricKind kind)
    {
        List<List<StoredRun>> machines = [];
        foreach (StoredRun run in runs.OrderBy(run => run.Results.Started))
        {
            List<StoredRun>? machine = machines.Find(group =>
                group[^1].Results.Suite == run.Results.Suite
                && MachineIdentity.AreSame(group[^1].Results.Machine, run.Results.Machine));
            if (machine is null)
            {
                machines.Add(machine = []);
            }

            machine.Add(run);
        }

        return [.. machines.Select(machine => Of(machine, filters, kind))];
    }

    private static MachineHistory Of(List<StoredRun> runs, IReadOnlyList<string> filters, MetricKind kind)
    {
        var options = new ComparisonOptions { Metrics = [kind] };
        RunComparison?[] comparisons =
        [
            .. runs.Select((run, index) => index == 0 ? null : RunComparer.Compare(runs[index - 1], run, options)),
        ];
        return new MachineHistory
        {
            Machine = MachineIdentity.Describe(runs[^1].Results.Machine),
            Runs = [.. runs.Select((run, index) => Point(run, comparisons[index]))],
            Cases = filters.Count == 0 ? [] : [.. CasesOf(runs, comparisons, new CaseFilter(filters), kind)],
        };
    }

    private static RunPoint Point(StoredRun run, RunComparison? comparison) => new()
    {
        Path = run.Path,
        Suite = run.Results.Suite,
        Started = run.Results.Started,
        Mode = run.Results.Mode,
        Millrace = run.Results.Engine.Millrace,
        Launches = Math.Max(1, run.Results.Launches.Count),
        Finding = run.Results.Finding,
        Verdicts = comparison is null || comparison.Impossible is not null
            ? new Dictionary<string, int>()
            : comparison.Cases.GroupBy(item => item.Verdict.Verdict).ToDictionary(group => group.Key, group => group.Count()),
        NotCompared = comparison?.Impossible,
    };

    private static IEnumerable<CaseHistory> CasesOf(
        List<StoredRun> runs, RunComparison?[] comparisons, CaseFilter filter, MetricKind kind) =>
        from key in runs.SelectMany(run => run.Results.Cases)
            .Where(item => item.Role is null && filter.Selects(item.Method, Figures.Id(item)))
            .Select(item => (item.Method, item.Parameters)).Distinct()
        select new CaseHistory
        {
            Suite = runs[0].Results.Suite,
            Method = key.Method,
            Parameters = key.Parameters,
            Metric = kind.Name,
            Points =
            [
                .. runs.Select((run, index) => Point(run, comparisons[index], key.Method, key.Parameters, kind)).OfType<CasePoint>(),
            ],
        };

    private static CasePoint? Point(
        StoredRun run, RunComparison? comparison, string method, CaseParameters parameters, MetricKind kind)
    {
        CaseResult? item = run.Results.Cases.FirstOrDefault(one => one.IsCase(method, parameters));
        if (item is null)
        {
            return null;
        }

        MetricSamples samples = MetricReader.Read(item, kind);
        double[] values = kind.IsMeasured ? [.. samples.Rounds.Select(round => round.Value)] : [.. samples.Counts];
        Statistics? statistics = values.Length == 0 ? null : new Statistics(values);
        CaseComparison? compared = comparison?.Cases.FirstOrDefault(one =>
            one.Role is null && one.Method == method && one.Parameters == parameters);
        return new CasePoint
        {
            Path = run.Path,
            Started = run.Results.Started,
            Millrace = run.Results.Engine.Millrace,
            Median = statistics?.Median,
            P25 = statistics?.Percentile(25),
            P75 = statistics?.Percentile(75),
            MedianRatio = item.Summary?.MedianRatio,
            Verdict = kind == Metrics.WallNs
                ? compared?.Verdict
                : compared?.Others.FirstOrDefault(verdict => verdict.Metric == kind.Name),
        };
    }
}

internal sealed record RunPoint
{
    public required string Path { get; init; }
    public required string Suite { get; init; }
    public required DateTimeOffset Started { get; init; }
    public required string Mode { get; init; }
    public required string Millrace { get; init; }
    public required int Launches { get; init; }
    public string? Finding { get; init; }

    /// <summary>How many cases have each verdict against the run before; empty for the first.</summary>
    public IReadOnlyDictionary<string, int> Verdicts { get; init; } = new Dictionary<string, int>();

    /// <summary>Why it cannot be compared with the run before; null when it can, or there is none.</summary>
    public string? NotCompared { get; init; }
}

internal sealed record CaseHistory
{
    public required string Suite { get; init; }
    public required string Method { get; init; }
    public required CaseParameters Parameters { get; init; }
    public required string Metric { get; init; }
    public required IReadOnlyList<CasePoint> Points { get; init; }
}

internal sealed record CasePoint
{
    public required string Path { get; init; }
    public required DateTimeOffset Started { get; init; }
    public required string Millrace { get; init; }

    /// <summary>Median of the metric, in its unit; null when the run has none.</summary>
    public double? Median { get; init; }
    public double? P25 { get; init; }
    public double? P75 { get; init; }
    public double? MedianRatio { get; init; }

    /// <summary>How it compares with the run before; absent for the first.</summary>
    public VerdictResult? Verdict { get; init; }
}

internal sealed record HistoryReport(IReadOnlyList<string> Problems, IReadOnlyList<MachineHistory> Machines);
