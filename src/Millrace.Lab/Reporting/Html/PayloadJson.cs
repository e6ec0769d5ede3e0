using System.Text.Json.Serialization;

namespace Millrace.Lab.Reporting.Html;

/// <summary>How advice and published figures are written into the page.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(IReadOnlyList<ReportAdvice>))]
[JsonSerializable(typeof(IReadOnlyList<ReportPublished>))]
internal sealed partial class PayloadJson : JsonSerializerContext;
