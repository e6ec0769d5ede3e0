namespace Millrace.Transfer;

/// <summary>What a <see cref="PartRecord"/> holds.</summary>
/// <param name="Source">Where the file comes from.</param>
/// <param name="Tag">Its version, without quotes.</param>
/// <param name="Length">Its bytes.</param>
/// <param name="Missing">
/// The parts that are not there yet, as pairs of first byte and first byte behind, when several came at once; null when
/// everything in front of the unfinished file's end is there.
/// </param>
internal sealed record PartNote(string Source, string Tag, long Length, long[]? Missing);
