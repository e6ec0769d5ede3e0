using System.Globalization;
using Millrace.Lab.Comparing;
using Spectre.Console;

namespace Millrace.Lab.Cli;

/// <summary>Prints a history: the runs, or cases with a bar for each run.</summary>
internal sealed class HistoryPrinter
{
    private const int BarWidth = 24;

    private readonly IAnsiConsole _console;
    private readonly MetricKind _kind;

    public HistoryPrinter(IAnsiConsole console, MetricKind kind)
    {
        _console = console;
        _kind = kind;
    }

    public void Write(MachineHistory machine)
    {
        _console.WriteLine();
        _console.MarkupLineInterpolated($"[bold]{machine.Runs[0].Suite} on {machine.Machine}[/]");
        WriteRuns(machine);
        foreach (CaseHistory item in machine.Cases)
        {
            WriteCase(item);
        }
    }

    private void WriteRuns(MachineHistory machine)
    {
        Table table = new Table().Border(TableBorder.Simple)
            .AddColumn(new TableColumn("Run").NoWrap()).AddColumn("Mode").AddColumn("Millrace").AddColumn("Launches")
            .AddColumn("Against the run before").AddColumn("Finding").AddColumn("File");
        foreach (RunPoint run in machine.Runs)
        {
            table.AddRow(
                Time(run.Started),
                Markup.Escape(run.Mode),
                Markup.Escape(run.Millrace),
                run.Launches.ToString(CultureInfo.InvariantCulture),
                Markup.Escape(run.NotCompared ?? (run.Verdicts.Count == 0
                    ? "-"
                    : string.Join(", ", run.Verdicts.OrderByDescending(item => item.Value).Select(item => $"{item.Value} {item.Key}")))),
                Markup.Escape(run.Finding ?? "-"),
                Markup.Escape(run.Path));
        }

        _console.Write(table);
    }

    private void WriteCase(CaseHistory item)
    {
        _console.MarkupLineInterpolated($"[bold]{item.Method} {item.Parameters.Describe()}[/], {_kind.Title}");
        Table table = new Table().Border(TableBorder.Simple)
            .AddColumn(new TableColumn("Run").NoWrap()).AddColumn(Right("Median")).AddColumn(Right("p25–p75"))
            .AddColumn(new TableColumn("").NoWrap()).AddColumn(Right("Time by baseline")).AddColumn("Against the run before");
        double largest = item.Points.Max(point => point.Median) ?? 0;
        foreach (CasePoint point in item.Points)
        {
            table.AddRow(
                Time(point.Started),
                Value(point.Median),
                point.P25 is null ? "-" : $"{Value(point.P25)}–{Value(point.P75)}",
                Bar(point.Median, largest),
                point.MedianRatio is { } ratio ? $"{ratio:0.000}" : "-",
                point.Verdict is { } verdict
                    ? VerdictText.Of(verdict) + Markup.Escape($"{Ratio(verdict.Ratio)}{Reason(verdict.Verdict, verdict.Reason)}")
                    : "-");
        }

        _console.Write(table);
    }

    private static string Ratio(double? ratio) => ratio is { } value ? $", {value:0.00} times" : "";

    private static string Reason(string verdict, string? reason) =>
        reason is null || VerdictWords.NamesDifference(verdict) || verdict == VerdictWords.Same
            ? ""
            : $" ({reason.Split(';')[0]})";

    private static string Bar(double? value, double largest) => value is { } number && largest > 0
        ? new string('#', Math.Max(1, (int)Math.Round(number / largest * BarWidth)))
        : "";

    private string Value(double? value) => value is not { } number ? "-" : _kind.Unit switch
    {
        "ns" => $"{number / 1e6:0.000} ms",
        "" => $"{number:0.##}",
        _ => $"{number:#,0.##} {_kind.Unit}",
    };

    private static string Time(DateTimeOffset time) => time.UtcDateTime.ToString("yyyy-MM-dd HH:mm", CultureInfo.InvariantCulture);

    private static TableColumn Right(string title) => new TableColumn(title).RightAligned().NoWrap();
}
