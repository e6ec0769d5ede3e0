using System.Globalization;

namespace Millrace.Lab.Reporting.Markdown;

/// <summary>A column of a table of cases in report.md.</summary>
/// <param name="Title">Its title.</param>
/// <param name="Cell">Its text for a measured case; null where the case has none.</param>
internal sealed record MarkdownColumn(string Title, Func<CaseResult, string?> Cell)
{
    private const double NsPerMs = 1e6;

    /// <summary>What a reader of a pull request wants to see.</summary>
    public static IReadOnlyList<MarkdownColumn> Main { get; } =
    [
        Of("Median ms", summary => Ms(summary.WallNs.Median)),
        new("95 % CI", item => Interval(MedianInterval.Of(item.Samples?.WallNs ?? []))),
        new("Ratio", item => CaseRatio.Of(item) is { } ratio ? Number(ratio.Value, "0.00") : null),
        new("95 % CI", item => CaseRatio.Of(item) is { Low: { } low, High: { } high }
            ? $"{Number(low, "0.00")}–{Number(high, "0.00")}"
            : null),
        new("Verdict", item => CaseRatio.VerdictOf(item)?.Verdict),
        Of("MiB/s", summary => Number(summary.MibPerSecond, "0")),
        Of("CPU ms", summary => Ms(summary.UserCpuNs + summary.SystemCpuNs)),
        Of("Cores", summary => Number(summary.CoresUsed, "0.00")),
        Of("In calls", summary => Number(summary.CallingThreadShare * 100, "0.0", " %")),
        Of("Allocated", summary => Bytes(summary.AllocatedBytes)),
        Of("Peak over idle", summary => Bytes(summary.PeakOverIdleBytes)),
        Of("Server CPU ms", summary => summary.ServerCpuNs is { } cpu ? Ms(cpu) : null),
        Of("Server allocated", summary => Bytes(summary.ServerAllocatedBytes)),
        Of("Server peak", summary => Bytes(summary.ServerPeakResidentBytes)),
    ];

    /// <summary>How the times are distributed, and what is left.</summary>
    public static IReadOnlyList<MarkdownColumn> Folded { get; } =
    [
        Of("Samples", summary => Number(summary.WallNs.N, "0")),
        Of("Mean", summary => Ms(summary.WallNs.Mean)),
        Of("Error", summary => summary.WallNs.Error is { } error ? Ms(error) : null),
        Of("StdDev", summary => Ms(summary.WallNs.StdDev)),
        Of("p0", summary => Ms(summary.WallNs.Min)),
        Of("p25", summary => Ms(summary.WallNs.P25)),
        Of("p50", summary => Ms(summary.WallNs.Median)),
        Of("p75", summary => Ms(summary.WallNs.P75)),
        Of("p90", summary => Ms(summary.WallNs.P90)),
        Of("p99", summary => Ms(summary.WallNs.P99)),
        Of("p100", summary => Ms(summary.WallNs.Max)),
        Of("RatioSD", summary => Number(summary.RatioStdDev, "0.00")),
        Of("Gen0", summary => Number(summary.Gen0, "0.##")),
        Of("Gen1", summary => Number(summary.Gen1, "0.##")),
        Of("Gen2", summary => Number(summary.Gen2, "0.##")),
        Of("Alloc Ratio", summary => Number(summary.AllocatedRatio, "0.00")),
        Of("Objects (sampled)", summary => Estimate(summary.AllocatedObjects, summary.AllocatedObjectsStdDev)),
        Of("System calls", summary => Number(summary.SystemCalls, "0.#")),
        Of("Read calls", summary => Number(summary.ReadCalls, "0.#")),
        Of("Faults", summary => Number(summary.MinorFaults + summary.MajorFaults, "0.#")),
        Of("Switches", summary => Number(summary.ContextSwitches, "0.#")),
        Of("Bytes from", summary => summary.BytesFrom),
    ];

    private static MarkdownColumn Of(string title, Func<CaseSummary, string?> cell) =>
        new(title, item => item.Summary is { } summary ? cell(summary) : null);

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

    private static string? Interval((double Low, double High)? interval) =>
        interval is var (low, high) ? $"{Ms(low)}–{Ms(high)}" : null;

    private static string Ms(double nanoseconds)
    {
        double ms = nanoseconds / NsPerMs;
        return ms.ToString(ms < 10 ? "0.000" : "0.00", CultureInfo.InvariantCulture);
    }

    private static string? Number(double? value, string format, string unit = "") =>
        value is { } number ? number.ToString(format, CultureInfo.InvariantCulture) + unit : null;
}
