using System.Globalization;
using System.Text;
using Millrace.Lab.Reporting.Markdown;

namespace Millrace.Lab.Reporting;

/// <summary>Writes report.md from results, and from nothing else.</summary>
internal static class MarkdownReport
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
            MarkdownCases.Append(text, group);
        }

        AppendLegend(text, results);
        AppendNoise(text, results);
        MarkdownRun.Append(text, results);
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
        string[] lines = [.. warnings.Select(warning => $"> - {MarkdownTable.Escape(warning)}\n")];
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
        MarkdownTable.Append(
            text,
            ["Figure", "Bar", "Measured", "Met"],
            results.Bars.Select(bar => new[] { bar.Figure, bar.Limit, bar.Measured, BarText.Of(bar) }),
            textColumns: 3);
    }

    private static void AppendLegend(StringBuilder text, LabResults results)
    {
        text.Append(
            "Every invocation opens the file, reads and sums every byte, and closes it. 95 % CI of the median: from the order of "
            + "the samples. Ratio: to FileStreamSync within the same rounds; its 95 % CI and the verdict are those that the "
            + "run decided by. MiB/s: by the median. CPU: user and system time of the whole process. Cores: that by the time. "
            + "In calls: the part of the time that threads spent inside the calls that read, without what was awaited. Peak "
            + "over idle: resident memory of a process that ran nothing but the case. Error: half of the 99.9 % confidence "
            + "interval of the mean. Gen0 to Gen2: collections per 1,000 invocations. (!): a sample did not begin in the state "
            + "that the table states.\n\n");
        string[] strategies =
        [
            .. results.Cases.Where(item => item.Strategy is not null)
                .GroupBy(item => (item.Method, item.Strategy, item.StrategyReason))
                .Select(group =>
                    $"- {group.Key.Method}: {group.Key.Strategy} in {group.Count()} cases"
                    + (group.Key.StrategyReason is { } reason ? $" ({MarkdownTable.Escape(reason)})" : "") + "\n"),
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
        MarkdownTable.Append(
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

    private static string Number(double value, string format) => value.ToString(format, CultureInfo.InvariantCulture);
}
