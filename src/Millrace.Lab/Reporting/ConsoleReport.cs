using Spectre.Console;

namespace Millrace.Lab.Reporting;

/// <summary>Prints results in a terminal, or readably into a file or a pipe.</summary>
internal static class ConsoleReport
{
    // What the widest table needs.
    private const int FullWidth = 190;

    /// <summary>Prints tables, bars and the finding.</summary>
    public static void Write(IAnsiConsole console, LabResults results)
    {
        ArgumentNullException.ThrowIfNull(console);
        ArgumentNullException.ThrowIfNull(results);
        foreach (CaseGroup group in CaseGroup.Of(results))
        {
            WriteGroup(console, group);
        }

        if (console.Profile.Width < FullWidth)
        {
            console.MarkupLine("[dim]More columns (mean, error, deviations, speed, processor time, collections) in report.md or a wider window.[/]");
        }

        WriteNotes(console, results);
        WriteBars(console, results);
        if (results.Finding is { } finding)
        {
            console.WriteLine();
            console.MarkupLineInterpolated($"[bold]{finding}[/]");
        }
    }

    private static void WriteGroup(IAnsiConsole console, CaseGroup group)
    {
        console.WriteLine();
        console.MarkupLineInterpolated($"[bold]{group.Title}[/]");
        Table table = new Table().Border(TableBorder.Simple);
        List<string> titles = [.. CaseColumns.Titles];
        if (group.IsCold)
        {
            titles.Add(CaseColumns.CallingThreadTitle);
        }

        bool narrow = console.Profile.Width < FullWidth;
        int[] shown =
        [
            .. Enumerable.Range(0, titles.Count).Where(i => !narrow || CaseColumns.Essential.Contains(titles[i])),
        ];
        foreach (int i in shown)
        {
            TableColumn column = new TableColumn(Markup.Escape(titles[i] == CaseColumns.AxisTitle ? CaseAxis.TitleOf(group.Cases) : titles[i])).NoWrap();
            table.AddColumn(i == 0 ? column : column.RightAligned());
        }

        int? buffer = null;
        foreach (CaseResult item in group.Cases.Where(item => item.Summary is not null))
        {
            if (buffer is not null && buffer != CaseAxis.Number(item))
            {
                table.AddEmptyRow();
            }

            buffer = CaseAxis.Number(item);
            string colour = item.Method.StartsWith("FilePipe", StringComparison.Ordinal) ? "green" : "default";
            IReadOnlyList<string> cells = CaseColumns.Cells(item, group.IsCold);
            table.AddRow(shown.Select(i => new Markup($"[{colour}]{Markup.Escape(cells[i])}[/]")));
        }

        console.Write(table);
        foreach (CaseResult item in group.Cases.Where(item => item.Summary is null))
        {
            console.MarkupLineInterpolated($"[red]{string.Join("  ", CaseColumns.Cells(item, group.IsCold))}[/]");
        }
    }

    private static void WriteNotes(IAnsiConsole console, LabResults results)
    {
        foreach (CaseResult item in results.Cases.Where(item => item.UnverifiedReason is not null))
        {
            int samples = item.Samples?.Unverified?.Count ?? 0;
            console.MarkupLineInterpolated(
                $"[yellow](!) {item.Method} {item.Parameters.Describe()}: {samples} samples not verified: {item.UnverifiedReason}[/]");
        }

        foreach (AbsentCases absent in results.Absent)
        {
            console.MarkupLineInterpolated($"[yellow]Not measured: {absent.What}: {absent.Reason}.[/]");
        }

        if (results.Noise.Count > 0)
        {
            double worst = results.Noise.Max(noise => noise.Deviation);
            double typical = results.Noise.OrderBy(noise => noise.Deviation).ElementAt(results.Noise.Count / 2).Deviation;
            console.MarkupLineInterpolated(
                $"Noise: the baseline's medians differed from its own second copy's by {typical:P1} typically, {worst:P1} at most.");
        }
    }

    private static void WriteBars(IAnsiConsole console, LabResults results)
    {
        if (results.Bars.Count == 0)
        {
            return;
        }

        console.WriteLine();
        Table table = new Table().Border(TableBorder.Simple)
            .AddColumn("What it must reach (medians)").AddColumn("Bar").AddColumn("Measured").AddColumn("Met");
        foreach (BarResult bar in results.Bars)
        {
            string colour = bar.Met switch { true => "green", false => "red", null => "default" };
            table.AddRow(
                Markup.Escape(bar.Figure),
                Markup.Escape(bar.Limit),
                Markup.Escape(bar.Measured),
                $"[{colour}]{BarText.Of(bar)}[/]");
        }

        console.Write(table);
    }
}
