namespace Millrace.Cli.Scan;

/// <summary>What the user asked `millrace scan` for.</summary>
internal sealed record ScanArguments
{
    /// <summary>The files, in the order in which they are scanned.</summary>
    public required IReadOnlyList<string> Paths { get; init; }

    /// <summary>What to find out.</summary>
    public required ScanWhat What { get; init; }

    /// <summary>What ends a record; null for records of one size.</summary>
    public byte? Delimiter { get; init; }

    /// <summary>Length of every record, in bytes; 0 where a delimiter ends them.</summary>
    public int RecordSize { get; init; }

    /// <summary>The text of <see cref="ScanWhat.Find"/> in UTF-8.</summary>
    public byte[] Text { get; init; } = [];

    /// <summary>Readers a file; 0 for one a processor.</summary>
    public int Degree { get; init; }

    /// <summary>Whether to write JSON.</summary>
    public bool Json { get; init; }

    /// <summary>Whether to leave out what is no result.</summary>
    public bool Quiet { get; init; }

    /// <summary>Where a file may be divided.</summary>
    public RecordBoundary Boundary =>
        What == ScanWhat.Bytes ? default
        : RecordSize > 0 ? RecordBoundary.Every(RecordSize)
        : RecordBoundary.After(Delimiter!.Value);
}
