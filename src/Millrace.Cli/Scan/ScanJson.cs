using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Millrace.Cli.Scan;

/// <summary>A scan as JSON.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    UseStringEnumConverter = true,
    WriteIndented = true)]
[JsonSerializable(typeof(ScanReport))]
internal sealed partial class ScanJson : JsonSerializerContext
{
    private static ScanJson Readable => field ??= new ScanJson(
        new JsonSerializerOptions(Default.ScanReport.Options) { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping });

    /// <summary>Writes it.</summary>
    public static string Write(ScanReport report) => JsonSerializer.Serialize(report, Readable.ScanReport);
}
