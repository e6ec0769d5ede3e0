using System.Text.Json.Serialization;

namespace Millrace.Transfer;

/// <summary>The line before the bytes of a file in the body of <c>POST /files/FOLDER/?batch</c>. docs/protocol.md describes it.</summary>
internal sealed record BatchFileDocument
{
    /// <summary>The media type of the body.</summary>
    public const string MediaType = "application/vnd.millrace.batch";

    /// <summary>The media type of the response: a <see cref="BatchResultDocument"/> in each line.</summary>
    public const string ResultsMediaType = "application/x-ndjson";

    /// <summary>The query that makes a request one.</summary>
    public const string Query = "batch";

    /// <summary>Bytes that a line may have without its end.</summary>
    public const int MaxLineBytes = 16 * 1024;

    /// <summary>The name, relative to the folder of the request.</summary>
    public string? Name { get; set; }

    /// <summary>Bytes of the file, which follow the line.</summary>
    public long? Length { get; set; }

    /// <summary>As the field <c>Millrace-Modified</c>; null for the time of the publication.</summary>
    public string? Modified { get; set; }

    /// <summary>Whether its owner may run it; null for the store's default.</summary>
    public bool? Executable { get; set; }

    /// <summary>The SHA-256 of the bytes in base64; null for any.</summary>
    public string? Sha256 { get; set; }

    /// <summary>As the field <c>If-Match</c>; null without one.</summary>
    public string? IfMatch { get; set; }

    /// <summary>As the field <c>If-None-Match</c>; null without one.</summary>
    public string? IfNoneMatch { get; set; }
}

/// <summary>A line of the response to <c>POST /files/FOLDER/?batch</c>: what became of a file. They have the order of the request.</summary>
internal sealed record BatchResultDocument
{
    /// <summary>The name, as the request wrote it.</summary>
    public string Name { get; set; } = "";

    /// <summary>The status that a PUT of the file would have had: 201 for a new file, 204 for one that replaced another.</summary>
    public int Status { get; set; }

    /// <summary>The entity tag with quotes; null if the file was refused.</summary>
    [JsonPropertyName("etag")]
    public string? Tag { get; set; }

    /// <summary>The SHA-256 in base64; null if it is not known, or the file was refused.</summary>
    public string? Sha256 { get; set; }

    /// <summary>The <see cref="TransferError"/>'s name; null for a file that was stored.</summary>
    public string? Error { get; set; }

    /// <summary>Why the file was refused; null for one that was stored.</summary>
    public string? Detail { get; set; }
}
