using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Millrace.Lab.Comparing;

/// <summary>Comparisons and histories as JSON, with names like those of results.json.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    UseStringEnumConverter = true,
    WriteIndented = true)]
[JsonSerializable(typeof(ComparisonReport))]
[JsonSerializable(typeof(HistoryReport))]
internal sealed partial class ComparingJson : JsonSerializerContext
{
    private static ComparingJson Readable => field ??= new ComparingJson(
        new JsonSerializerOptions(Default.ComparisonReport.Options) { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping });

    /// <summary>Writes comparisons.</summary>
    public static string Write(ComparisonReport report) => JsonSerializer.Serialize(report, Readable.ComparisonReport);

    /// <summary>Writes a history.</summary>
    public static string Write(HistoryReport report) => JsonSerializer.Serialize(report, Readable.HistoryReport);
}
