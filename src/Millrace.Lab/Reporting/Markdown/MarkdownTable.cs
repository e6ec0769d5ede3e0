using System.Text;

namespace Millrace.Lab.Reporting.Markdown;

/// <summary>Tables as GitHub reads them.</summary>
internal static class MarkdownTable
{
    /// <summary>Writes one; the first columns are text, the others numbers.</summary>
    public static void Append(
        StringBuilder text, IReadOnlyList<string> titles, IEnumerable<IReadOnlyList<string>> rows, int textColumns)
    {
        AppendRow(text, titles, titles.Count);
        AppendRow(text, [.. titles.Select((_, index) => index < textColumns ? "---" : "---:")], titles.Count);
        foreach (IReadOnlyList<string> row in rows)
        {
            AppendRow(text, row, titles.Count);
        }

        text.Append('\n');
    }

    /// <summary>Writes one that is shown when its title is clicked.</summary>
    public static void AppendFolded(
        StringBuilder text,
        string title,
        IReadOnlyList<string> titles,
        IEnumerable<IReadOnlyList<string>> rows,
        int textColumns)
    {
        text.Append("<details><summary>").Append(title).Append("</summary>\n\n");
        Append(text, titles, rows, textColumns);
        text.Append("</details>\n\n");
    }

    /// <summary>Text that ends neither a cell nor a line.</summary>
    public static string Escape(string cell) => cell
        .Replace("|", "\\|", StringComparison.Ordinal)
        .Replace("<", "&lt;", StringComparison.Ordinal)
        .Replace("\r", "", StringComparison.Ordinal)
        .Replace('\n', ' ');

    private static void AppendRow(StringBuilder text, IReadOnlyList<string> cells, int columns)
    {
        text.Append("| ").AppendJoin(" | ", cells.Select(Escape)).Append(" |");
        for (int i = cells.Count; i < columns; i++)
        {
            text.Append(" |");
        }

        text.Append('\n');
    }
}
