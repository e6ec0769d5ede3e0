using System.Text.Json.Serialization;

namespace Millrace.Transfer.Server;

/// <summary>The file of a <see cref="TokenStore"/>.</summary>
/// <remarks>Not init-only: generated readers set init-only properties that are missing in the file to null.</remarks>
internal sealed record TokenDocument
{
    public const int CurrentVersion = 1;

    [JsonPropertyName("version")]
    [JsonRequired]
    public int Version { get; set; } = CurrentVersion;

    [JsonPropertyName("tokens")]
    [JsonRequired]
    public IReadOnlyList<TokenEntry> Tokens { get; set; } = [];

    /// <summary>The key of signed links in base64; null until the first link.</summary>
    [JsonPropertyName("linkKey")]
    public string? LinkKey { get; set; }

    /// <summary>Counts the keys; a link names the one with which it was signed.</summary>
    [JsonPropertyName("linkKeyVersion")]
    public int LinkKeyVersion { get; set; }
}

/// <summary>One token of a <see cref="TokenDocument"/>.</summary>
internal sealed record TokenEntry
{
    [JsonPropertyName("name")]
    public string Name { get; set; } = "";

    /// <summary>SHA-256 of the secret in hexadecimal.</summary>
    [JsonPropertyName("sha256")]
    public string Sha256 { get; set; } = "";

    /// <summary>As <see cref="TransferScopes.ToText"/> writes them.</summary>
    [JsonPropertyName("scopes")]
    public string Scopes { get; set; } = "";

    [JsonPropertyName("prefix")]
    public string? Prefix { get; set; }

    [JsonPropertyName("created")]
    public DateTimeOffset Created { get; set; }

    [JsonPropertyName("expires")]
    public DateTimeOffset? Expires { get; set; }

    /// <summary>Bytes per second; null for those of the server.</summary>
    [JsonPropertyName("maxRate")]
    public long? MaxRate { get; set; }
}
