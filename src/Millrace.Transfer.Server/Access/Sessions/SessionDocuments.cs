using System.Text.Json.Serialization;

namespace Millrace.Transfer.Server;

/// <summary>A page's permissions, and the names they apply to.</summary>
internal sealed record SessionDocument
{
    /// <summary>Whether a token is needed.</summary>
    [JsonPropertyName("required")]
    public bool Required { get; init; }

    [JsonPropertyName("signedIn")]
    public bool SignedIn { get; init; }

    /// <summary>The name of the token.</summary>
    [JsonPropertyName("name")]
    public string? Name { get; init; }

    [JsonPropertyName("scopes")]
    public IReadOnlyList<string> Scopes { get; init; } = [];

    /// <summary>The only folder or file; empty for everything.</summary>
    [JsonPropertyName("prefix")]
    public string? Prefix { get; init; }

    /// <summary>When the session ends at the latest.</summary>
    [JsonPropertyName("expires")]
    public DateTimeOffset? Expires { get; init; }

    [JsonPropertyName("maxFileBytes")]
    public long? MaxFileBytes { get; init; }

    /// <summary>Bytes that one request of an upload may bring.</summary>
    [JsonPropertyName("maxRequestBytes")]
    public long? MaxRequestBytes { get; init; }

    /// <summary>Where uploads are started.</summary>
    [JsonPropertyName("uploads")]
    public string? Uploads { get; init; }

    [JsonPropertyName("canLink")]
    public bool CanLink { get; init; }

    [JsonPropertyName("archives")]
    public bool Archives { get; init; }

    /// <summary>Whether folders can be moved and renamed, as far as the scopes allow it.</summary>
    [JsonPropertyName("folderMoves")]
    public bool FolderMoves { get; init; }

    /// <summary>Whether names have to be portable.</summary>
    [JsonPropertyName("portableNames")]
    public bool PortableNames { get; init; }

    /// <summary>The name of the folder that is served, for those who may see names in it; empty for a bucket.</summary>
    [JsonPropertyName("title")]
    public string Title { get; init; } = "";
}

/// <summary>A request for a session.</summary>
internal sealed record SignInDocument
{
    [JsonPropertyName("token")]
    public string? Token { get; set; }
}

/// <summary>A request for a signed link.</summary>
internal sealed record LinkRequestDocument
{
    [JsonPropertyName("name")]
    public string? Name { get; set; }

    [JsonPropertyName("method")]
    public string Method { get; set; } = HttpMethods.Get;

    [JsonPropertyName("seconds")]
    public long Seconds { get; set; }
}

/// <summary>A signed link.</summary>
internal sealed record LinkDocument
{
    [JsonPropertyName("url")]
    public required string Url { get; init; }

    [JsonPropertyName("expires")]
    public DateTimeOffset Expires { get; init; }
}
