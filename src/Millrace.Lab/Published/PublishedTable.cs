namespace Millrace.Lab.Published;

/// <summary>One table of figures, measured on one machine.</summary>
internal sealed record PublishedTable
{
    /// <summary>What it shows.</summary>
    public required string Name { get; init; }

    /// <summary>The machine.</summary>
    public required string Machine { get; init; }

    /// <summary>The runtime.</summary>
    public required string Runtime { get; init; }

    /// <summary>What measured.</summary>
    public required string Engine { get; init; }

    /// <summary>The method that the column "ratio" is against; null where there is no such column.</summary>
    public string? Baseline { get; init; }

    /// <summary>The columns; every row has a value, or null, for each.</summary>
    public required IReadOnlyList<PublishedColumn> Columns { get; init; }

    /// <summary>The methods that no row of the laboratory corresponds to.</summary>
    public required IReadOnlyList<UnmatchedMethod> Unmatched { get; init; }

    /// <summary>The rows.</summary>
    public required IReadOnlyList<PublishedRow> Rows { get; init; }

    /// <summary>A row's figure.</summary>
    /// <returns>Null where the original has none, because the case failed or the table lacks the column.</returns>
    public double? Figure(PublishedRow row, string column)
    {
        ArgumentNullException.ThrowIfNull(row);
        for (int i = 0; i < Columns.Count; i++)
        {
            if (Columns[i].Name == column)
            {
                return row.Values[i];
            }
        }

        return null;
    }

    /// <summary>The baseline's row with the parameters of another; null where there is none.</summary>
    public PublishedRow? BaselineOf(PublishedRow row)
    {
        ArgumentNullException.ThrowIfNull(row);
        return Rows.FirstOrDefault(other => other.Method == Baseline && other.Parameters == row.Parameters);
    }
}
