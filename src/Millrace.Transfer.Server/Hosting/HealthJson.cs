using System.Text.Json.Serialization;

namespace Millrace.Transfer.Server;

/// <summary>Writes the answer of <c>/health</c> without reflection.</summary>
[JsonSerializable(typeof(HealthDocument))]
[JsonSourceGenerationOptions(DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
internal sealed partial class HealthJson : JsonSerializerContext;
