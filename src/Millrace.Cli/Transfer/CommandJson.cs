using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;
using Millrace.Cli.List;
using Millrace.Cli.Remove;

namespace Millrace.Cli.Transfer;

/// <summary>What put, get, ls and rm tell as JSON, one object a line.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(TransferLine))]
[JsonSerializable(typeof(FailureLine))]
[JsonSerializable(typeof(ListLine))]
[JsonSerializable(typeof(RemoveLine))]
internal sealed partial class CommandJson : JsonSerializerContext
{
    public static CommandJson Line => field ??= new CommandJson(
        new JsonSerializerOptions(Default.TransferLine.Options) { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping });
}
