using System.Text.Json.Serialization;

namespace Millrace.Transfer.Server;

/// <summary>What <c>GET /health</c> says.</summary>
internal sealed record HealthDocument
{
    public const string Ok = "ok";
    public const string Failing = "failing";

    /// <summary><c>ok</c> or <c>failing</c>.</summary>
    [JsonPropertyName("status")]
    public string Status { get; init; } = Ok;

    /// <summary>Why it fails; null otherwise, and for who has no token.</summary>
    [JsonPropertyName("reason")]
    public string? Reason { get; init; }

    /// <summary>Bytes that are free on the store's device; null for who has no token, or where nobody knows.</summary>
    [JsonPropertyName("freeBytes")]
    public long? FreeBytes { get; init; }

    /// <summary>Transfers that run now; null for who has no token.</summary>
    [JsonPropertyName("transfers")]
    public int? Transfers { get; init; }
}
