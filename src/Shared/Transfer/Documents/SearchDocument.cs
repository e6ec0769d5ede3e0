namespace Millrace.Transfer;

/// <summary>A line of the answer to <c>GET /files/FOLDER/?search=WORDS</c> that is not an entry: the progress of the search.</summary>
internal sealed record SearchDocument
{
    /// <summary>The results since the last one; not in JSON, where each entry has a line.</summary>
    [System.Text.Json.Serialization.JsonIgnore]
    public IReadOnlyList<ListingEntry> Entries { get; set; } = [];

    /// <summary>Names that were looked at so far; null in the line of an entry.</summary>
    public long? Searched { get; set; }

    /// <summary>Whether this is the last line.</summary>
    public bool? Complete { get; set; }

    /// <summary>Whether the limit has left out entries.</summary>
    public bool? More { get; set; }

    /// <summary>Entries that are left out, with everything below them.</summary>
    public int? Omitted { get; set; }
}
