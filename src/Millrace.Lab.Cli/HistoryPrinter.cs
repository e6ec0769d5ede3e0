using System.Globalization;

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

    private void WriteRuns(MachineHistory machine) => new TextTable(
        ["Run", "Mode", "Millrace", "Launches", "Against the run before", "Finding", "File"],
        TextColumns: 7,
        machine.Runs.Select(run => (IReadOnlyList<Cell>)
        [
            Time(run.Started),
            run.Mode,
            run.Millrace,
            run.Launches.ToString(CultureInfo.InvariantCulture),
            run.NotCompared ?? (run.Verdicts.Count == 0
                ? "-"
                : string.Join(", ", run.Verdicts.OrderByDescending(item => item.Value).Select(item => $"{item.Value} {item.Key}"))),
            run.Finding,
            run.Path,
        ]))
    { Wrapping = ["Mode", "Millrace", "Launches", "Against the run before", "Finding", "File"] }.Write(_console);

    private void WriteCase(CaseHistory item)
    {
        _console.MarkupLineInterpolated($"[bold]{item.Method} {item.Parameters.Describe()}[/], {_kind.Title}");
        double largest = item.Points.Max(point => point.Median) ?? 0;
        new TextTable(
            ["Run", "", "Against the run before", "Median", "p25–p75", "Time by baseline"],
            TextColumns: 3,
            item.Points.Select(point => (IReadOnlyList<Cell>)
            [
                Time(point.Started),
                Bar(point.Median, largest),
                point.Verdict is { } verdict
                    ? VerdictText.CellOf(verdict, "", $"{Ratio(verdict.Ratio)}{Reason(verdict.Verdict, verdict.Reason)}")
                    : "-",
                Value(point.Median),
                point.P25 is null ? "-" : $"{Value(point.P25)}–{Value(point.P75)}",
                point.MedianRatio is { } ratio ? $"{ratio:0.000}" : "-",
            ]))
        { Wrapping = ["Against the run before"] }.Write(_console);
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
}
