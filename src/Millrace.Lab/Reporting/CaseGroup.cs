using System.Globalization;

namespace Millrace.Lab.Reporting;

/// <summary>The cases of one table: one content and source, one state of the cache, one set of options, any method and any value of the axis.</summary>
internal sealed record CaseGroup(string Title, bool IsCold, IReadOnlyList<CaseResult> Cases)
{
    /// <summary>Makes the tables of a run; the second copies of the baseline are left to the noise.</summary>
    public static IEnumerable<CaseGroup> Of(LabResults results) => results.Cases
        .Where(item => item.Role is null)
        .GroupBy(item => CaseAxis.Without(item.Parameters))
        .OrderBy(group => group.Key.Cache == "cold")
        .ThenByDescending(group => group.Key.Content, StringComparer.Ordinal)
        .ThenBy(group => group.Key.Source, StringComparer.Ordinal)
        .ThenBy(group => group.Key.Readers)
        .ThenByDescending(group => group.Key.Bytes)
        .ThenBy(group => group.Key.Options, StringComparer.Ordinal)
        .ThenBy(group => group.Key.Direction, StringComparer.Ordinal)
        .ThenByDescending(group => group.Key.Processes)
        .ThenBy(group => group.Key.RoundTripMs)
        .ThenByDescending(group => group.Key.Compression, StringComparer.Ordinal)
        .ThenBy(group => group.Key.Digest, StringComparer.Ordinal)
        .ThenByDescending(group => group.Key.Durability, StringComparer.Ordinal)
        .Select(group => new CaseGroup(
            TitleOf(group.Key),
            group.Key.Cache == "cold",
            [.. group.OrderBy(CaseAxis.Number)]));

    private static string TitleOf(CaseParameters parameters)
    {
        string?[] parts =
        [
            parameters.File is null ? null : Path.GetFileName(parameters.File),
            parameters.Source is null ? null : $"from {parameters.Source}",
            string.Join(' ', new[] { ByteSize.ToText(parameters.Bytes ?? 0), parameters.Content }.Where(part => part is not null)),
            parameters.Cache is null ? null : parameters.Cache + (parameters.CacheFill is { } fill ? $" ({fill})" : ""),
            parameters.Options,
            parameters.Direction,
            parameters.Compression is null or "none" ? null : $"compression {parameters.Compression}",
            parameters.Digest is null ? null : $"digest {parameters.Digest}",
            parameters.Processes is { } processes ? (processes == 1 ? "in one process" : "between two processes") : null,
            parameters is { LinkBitsPerSecond: { } rate, RoundTripMs: { } roundTrip }
                ? string.Create(CultureInfo.InvariantCulture, $"over a link of {rate / 1e6:0.###} Mbit/s and {roundTrip} ms")
                : null,
            parameters.Records is { } records ? $"{records} records" : null,
            parameters.Durability is { } durability ? $"durability {durability}" : null,
            parameters.Readers is > 1 and { } readers ? $"{readers} readers at once" : null,
        ];
        return string.Join(", ", parts.Where(part => part is not null));
    }
}
