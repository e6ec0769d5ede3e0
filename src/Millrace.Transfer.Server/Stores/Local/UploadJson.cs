using System.Text.Json.Serialization;

namespace Millrace.Transfer.Server;

/// <summary>Reads and writes the state files of uploads without reflection.</summary>
[JsonSerializable(typeof(UploadRecord))]
[JsonSourceGenerationOptions(DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
internal sealed partial class UploadJson : JsonSerializerContext;
