namespace Millrace.Lab.Reporting;

/// <summary>The cases of one table: they differ in the method and in one parameter.</summary>
internal sealed record CaseGroup(string Title, IReadOnlyList<CaseResult> Cases)
{
    private const int BarWidth = 40;

    /// <summary>The tables of a run; the second copies of the baseline are left to the noise.</summary>
    public static IEnumerable<CaseGroup> Of(LabResults results) => results.Cases
        .Where(item => item.Role is null)
        .GroupBy(item => item.Parameters.WithoutDegree() with { Buffer = null, Chunk = null, Offset = null, Block = null })
        .OrderBy(group => group.Key.Cache == "cold")
        .ThenBy(group => group.Key.Load, StringComparer.Ordinal)
        .ThenByDescending(group => group.Key.Content, StringComparer.Ordinal)
        .ThenBy(group => group.Key.Source, StringComparer.Ordinal)
        .ThenBy(group => group.Key.Readers)
        .ThenByDescending(group => group.Key.Bytes)
        .ThenBy(group => group.Key.Options, StringComparer.Ordinal)
        .ThenBy(group => group.Key.Direction, StringComparer.Ordinal)
        .ThenByDescending(group => group.Key.Processes)
        .ThenBy(group => group.Key.RoundTripMs)
        .ThenByDescending(group => group.Key.Compression, StringComparer.Ordinal)
        .ThenBy(group => group.Key.Digest, StringComparer.Ordinal)
        .ThenByDescending(group => group.Key.Durability, StringComparer.Ordinal)
        .Select(group => new CaseGroup(TitleOf(group.Key), [.. group.OrderBy(Axis)]));

    private string AxisTitle => (Cases.Count > 0 ? Cases[0].Parameters : null) switch
    {
        { Chunk: not null } => "Chunk",
        { Degree: not null } => "Parts",
        { Writers: not null } => "Writers",
        _ => "Buffer",
    };

    private static int? Axis(CaseResult item) =>
        item.Parameters.Buffer ?? item.Parameters.Chunk ?? item.Parameters.Degree ?? item.Parameters.Writers;

    private static string AxisText(CaseResult item)
    {
        CaseParameters parameters = item.Parameters;
        string axis = (parameters.Buffer ?? parameters.Chunk) is { } bytes
            ? ByteSize.ToText(bytes)
            : Axis(item)?.ToString(CultureInfo.InvariantCulture) ?? "";
        return axis
            + (parameters.Offset is { } offset ? string.Create(CultureInfo.InvariantCulture, $" from {offset}") : "")
            + (parameters.Block is { } block ? $" in {ByteSize.ToText(block)}" : "");
    }

    /// <summary>The columns of a place in which at least one case has something.</summary>
    public TextTable Table(Places places)
    {
        CaseResult[] cases = [.. Cases.Where(item => item.Summary is not null || places.HasFlag(Places.Main))];
        CaseColumn[] shown =
            [.. CaseColumn.All.Where(column => (column.Places & places) != default && cases.Any(item => column.Text(item) is not null))];
        // Where every case failed, the reason still needs a column.
        IEnumerable<string> titles = shown.Length == 0 ? ["Failure"] : shown.Select(column => column.Title);
        return new TextTable(["Method", AxisTitle, .. titles], TextColumns: 1, cases.Select(item => Row(item, shown)))
        {
            BeginsBlock = index => index > 0 && Axis(cases[index]) != Axis(cases[index - 1]),
        };
    }

    // A case that failed has its reason in place of its figures.
    private static IReadOnlyList<Cell> Row(CaseResult item, CaseColumn[] columns) => item.Summary is null
        ? [item.Method, AxisText(item), Failure(item)]
        :
        [
            new(item.Method + (item.Verified ? "" : " (!)"), IsOwn(item) ? Tone.Good : Tone.None),
            AxisText(item),
            .. columns.Select(column => (Cell)column.Text(item)),
        ];

    public static string Failure(CaseResult item) => $"failed: {item.Error ?? "too few samples"}";

    private static bool IsOwn(CaseResult item) => item.Method.StartsWith("FilePipe", StringComparison.Ordinal);

    /// <summary>The fastest case of each method as a bar, the fastest first; empty with fewer than two methods.</summary>
    public IReadOnlyList<string> Picture()
    {
        CaseResult[] best =
        [
            .. Cases.Where(item => item.Summary is not null && !Floor.Is(item.Method)).GroupBy(item => item.Method)
                .Select(method => method.MinBy(Figures.Median)!).OrderBy(Figures.Median),
        ];
        CaseResult? baseline = Array.Find(best, item => item.Baseline);
        CaseResult? floor = Cases.Where(item => item.Summary is not null && Floor.Is(item.Method) && item.Method != Floor.Sum).MinBy(Figures.Median);
        int name = best.Length == 0 ? 0 : best.Max(item => item.Method.Length);
        return best.Length < 2 ? [] :
        [
            $"{Title}: the median of each method's fastest case",
            .. best.Select(item =>
                $"{item.Method.PadRight(name)} {new string('█', Math.Max(1, (int)Math.Round(BarWidth * Figures.RatioOf(item, best[^1]))))} "
                + $"{CaseColumn.Ms(Figures.Median(item))} ms"
                + (item.Baseline ? " (baseline)" : baseline is null ? "" : $", {Figures.Ratio(Figures.RatioOf(item, baseline))}")),
            .. floor is null ? [] : new[] { $"floor: {CaseColumn.Ms(Figures.Median(floor))} ms ({floor.Method})" },
        ];
    }

    /// <summary>The group to show first, which has the most methods; of several, that of the file which findings speak of.</summary>
    public static CaseGroup? Main(IReadOnlyList<CaseGroup> groups) => groups
        .OrderByDescending(group => group.Cases.Where(item => item.Summary is not null).Select(item => item.Method).Distinct().Count())
        .ThenByDescending(group => Figures.IsMainFile(group.Cases[0].Parameters))
        .FirstOrDefault();

    public static string TitleOf(CaseParameters parameters)
    {
        string?[] parts =
        [
            parameters.File is null ? null : Path.GetFileName(parameters.File),
            parameters.Source is null ? null : $"from {parameters.Source}",
            string.Join(' ', new[] { ByteSize.ToText(parameters.Bytes ?? 0), parameters.Content }.Where(part => part is not null)),
            parameters.Cache is null ? null : parameters.Cache + (parameters.CacheFill is { } fill ? $" ({fill})" : ""),
            parameters.Load is { } load ? $"load {load}" : null,
            parameters.Options,
            parameters.Direction,
            parameters.Compression is null or "none" ? null : $"compression {parameters.Compression}",
            parameters.Digest is null ? null : $"digest {parameters.Digest}",
            parameters.Processes is { } processes ? (processes == 1 ? "in one process" : "between two processes") : null,
            parameters is { LinkBitsPerSecond: { } rate, RoundTripMs: { } roundTrip }
                ? string.Create(CultureInfo.InvariantCulture, $"over a link of {rate / 1e6:0.###} Mbit/s and {roundTrip} ms")
                : null,
            parameters.Files is { } files ? string.Create(CultureInfo.InvariantCulture, $"{files:#,0} files") : null,
            parameters.Records is { } records ? $"{records} records" : null,
            parameters.Durability is { } durability ? $"durability {durability}" : null,
            parameters.Readers is > 1 and { } readers ? $"{readers} readers at once" : null,
        ];
        return string.Join(", ", parts.Where(part => part is not null));
    }
}

[Flags]
internal enum Places
{
    Main = 1,
    Folded = 2,
    Wide = 4,
    Narrow = 8,
}

/// <param name="Text">The text for a measured case; null where the case has none.</param>
internal sealed record CaseColumn(string Title, Places Places, Func<CaseResult, string?> Text)
{
    public static IReadOnlyList<CaseColumn> All { get; } =
    [
        Of("Median ms", Places.Main | Places.Narrow, summary => Ms(summary.WallNs.Median)),
        new("95 % CI", Places.Main, item => MedianInterval.Of(item.Samples?.WallNs ?? []) is var (low, high) ? $"{Ms(low)}–{Ms(high)}" : null),
        new("Ratio", Places.Main | Places.Narrow, item => Number(RatioOf(item), "0.00")),
        new("95 % CI", Places.Main, item => TimeVerdict(item) is { Ratio: not null, Low: { } low, High: { } high }
            ? $"{Number(low, "0.00")}–{Number(high, "0.00")}"
            : null),
        new("Verdict", Places.Main | Places.Narrow, item => TimeVerdict(item)?.Verdict),
        Of("× floor", Places.Main | Places.Narrow, summary => Number(summary.FloorRatio, "0.00")),
        Of("MiB/s", Places.Main | Places.Wide, summary => Number(summary.MibPerSecond, "0")),
        Of("CPU ms", Places.Main | Places.Wide, summary => Ms(summary.UserCpuNs + summary.SystemCpuNs)),
        Of("Cores", Places.Main | Places.Wide, summary => Number(summary.CoresUsed, "0.00")),
        Of("In calls", Places.Main | Places.Narrow, summary => Number(summary.CallingThreadShare * 100, "0.0", " %")),
        Of("Allocated", Places.Main | Places.Narrow, summary => Bytes(summary.AllocatedBytes)),
        Of("Peak over idle", Places.Main | Places.Narrow, summary => Bytes(summary.PeakOverIdleBytes)),
        Of("Server CPU ms", Places.Main | Places.Wide, summary => summary.ServerCpuNs is { } cpu ? Ms(cpu) : null),
        Of("Server allocated", Places.Main | Places.Wide, summary => Bytes(summary.ServerAllocatedBytes)),
        Of("Server peak", Places.Main | Places.Wide, summary => Bytes(summary.ServerPeakResidentBytes)),
        Of("Samples", Places.Folded, summary => Number(summary.WallNs.N, "0")),
        Of("Mean", Places.Folded | Places.Wide, summary => Ms(summary.WallNs.Mean)),
        Of("Error", Places.Folded | Places.Wide, summary => summary.WallNs.Error is { } error ? Ms(error) : null),
        Of("StdDev", Places.Folded | Places.Wide, summary => Ms(summary.WallNs.StdDev)),
        Of("p0", Places.Folded, summary => Ms(summary.WallNs.Min)),
        Of("p25", Places.Folded, summary => Ms(summary.WallNs.P25)),
        Of("p50", Places.Folded, summary => Ms(summary.WallNs.Median)),
        Of("p75", Places.Folded, summary => Ms(summary.WallNs.P75)),
        Of("p90", Places.Folded, summary => Ms(summary.WallNs.P90)),
        Of("p99", Places.Folded, summary => Ms(summary.WallNs.P99)),
        Of("p100", Places.Folded, summary => Ms(summary.WallNs.Max)),
        Of("RatioSD", Places.Folded | Places.Wide, summary => Number(summary.RatioStdDev, "0.00")),
        Of("Gen0", Places.Folded | Places.Wide, summary => Number(summary.Gen0, "0.##")),
        Of("Gen1", Places.Folded | Places.Wide, summary => Number(summary.Gen1, "0.##")),
        Of("Gen2", Places.Folded | Places.Wide, summary => Number(summary.Gen2, "0.##")),
        Of("Alloc Ratio", Places.Folded | Places.Wide, summary => Number(summary.AllocatedRatio, "0.00")),
        Of("Objects (sampled)", Places.Folded, summary => Estimate(summary.AllocatedObjects, summary.AllocatedObjectsStdDev)),
        Of("System calls", Places.Folded, summary => Number(summary.SystemCalls, "0.#")),
        Of("Read calls", Places.Folded, summary => Number(summary.ReadCalls, "0.#")),
        Of("Faults", Places.Folded, summary => Number(summary.MinorFaults + summary.MajorFaults, "0.#")),
        Of("Switches", Places.Folded, summary => Number(summary.ContextSwitches, "0.#")),
        Of("Bytes from", Places.Folded, summary => summary.BytesFrom),
    ];

    public static double? RatioOf(CaseResult item) =>
        TimeVerdict(item)?.Ratio ?? item.Summary?.MedianRatio;

    public static string Ms(double nanoseconds)
    {
        double ms = nanoseconds / 1e6;
        return ms.ToString(ms < 10 ? "0.000" : "0.00", CultureInfo.InvariantCulture);
    }

    private static CaseColumn Of(string title, Places places, Func<CaseSummary, string?> text) =>
        new(title, places, item => item.Summary is { } summary ? text(summary) : null);

    private static VerdictResult? TimeVerdict(CaseResult item) =>
        item.Verdicts?.FirstOrDefault(verdict => verdict.Metric == Metrics.WallNs.Name);

    private static string? Bytes(double? bytes) => bytes switch
    {
        null => null,
        < ByteSize.KiB => $"{bytes:0} B",
        { } value => ByteSize.ToText((long)value),
    };

    // "≈ 1,234 ± 56"; nothing was sampled where nothing is allocated.
    private static string? Estimate(double? estimate, double? deviation) => estimate switch
    {
        null => null,
        0 => "0",
        { } value => $"≈ {Number(value, value < 100 ? "0.##" : "#,0")} ± {Number(deviation, deviation < 100 ? "0.##" : "#,0")}",
    };

    private static string? Number(double? value, string format, string unit = "") =>
        value is { } number ? number.ToString(format, CultureInfo.InvariantCulture) + unit : null;
}
