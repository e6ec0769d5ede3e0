using System.Text.Json.Serialization;

namespace Millrace.Transfer.Server;

/// <summary>Reads and writes the file of tokens without reflection.</summary>
[JsonSerializable(typeof(TokenDocument))]
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    WriteIndented = true)]
internal sealed partial class TokenJson : JsonSerializerContext;
