using System.Text.Json.Serialization;

namespace Millrace.Transfer;

/// <summary>Reads and writes the documents of the protocol without reflection.</summary>
[JsonSerializable(typeof(ServerDescription))]
[JsonSerializable(typeof(ErrorDocument))]
[JsonSerializable(typeof(ListingDocument))]
[JsonSerializable(typeof(SearchDocument))]
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    RespectNullableAnnotations = true)]
internal sealed partial class TransferJson : JsonSerializerContext;
