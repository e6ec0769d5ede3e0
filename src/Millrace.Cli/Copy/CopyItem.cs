namespace Millrace.Cli.Copy;

/// <summary>One thing to do.</summary>
/// <param name="Source">What is copied.</param>
/// <param name="Destination">The name of its copy.</param>
/// <param name="Kind">What it is.</param>
/// <param name="Bytes">Length of a file, as far as it has one.</param>
internal sealed record CopyItem(string Source, string Destination, CopyItemKind Kind, long Bytes);
