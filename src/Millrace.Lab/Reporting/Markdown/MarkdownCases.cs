using System.Globalization;
using System.Text;

namespace Millrace.Lab.Reporting.Markdown;

/// <summary>The tables of cases in report.md.</summary>
internal static class MarkdownCases
{
    private const string None = "-";

    /// <summary>Writes the tables of one group: the main one, and a folded one with the distributions.</summary>
    public static void Append(StringBuilder text, CaseGroup group)
    {
        text.Append(CultureInfo.InvariantCulture, $"## {MarkdownTable.Escape(group.Title)}\n\n");
        (List<string> titles, List<IReadOnlyList<string>> rows) = Table(group.Cases, MarkdownColumn.Main);
        MarkdownTable.Append(text, titles, rows, textColumns: 1);
        CaseResult[] measured = [.. group.Cases.Where(item => item.Summary is not null)];
        if (measured.Length > 0)
        {
            (titles, rows) = Table(measured, MarkdownColumn.Folded);
            MarkdownTable.AppendFolded(text, "Percentiles (ms) and the other meters", titles, rows, textColumns: 1);
        }
    }

    // Columns in which no case has anything are left out.
    private static (List<string> Titles, List<IReadOnlyList<string>> Rows) Table(
        IReadOnlyList<CaseResult> cases, IReadOnlyList<MarkdownColumn> columns)
    {
        MarkdownColumn[] shown = [.. columns.Where(column => cases.Any(item => column.Cell(item) is not null))];
        return (
            ["Method", CaseAxis.TitleOf(cases), .. shown.Select(column => column.Title)],
            [.. cases.Select(item => Row(item, shown))]);
    }

    // A case that failed has its reason in place of its figures.
    private static IReadOnlyList<string> Row(CaseResult item, MarkdownColumn[] columns)
    {
        string buffer = CaseAxis.Cell(item);
        string method = item.Method + (item.Verified || item.Error is not null ? "" : " (!)");
        return item.Summary is null
            ? [method, buffer, $"failed: {item.Error ?? "too few samples"}"]
            : [method, buffer, .. columns.Select(column => column.Cell(item) ?? None)];
    }
}
