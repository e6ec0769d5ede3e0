using System.Text.Json.Serialization;

namespace Millrace.Transfer;

/// <summary>
/// The body of a refused request's response: a problem document (RFC 9457, <c>application/problem+json</c>) with the
/// <see cref="TransferError"/> as <c>error</c>.
/// </summary>
internal sealed record ErrorDocument
{
    /// <summary>The media type of it.</summary>
    public const string MediaType = "application/problem+json";

    /// <summary>A URI for the kind of problem; <c>about:blank</c> when the status is enough.</summary>
    public string Type { get; set; } = "about:blank";

    /// <summary>The kind of problem in a few words.</summary>
    public string Title { get; set; } = "";

    /// <summary>The HTTP status.</summary>
    public int Status { get; set; }

    /// <summary>Explains the attempt, the failure and the remedy.</summary>
    public string Detail { get; set; } = "";

    /// <summary>The <see cref="TransferError"/>'s name.</summary>
    public string Error { get; set; } = nameof(TransferError.Failed);

    /// <summary>The name that it is about; null without one.</summary>
    public string? Name { get; set; }

    /// <summary>How many entries no listing shows, where that is why a folder was not deleted; null otherwise.</summary>
    public int? Omitted { get; set; }

    /// <summary>How many of them the server would take along if it is asked to; null where that is not the reason.</summary>
    public int? Hidden { get; set; }

    /// <summary>Bytes of the upload that the server has, where the request would continue it elsewhere; null otherwise.</summary>
    [JsonPropertyName("expected-offset")]
    public long? ExpectedOffset { get; set; }

    /// <summary>Where such a request would continue it; null otherwise.</summary>
    [JsonPropertyName("provided-offset")]
    public long? ProvidedOffset { get; set; }
}
