using System.Text.Json.Serialization;

namespace Millrace.Transfer;

/// <summary>Reads and writes what a client keeps on its own disk.</summary>
[JsonSerializable(typeof(UploadNote))]
[JsonSerializable(typeof(PartNote))]
internal sealed partial class ClientJson : JsonSerializerContext;
