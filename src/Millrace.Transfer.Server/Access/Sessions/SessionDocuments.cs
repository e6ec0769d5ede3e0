using System.Text.Json.Serialization;

namespace Millrace.Transfer.Server;

/// <summary>A page's permissions, and the names they apply to.</summary>
internal sealed record SessionDocument
{
    /// <summary>Whether a token is needed.</summary>
    [JsonPropertyName("required")]
    public bool Required { get; init; }

    /// <summary>Whether a PIN can be sent instead of a token.</summary>
    [JsonPropertyName("pin")]
    public bool Pin { get; init; }

    [JsonPropertyName("signedIn")]
    public bool SignedIn { get; init; }

    /// <summary>The name of the token.</summary>
    [JsonPropertyName("name")]
    public string? Name { get; init; }

    [JsonPropertyName("scopes")]
    public IReadOnlyList<string> Scopes { get; init; } = [];

    /// <summary>The scopes that need no token; null for none.</summary>
    [JsonPropertyName("public")]
    public IReadOnlyList<string>? Public { get; init; }

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

    /// <summary>Whether files and folders can be copied on the server, as far as the scopes allow it.</summary>
    [JsonPropertyName("copies")]
    public bool Copies { get; init; }

    /// <summary>Where deleted files are listed and restored; null if the server keeps none.</summary>
    [JsonPropertyName("trash")]
    public string? Trash { get; init; }

    /// <summary>Whether names have to be portable.</summary>
    [JsonPropertyName("portableNames")]
    public bool PortableNames { get; init; }

    /// <summary>Bytes that can still be stored, for callers that may list or write; null if unknown.</summary>
    [JsonPropertyName("freeBytes")]
    public long? FreeBytes { get; init; }

    /// <summary>The name of the folder that is served, for those who may see names in it; empty for a bucket.</summary>
    [JsonPropertyName("title")]
    public string Title { get; init; } = "";

    /// <summary>The link to a folder by which the page was opened; null without one.</summary>
    [JsonPropertyName("link")]
    public OpenedLinkDocument? Link { get; init; }

    /// <summary>Whether links to folders can be made, as far as the scopes allow it.</summary>
    [JsonPropertyName("folderLinks")]
    public bool FolderLinks { get; init; }
}

/// <summary>A link to a folder, as shown to anyone who has it.</summary>
internal sealed record OpenedLinkDocument
{
    /// <summary><c>valid</c>, <c>locked</c> (its password is missing) or <c>invalid</c>.</summary>
    [JsonPropertyName("state")]
    public required string State { get; init; }

    /// <summary><c>read</c> or <c>drop</c>.</summary>
    [JsonPropertyName("kind")]
    public string? Kind { get; init; }

    [JsonPropertyName("expires")]
    public DateTimeOffset? Expires { get; init; }

    [JsonPropertyName("asksName")]
    public bool AsksName { get; init; }

    /// <summary>Whether uses or bytes are limited: the page then loads only files that the user asks for.</summary>
    [JsonPropertyName("limited")]
    public bool Limited { get; init; }

    /// <summary>The secret of a caller that has given the password; null otherwise.</summary>
    [JsonPropertyName("secret")]
    public string? Secret { get; init; }
}

/// <summary>A request to open a link with a password.</summary>
internal sealed record OpenLinkDocument
{
    [JsonPropertyName("secret")]
    public string? Secret { get; set; }

    [JsonPropertyName("password")]
    public string? Password { get; set; }
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

    /// <summary><c>read</c> or <c>drop</c> for a link to a folder; null for a signed link to a file.</summary>
    [JsonPropertyName("kind")]
    public string? Kind { get; set; }

    [JsonPropertyName("password")]
    public string? Password { get; set; }

    [JsonPropertyName("maxUses")]
    public long? MaxUses { get; set; }

    [JsonPropertyName("maxBytes")]
    public long? MaxBytes { get; set; }

    [JsonPropertyName("asksName")]
    public bool AsksName { get; set; }
}

/// <summary>The links to folders that a token may see.</summary>
internal sealed record FolderLinksDocument
{
    [JsonPropertyName("links")]
    public required IReadOnlyList<FolderLinkDocument> Links { get; init; }
}

/// <summary>A signed link.</summary>
internal sealed record LinkDocument
{
    [JsonPropertyName("url")]
    public required string Url { get; init; }

    [JsonPropertyName("expires")]
    public DateTimeOffset Expires { get; init; }

    /// <summary>Names a link to a folder, to revoke it; null for a signed link.</summary>
    [JsonPropertyName("id")]
    public string? Id { get; init; }
}
