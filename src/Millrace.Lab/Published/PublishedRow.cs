namespace Millrace.Lab.Published;

/// <summary>A published measurement.</summary>
internal sealed record PublishedRow
{
    /// <summary>The method's published name.</summary>
    public required string Method { get; init; }

    /// <summary>The laboratory's row that does the same; null where there is none, with a reason in the table.</summary>
    public required string? OurMethod { get; init; }

    /// <summary>Its parameters, by the laboratory's names.</summary>
    public required PublishedParameters Parameters { get; init; }

    /// <summary>The figures in the order of the table's columns; null where the original has none.</summary>
    public required IReadOnlyList<double?> Values { get; init; }
}
