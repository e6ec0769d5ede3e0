using System.Text.Json.Serialization;

namespace Millrace.Transfer;

/// <summary>One protocol of a <see cref="ServerDescription"/>.</summary>
/// <param name="Name">As for <c>--via</c>: <c>http1</c>, <c>http2</c>, <c>tus</c>, <c>grpc</c>, <c>grpc-web</c>, <c>grpc-web-text</c>. Unknown ones are passed over.</param>
/// <param name="Scheme"><c>http</c> or <c>https</c>.</param>
/// <param name="Port">The port it is spoken on, of the same host.</param>
public sealed record ProtocolDescription(
    [property: JsonPropertyName("name")] string Name,
    [property: JsonPropertyName("scheme")] string Scheme,
    [property: JsonPropertyName("port")] int Port);
