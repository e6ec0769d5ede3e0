using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Millrace.Lab.Results;

/// <summary>How results are written as JSON.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    WriteIndented = true,
    RespectNullableAnnotations = true,
    Converters = [typeof(NumbersOnOneLine<int>), typeof(NumbersOnOneLine<long>), typeof(NumbersOnOneLine<double>)])]
[JsonSerializable(typeof(LabResults))]
internal sealed partial class ResultsJson : JsonSerializerContext
{
    /// <summary>The same without escapes for letters and signs that people read; it is a file and no web page.</summary>
    public static ResultsJson Readable => field ??= new ResultsJson(
        new JsonSerializerOptions(Default.LabResults.Options) { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping });
}
