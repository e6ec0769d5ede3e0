using System.Text.Json.Serialization;

namespace Millrace.Transfer.Server;

/// <summary>A property that a client has set, and that means nothing to the server.</summary>
internal sealed record DeadProperty
{
    [JsonPropertyName("namespace")]
    public string Namespace { get; init; } = "";

    [JsonPropertyName("name")]
    public required string Name { get; init; }

    /// <summary>The whole element, with the namespaces that it uses.</summary>
    [JsonPropertyName("xml")]
    public required string Xml { get; init; }

    [JsonIgnore]
    public DavName DavName => new(Namespace, Name);
}

/// <summary>The properties of everything in a folder.</summary>
internal sealed record PropertyDocument
{
    /// <summary>By file name; the root's own under an empty one.</summary>
    [JsonPropertyName("names")]
    public Dictionary<string, DeadProperty[]> Names { get; init; } = new(StringComparer.Ordinal);
}
