using System.Text.Json.Serialization;

namespace Millrace.Cli.Scan;

/// <summary>What a scan found out of one file, or why it could not.</summary>
/// <param name="Path">As it was given.</param>
/// <param name="Value">The number that was asked for; null for a file that failed.</param>
/// <param name="Bytes">How many bytes were read.</param>
/// <param name="RestBytes">How many of them, at the end, are no whole line, record or number.</param>
/// <param name="Readers">How many readers shared the file at once.</param>
/// <param name="Milliseconds">How long it took from opening to closing.</param>
/// <param name="Error">Why it failed.</param>
internal sealed record ScannedFile(
    string Path,
    [property: JsonPropertyName("count")] Int128? Value,
    long Bytes,
    long RestBytes,
    int Readers,
    double Milliseconds,
    string? Error = null);
