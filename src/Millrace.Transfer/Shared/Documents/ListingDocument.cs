using System.Text.Json.Serialization;

namespace Millrace.Transfer;

/// <summary>A page of a folder's listing, as <c>GET /files/FOLDER/</c> answers it in JSON.</summary>
internal sealed record ListingDocument
{
    /// <summary>The folder; empty for the root.</summary>
    [JsonPropertyName("folder")]
    public string Folder { get; set; } = "";

    /// <summary>Its files and folders, in the order of their names.</summary>
    [JsonPropertyName("entries")]
    public IReadOnlyList<ListingEntry> Entries { get; set; } = [];

    /// <summary>What to give as <c>after</c> for the next page; null at the end.</summary>
    [JsonPropertyName("next")]
    public string? Next { get; set; }
}
