using System.Globalization;
using Millrace.Lab.Comparing;

namespace Millrace.Lab.Reporting;

/// <summary>The columns of a table of cases, the same in the terminal and in report.md.</summary>
internal static class CaseColumns
{
    private const double NsPerMs = 1e6;

    /// <summary>Their titles.</summary>
    public static IReadOnlyList<string> Titles { get; } =
    [
        "Method", AxisTitle, "Mean ms", "Error", "StdDev", "Median ms", "Ratio", "RatioSD", "Verdict", "MiB/s",
        "CPU ms", "Cores", "Gen0", "Gen1", "Gen2", "Allocated", "Alloc Ratio", "Peak",
    ];

    /// <summary>The second column, which tables show under the name that <see cref="CaseAxis"/> has for it.</summary>
    public const string AxisTitle = "Buffer";

    /// <summary>A column more in tables of cold cases.</summary>
    public const string CallingThreadTitle = "In calls";

    /// <summary>The columns that fit where not all do, by title.</summary>
    public static IReadOnlyList<string> Essential { get; } =
        ["Method", AxisTitle, "Median ms", "Ratio", "Verdict", "Allocated", "Peak", CallingThreadTitle];

    /// <summary>A case's cells; those after the buffer are its error when it failed.</summary>
    public static IReadOnlyList<string> Cells(CaseResult item, bool withCallingThread)
    {
        string buffer = CaseAxis.Cell(item);
        string method = item.Method + (item.Verified || item.Error is not null ? "" : " (!)");
        if (item.Summary is not { } summary)
        {
            return [method, buffer, $"failed: {item.Error ?? "too few samples"}"];
        }

        Distribution wall = summary.WallNs;
        List<string> cells =
        [
            method,
            buffer,
            Ms(wall.Mean),
            wall.Error is { } error ? Ms(error) : "-",
            Ms(wall.StdDev),
            Ms(wall.Median),
            Number(summary.Ratio, "0.00"),
            Number(summary.RatioStdDev, "0.00"),
            Verdict(item),
            Number(summary.MibPerSecond, "0"),
            Ms(summary.UserCpuNs + summary.SystemCpuNs),
            Number(summary.CoresUsed, "0.0"),
            Number(summary.Gen0, "0.##"),
            Number(summary.Gen1, "0.##"),
            Number(summary.Gen2, "0.##"),
            summary.AllocatedBytes is { } allocated ? Allocated(allocated) : "-",
            Number(summary.AllocatedRatio, "0.00"),
            summary.PeakOverIdleBytes is { } peak ? Allocated(peak) : "-",
        ];
        if (withCallingThread)
        {
            cells.Add(Number(summary.CallingThreadShare * 100, "0.0", " %"));
        }

        return cells;
    }

    // "too little data" is for the report, which says of what; in a narrow table it is nothing.
    private static string Verdict(CaseResult item)
    {
        string? verdict = item.Verdicts?.FirstOrDefault(one => one.Metric == Metrics.WallNs.Name)?.Verdict;
        return verdict is null or VerdictWords.TooLittleData ? "-" : verdict;
    }

    private static string Allocated(double bytes) =>
        bytes < ByteSize.KiB ? $"{bytes:0} B" : ByteSize.ToText((long)bytes);

    private static string Ms(double nanoseconds)
    {
        double ms = nanoseconds / NsPerMs;
        return ms.ToString(ms < 10 ? "0.000" : "0.00", CultureInfo.InvariantCulture);
    }

    private static string Number(double? value, string format, string unit = "") =>
        value is { } number ? number.ToString(format, CultureInfo.InvariantCulture) + unit : "-";
}
