using System.Buffers;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Millrace.Transfer;

/// <summary>
/// The line before the bytes of a file in the body of <c>POST /files/FOLDER/?batch</c>, and a line of the body of <c>?batch=get</c>, which
/// has <see cref="Name"/> and <see cref="IfMatch"/>. docs/protocol.md describes both.
/// </summary>
internal sealed record BatchFileDocument
{
    /// <summary>The media type of lines with bytes: the body of an upload, and the response with files.</summary>
    public const string MediaType = "application/vnd.millrace.batch";

    /// <summary>The media type of lines alone: the response to an upload, and the names of files to get.</summary>
    public const string ResultsMediaType = "application/x-ndjson";

    /// <summary>The query that makes a request one.</summary>
    public const string Query = "batch";

    /// <summary>The value of <see cref="Query"/> that asks for files.</summary>
    public const string Get = "get";

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

/// <summary>
/// A line of the response to <c>POST /files/FOLDER/?batch</c>: what became of a file. They have the order of the request. In the response to
/// <c>?batch=get</c>, <see cref="Length"/> bytes follow a line with 200, and the last line has only <see cref="Files"/>.
/// </summary>
internal sealed record BatchResultDocument
{
    /// <summary>The name, as the request wrote it.</summary>
    public string Name { get; set; } = "";

    /// <summary>
    /// The status that a PUT of the file would have had: 201 for a new file, 204 for one that replaced another. Or that of a GET: 200.
    /// </summary>
    public int Status { get; set; }

    /// <summary>Bytes that follow the line; null if none do.</summary>
    public int? Length { get; set; }

    /// <summary>The entity tag with quotes; null if the file was refused.</summary>
    [JsonPropertyName("etag")]
    public string? Tag { get; set; }

    /// <summary>As the field <c>Millrace-Modified</c>; null if no bytes follow.</summary>
    public string? Modified { get; set; }

    /// <summary>True if its owner may run it; null otherwise.</summary>
    public bool? Executable { get; set; }

    /// <summary>The SHA-256 in base64; null if it is not known, or the file was refused.</summary>
    public string? Sha256 { get; set; }

    /// <summary>The <see cref="TransferError"/>'s name; null for a file that was stored.</summary>
    public string? Error { get; set; }

    /// <summary>Why the file was refused; null for one that was stored.</summary>
    public string? Detail { get; set; }

    /// <summary>The number of files before the end of the response; null except in the last line.</summary>
    public int? Files { get; set; }
}

/// <summary>Writes lines of JSON.</summary>
internal static class BatchLine
{
    /// <param name="lines">Where the line goes.</param>
    /// <param name="json">A writer to it.</param>
    /// <param name="document">What the line says.</param>
    /// <param name="type">Its type.</param>
    /// <returns>Bytes of the line.</returns>
    public static int Write<T>(IBufferWriter<byte> lines, Utf8JsonWriter json, T document, JsonTypeInfo<T> type)
    {
        JsonSerializer.Serialize(json, document, type);
        json.Flush();
        int bytes = (int)json.BytesCommitted;
        json.Reset();
        lines.Write("\n"u8);
        return bytes + 1;
    }
}
