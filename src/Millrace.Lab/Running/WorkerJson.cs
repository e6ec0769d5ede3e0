using System.Text.Json.Serialization;
using Millrace.Lab.Meters;

namespace Millrace.Lab.Running;

/// <summary>How messages between the laboratory and its workers are written.</summary>
[JsonSourceGenerationOptions(DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(WorkerRequest))]
[JsonSerializable(typeof(WorkerMessage))]
[JsonSerializable(typeof(ServerReading))]
internal sealed partial class WorkerJson : JsonSerializerContext;
