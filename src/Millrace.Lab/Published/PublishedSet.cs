namespace Millrace.Lab.Published;

/// <summary>What another project published, typed from its tables.</summary>
internal sealed record PublishedSet
{
    /// <summary>A short name, for example "file-pipelines".</summary>
    public required string Id { get; init; }

    /// <summary>The laboratory's suite whose rows correspond.</summary>
    public required string Suite { get; init; }

    /// <summary>What it is.</summary>
    public required string Title { get; init; }

    /// <summary>The address of the original.</summary>
    public required string Source { get; init; }

    /// <summary>When it was published, where the original says: ISO 8601.</summary>
    public string? Date { get; init; }

    /// <summary>What a reader of the figures has to know, and what is known to be wrong in them.</summary>
    public required IReadOnlyList<string> Notes { get; init; }

    /// <summary>The tables.</summary>
    public required IReadOnlyList<PublishedTable> Tables { get; init; }
}
