using System.Text.Json.Serialization;

namespace Millrace.Cli.Scan;

/// <summary>What a scan found out, as JSON; docs/scan.md has the fields.</summary>
/// <param name="What">What the counts are of.</param>
/// <param name="Count">All files' together.</param>
/// <param name="Bytes">How many bytes were read of all files.</param>
/// <param name="Milliseconds">How long all files took.</param>
/// <param name="Stopped">Whether Ctrl-C ended it before the last file.</param>
/// <param name="Files">The files, in the order in which they were given, up to the last that was scanned.</param>
internal sealed record ScanReport(
    ScanWhat What, Int128 Count, long Bytes, double Milliseconds, bool Stopped, IReadOnlyList<ScannedFile> Files)
{
    /// <summary>How many files could not be scanned.</summary>
    [JsonIgnore]
    public int Failed => Files.Count(file => file.Error is not null);
}
