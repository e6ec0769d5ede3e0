using System.Globalization;
using System.Text.Json.Serialization.Metadata;

namespace Millrace.Lab.Advising;

/// <summary>
/// Reads parameters by their names in results.json, so that what a later suite adds ("readers", "direction") is seen as
/// soon as results have it.
/// </summary>
internal static class ParameterReader
{
    private static readonly Dictionary<string, JsonPropertyInfo> Properties =
        ResultsJson.Default.GetTypeInfo(typeof(CaseParameters))!.Properties.ToDictionary(property => property.Name);

    /// <summary>A parameter's value as text; null where the results do not have it.</summary>
    public static string? Text(CaseParameters parameters, string name) =>
        Properties.TryGetValue(name, out JsonPropertyInfo? property) && property.Get?.Invoke(parameters) is { } value
            ? Convert.ToString(value, CultureInfo.InvariantCulture)
            : null;

    /// <summary>A parameter's value as a number; null where the results do not have it.</summary>
    public static long? Number(CaseParameters parameters, string name) =>
        long.TryParse(Text(parameters, name), NumberStyles.Integer, CultureInfo.InvariantCulture, out long value) ? value : null;
}
