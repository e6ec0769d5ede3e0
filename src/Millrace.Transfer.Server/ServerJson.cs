using System.Text.Json.Serialization;

namespace Millrace.Transfer.Server;

/// <summary>What the server keeps in files and reports about itself, without reflection.</summary>
[JsonSerializable(typeof(HealthDocument))]
[JsonSerializable(typeof(TokenDocument))]
[JsonSerializable(typeof(UploadRecord))]
[JsonSourceGenerationOptions(DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
internal sealed partial class ServerJson : JsonSerializerContext;
