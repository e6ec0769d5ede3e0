using System.Text.Json.Serialization;

namespace Millrace.Transfer;

/// <summary>Reads and writes the documents of the protocol without reflection.</summary>
[JsonSerializable(typeof(ServerDescription))]
[JsonSerializable(typeof(BatchFileDocument))]
[JsonSerializable(typeof(BatchResultDocument))]
[JsonSerializable(typeof(ErrorDocument))]
[JsonSerializable(typeof(ListingDocument))]
[JsonSerializable(typeof(SearchDocument))]
[JsonSerializable(typeof(TrashDocument))]
[JsonSerializable(typeof(TrashEmptiedDocument))]
[JsonSerializable(typeof(TrashRestoredDocument))]
[JsonSerializable(typeof(TrashRestoreDocument))]
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    RespectNullableAnnotations = true)]
internal sealed partial class TransferJson : JsonSerializerContext;
