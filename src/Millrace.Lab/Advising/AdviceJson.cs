using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Millrace.Lab.Advising;

/// <summary>How advice is written as JSON.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    UseStringEnumConverter = true,
    WriteIndented = true)]
[JsonSerializable(typeof(AdviceDocument))]
internal sealed partial class AdviceJson : JsonSerializerContext
{
    /// <summary>The same without escapes for letters and signs that people read; it is no web page.</summary>
    public static AdviceJson Readable => field ??= new AdviceJson(
        new JsonSerializerOptions(Default.AdviceDocument.Options) { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping });
}
