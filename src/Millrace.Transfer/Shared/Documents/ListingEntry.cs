using System.Text.Json.Serialization;

namespace Millrace.Transfer;

/// <summary>A file or a folder of a <see cref="ListingDocument"/>.</summary>
internal sealed record ListingEntry
{
    /// <summary>Its whole name, from the store's root.</summary>
    [JsonPropertyName("name")]
    public string Name { get; set; } = "";

    /// <summary><c>file</c> or <c>folder</c>.</summary>
    [JsonPropertyName("kind")]
    public string Kind { get; set; } = "file";

    /// <summary>Its bytes; null for a folder.</summary>
    [JsonPropertyName("length")]
    public long? Length { get; set; }

    /// <summary>When it was last changed.</summary>
    [JsonPropertyName("modified")]
    public DateTimeOffset? Modified { get; set; }

    /// <summary>Its entity tag with quotes; null for a folder.</summary>
    [JsonPropertyName("etag")]
    public string? Tag { get; set; }

    /// <summary>Its SHA-256 in hexadecimal, when the server knows it; null otherwise.</summary>
    [JsonPropertyName("sha256")]
    public string? Sha256 { get; set; }
}
