using System.Text.Json;
using System.Text.Json.Serialization;

namespace Millrace.Lab.Results;

/// <summary>How results are written as JSON.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    WriteIndented = true,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(LabResults))]
internal sealed partial class ResultsJson : JsonSerializerContext;
