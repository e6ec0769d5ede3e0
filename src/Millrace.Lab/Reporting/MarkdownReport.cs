using System.Globalization;
using System.Text;
using Millrace.Lab.Results;

namespace Millrace.Lab.Reporting;

/// <summary>Writes report.md from results, and from nothing else.</summary>
public static class MarkdownReport
{
    /// <summary>The file's name within an output folder.</summary>
    public const string Name = "report.md";

    /// <summary>Writes it.</summary>
    public static string Write(LabResults results)
    {
        ArgumentNullException.ThrowIfNull(results);
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"# Millrace laboratory: {results.Suite}, {results.Mode}\n\n");
        if (results.Finding is { } finding)
        {
            text.Append(finding).Append("\n\n");
        }

        AppendWarnings(text, results);
        AppendBars(text, results);
        foreach (CaseGroup group in CaseGroup.Of(results))
        {
            AppendGroup(text, group);
        }

        AppendLegend(text, results);
        AppendNoise(text, results);
        AppendRun(text, results);
        return text.ToString();
    }

    private static void AppendWarnings(StringBuilder text, LabResults results)
    {
        IEnumerable<string> warnings = results.Warnings
            .Concat(results.Interrupted ? ["The run ended before it was complete."] : [])
            .Concat(results.Absent.Select(absent => $"Not measured: {absent.What}: {absent.Reason}."))
            .Concat(results.Cases.Where(item => item.UnverifiedReason is not null).Select(item =>
                $"{item.Method} {item.Parameters.Describe()}: {item.Samples?.Unverified?.Count ?? 0} samples not verified: "
                + item.UnverifiedReason));
        string[] lines = [.. warnings.Select(warning => $"> - {Escape(warning)}\n")];
        if (lines.Length > 0)
        {
            text.AppendJoin("", lines).Append('\n');
        }
    }

    private static void AppendBars(StringBuilder text, LabResults results)
    {
        if (results.Bars.Count == 0)
        {
            return;
        }

        text.Append("## What it must reach\n\nMedians of this run, hot and SequentialScan unless stated.\n\n");
        AppendTable(
            text,
            ["Figure", "Bar", "Measured", "Met"],
            results.Bars.Select(bar => new[] { bar.Figure, bar.Limit, bar.Measured, BarText.Of(bar) }),
            textColumns: 3);
    }

    private static void AppendGroup(StringBuilder text, CaseGroup group)
    {
        text.Append(CultureInfo.InvariantCulture, $"## {Escape(group.Title)}\n\n");
        List<string> titles = [.. CaseColumns.Titles];
        if (group.IsCold)
        {
            titles.Add(CaseColumns.CallingThreadTitle);
        }

        AppendTable(
            text, titles, group.Cases.Select(item => CaseColumns.Cells(item, group.IsCold)), textColumns: 1);
    }

    private static void AppendLegend(StringBuilder text, LabResults results)
    {
        text.Append(
            "Every invocation opens the file, reads and sums every byte, and closes it. Error: half of the 99.9 % confidence "
            + "interval of the mean. Ratio: mean over the rounds of the ratio to FileStreamSync in the same round, RatioSD their standard "
            + "deviation. MiB/s: by the median. CPU: user and system time of the whole process. Gen0 to Gen2: collections per "
            + "1,000 invocations. In calls: the part of the time that threads spent inside the calls that read, without what "
            + "was awaited. (!): a sample did not begin in the state that the table states.\n\n");
        string[] strategies =
        [
            .. results.Cases.Where(item => item.Strategy is not null)
                .GroupBy(item => (item.Method, item.Strategy, item.StrategyReason))
                .Select(group =>
                    $"- {group.Key.Method}: {group.Key.Strategy} in {group.Count()} cases"
                    + (group.Key.StrategyReason is { } reason ? $" ({Escape(reason)})" : "") + "\n"),
        ];
        if (strategies.Length > 0)
        {
            text.Append("What the file pipes did:\n\n").AppendJoin("", strategies).Append('\n');
        }
    }

    private static void AppendNoise(StringBuilder text, LabResults results)
    {
        if (results.Noise.Count == 0)
        {
            return;
        }

        text.Append("## Noise\n\nThe same method measured as two cases of the same rounds.\n\n");
        AppendTable(
            text,
            ["Parameters", "Median ratio", "Ratio", "RatioSD", "Deviation"],
            results.Noise.Select(noise => new[]
            {
                $"{noise.Method} {noise.Parameters.Describe()}",
                Number(noise.MedianRatio, "0.000"),
                Number(noise.Ratio, "0.000"),
                Number(noise.RatioStdDev, "0.000"),
                Number(noise.Deviation * 100, "0.0") + " %",
            }),
            textColumns: 1);
    }

    private static void AppendRun(StringBuilder text, LabResults results)
    {
        MachineFacts machine = results.Machine;
        EngineFacts engine = results.Engine;
        text.Append("## This run\n\n");
        List<string[]> rows =
        [
            ["Command", $"`{results.Command}`"],
            ["Started", results.Started.ToString("u", CultureInfo.InvariantCulture)],
            ["Duration", $"{results.DurationSeconds:0} s"],
            ["Seed", results.Seed.ToString(CultureInfo.InvariantCulture)],
            ["Processor", $"{machine.Cpu}, {machine.Cores} cores, {machine.Architecture}"],
            ["Memory", ByteSize.ToText(machine.MemoryBytes)],
            ["System", $"{machine.Os}, kernel {machine.Kernel}"],
            ["Virtual machine", machine.Hypervisor ?? "none that shows itself"],
            ["File system", machine.FileSystem],
            ["Runtime", $"{machine.Runtime}, {machine.GarbageCollector} GC"],
            ["Engine", $"{engine.Name}, Millrace {engine.Millrace} ({engine.Build})"],
            ["Warm-up", $"{engine.WarmUpCalls} calls of each method, then the compiler "
                + (engine.CompilerQuiet ? "had next to nothing left to do" : "was still at work")],
        ];
        if (machine.LoadAverage is { } load)
        {
            rows.Add(["Load before the run", Number(load, "0.00")]);
        }

        rows.AddRange(engine.RuntimeSettings.Select(setting => new[] { setting.Key, setting.Value }));
        rows.AddRange(results.Meters.Select(meter => new[] { $"Meter {meter.Key}", meter.Value }));
        rows.AddRange(results.Cases
            .SelectMany(item => item.Unavailable ?? new Dictionary<string, string>())
            .Distinct()
            .Select(reason => new[] { $"Not available: {reason.Key}", reason.Value }));
        AppendTable(text, ["", ""], rows, textColumns: 2);
    }

    private static void AppendTable(
        StringBuilder text, List<string> titles, IEnumerable<IReadOnlyList<string>> rows, int textColumns)
    {
        AppendRow(text, titles, titles.Count);
        AppendRow(text, [.. titles.Select((_, index) => index < textColumns ? "---" : "---:")], titles.Count);
        foreach (IReadOnlyList<string> row in rows)
        {
            AppendRow(text, row, titles.Count);
        }

        text.Append('\n');
    }

    private static void AppendRow(StringBuilder text, IReadOnlyList<string> cells, int columns)
    {
        text.Append("| ").AppendJoin(" | ", cells.Select(Escape)).Append(" |");
        for (int i = cells.Count; i < columns; i++)
        {
            text.Append(" |");
        }

        text.Append('\n');
    }

    private static string Escape(string cell) => cell
        .Replace("|", "\\|", StringComparison.Ordinal)
        .Replace("\r", "", StringComparison.Ordinal)
        .Replace('\n', ' ');

    private static string Number(double value, string format) => value.ToString(format, CultureInfo.InvariantCulture);
}
