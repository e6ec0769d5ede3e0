using System.Text.Json;

namespace Millrace.Cli.Serve;

/// <summary>What a server that is ready says as JSON.</summary>
internal sealed record ServeLine
{
    /// <summary>Where it listens, for example <c>http://127.0.0.1:8080</c>.</summary>
    public required string Address { get; init; }

    /// <summary>Where HTTP/2 is spoken; null when it is not.</summary>
    public string? Http2 { get; init; }

    /// <summary>Where gRPC is spoken; null when it is not, which is without HTTP/2.</summary>
    public string? Grpc { get; init; }

    /// <summary>Where gRPC-Web is spoken.</summary>
    public required string GrpcWeb { get; init; }

    /// <summary>The URL of its files.</summary>
    public required string Files { get; init; }

    /// <summary>The URL at which uploads are created.</summary>
    public required string Uploads { get; init; }

    /// <summary>The folder.</summary>
    public required string Folder { get; init; }

    /// <summary>Whether requests need a token.</summary>
    public bool NeedsToken { get; init; }

    /// <summary>The process.</summary>
    public int Pid { get; init; }

    /// <summary>What was left out; null when nothing was.</summary>
    public string? Note { get; init; }

    public string ToJson() => JsonSerializer.Serialize(this, ServeJson.Line.ServeLine);
}
