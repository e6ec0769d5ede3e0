using Spectre.Console;

namespace Millrace.Lab.Reporting;

/// <summary>A table for the terminal and for Markdown: the first columns are text, the others numbers.</summary>
/// <param name="Rows">A row with fewer cells than columns ends with a text, as a case that failed does.</param>
internal sealed record TextTable(IReadOnlyList<string> Titles, int TextColumns, IEnumerable<IReadOnlyList<Cell>> Rows)
{
    /// <summary>Titles of text columns that may break their lines in a terminal.</summary>
    public IReadOnlyList<string> Wrapping { get; init; } = [];

    /// <summary>Whether an empty row in a terminal parts a row from the one before.</summary>
    public Func<int, bool> BeginsBlock { get; init; } = _ => false;

    public void Write(IAnsiConsole console)
    {
        Table table = new Table().Border(TableBorder.Simple);
        for (int i = 0; i < Titles.Count; i++)
        {
            var column = new TableColumn(Markup.Escape(Titles[i]));
            column = Wrapping.Contains(Titles[i]) ? column : column.NoWrap();
            table.AddColumn(i < TextColumns ? column : column.RightAligned());
        }

        int index = 0;
        foreach (IReadOnlyList<Cell> row in Rows)
        {
            if (BeginsBlock(index++))
            {
                table.AddEmptyRow();
            }

            table.AddRow(row.Select(cell => new Markup(Colour(cell))));
        }

        console.Write(table);
    }

    private static string Colour(Cell cell) => cell.Tone switch
    {
        Tone.Good => $"[green]{Markup.Escape(cell.Text)}[/]",
        Tone.Bad => $"[red]{Markup.Escape(cell.Text)}[/]",
        _ => Markup.Escape(cell.Text),
    };

    public void AppendTo(StringBuilder text)
    {
        AppendRow(text, Titles);
        AppendRow(text, [.. Titles.Select((_, index) => index < TextColumns ? "---" : "---:")]);
        foreach (IReadOnlyList<Cell> row in Rows)
        {
            AppendRow(text, [.. row.Select(cell => cell.Text)]);
        }

        text.Append('\n');
    }

    /// <summary>Writes a table that is shown when its title is clicked.</summary>
    public void AppendFoldedTo(StringBuilder text, string title)
    {
        text.Append("<details><summary>").Append(title).Append("</summary>\n\n");
        AppendTo(text);
        text.Append("</details>\n\n");
    }

    private void AppendRow(StringBuilder text, IReadOnlyList<string> cells)
    {
        text.Append("| ").AppendJoin(" | ", cells.Select(Escape)).Append(" |");
        text.Insert(text.Length, " |", Titles.Count - cells.Count).Append('\n');
    }

    /// <summary>Markdown that ends neither a cell nor a line.</summary>
    public static string Escape(string cell) => cell
        .Replace("|", "\\|", StringComparison.Ordinal)
        .Replace("<", "&lt;", StringComparison.Ordinal)
        .Replace("\r", "", StringComparison.Ordinal)
        .Replace('\n', ' ');
}

internal enum Tone
{
    None,
    Good,
    Bad,
}

internal readonly record struct Cell(string Text, Tone Tone = Tone.None)
{
    public static implicit operator Cell(string? text) => new(text ?? "-");
}
