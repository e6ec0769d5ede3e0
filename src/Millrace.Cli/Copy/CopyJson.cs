using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Millrace.Cli.Copy;

/// <summary>The summary as JSON, with names like those of results.json.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    WriteIndented = true)]
[JsonSerializable(typeof(CopySummary))]
internal sealed partial class CopyJson : JsonSerializerContext
{
    public static CopyJson Readable => field ??= new CopyJson(
        new JsonSerializerOptions(Default.CopySummary.Options) { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping });
}
