using System.Text.Json.Serialization;

namespace Millrace.Transfer.Server;

/// <summary>A link to a folder in a list.</summary>
internal sealed record FolderLinkDocument
{
    [JsonPropertyName("id")]
    public required string Id { get; init; }

    [JsonPropertyName("folder")]
    public required string Folder { get; init; }

    [JsonPropertyName("kind")]
    public required string Kind { get; init; }

    [JsonPropertyName("owner")]
    public string? Owner { get; init; }

    [JsonPropertyName("created")]
    public DateTimeOffset Created { get; init; }

    [JsonPropertyName("expires")]
    public DateTimeOffset Expires { get; init; }

    [JsonPropertyName("password")]
    public bool Password { get; init; }

    [JsonPropertyName("maxUses")]
    public long? MaxUses { get; init; }

    [JsonPropertyName("maxBytes")]
    public long? MaxBytes { get; init; }

    [JsonPropertyName("asksName")]
    public bool AsksName { get; init; }

    [JsonPropertyName("uses")]
    public long Uses { get; init; }

    [JsonPropertyName("bytes")]
    public long Bytes { get; init; }

    public static string KindOf(FolderLink link) => link.IsDrop ? "drop" : "read";

    public static FolderLinkDocument Of(FolderLink link) => new()
    {
        Id = link.Id,
        Folder = link.Folder.Value,
        Kind = KindOf(link),
        Owner = link.Owner,
        Created = link.Created,
        Expires = link.Expires,
        Password = link.HasPassword,
        MaxUses = link.MaxUses,
        MaxBytes = link.MaxBytes,
        AsksName = link.AsksName,
        Uses = link.Uses,
        Bytes = link.Bytes,
    };
}
