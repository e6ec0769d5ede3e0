using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;
using Millrace.Cli.Link;
using Millrace.Cli.Token;

namespace Millrace.Cli.Serve;

/// <summary>What serve, token and link tell as JSON, one object a line.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(ServeLine))]
[JsonSerializable(typeof(TokenLine))]
[JsonSerializable(typeof(LinkLine))]
internal sealed partial class ServeJson : JsonSerializerContext
{
    public static ServeJson Line => field ??= new ServeJson(
        new JsonSerializerOptions(Default.ServeLine.Options) { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping });
}
