using System.Text.Json.Serialization;

namespace Millrace.Transfer;

/// <summary>The response of <c>GET /.well-known/millrace</c>: the protocols of a server, and their addresses.</summary>
internal sealed record ServerDescription
{
    /// <summary>Where it is asked for, on the server's own address.</summary>
    public const string Path = "/.well-known/millrace";

    /// <summary>The version of this description; 1.</summary>
    public int Version { get; set; } = 1;

    /// <summary>The program and its version, for people.</summary>
    public string Server { get; set; } = "";

    /// <summary>Path below which the server is, for example <c>/share</c>: calls of gRPC begin with it. Null for none.</summary>
    public string? Root { get; set; }

    /// <summary>Path of the files, for example <c>/files</c>.</summary>
    public string Files { get; set; } = "/files";

    /// <summary>Path at which uploads are created, for example <c>/uploads</c>; null when there are none.</summary>
    public string? Uploads { get; set; }

    /// <summary>Path of the trash, for example <c>/trash</c>; null when deleted files are not kept.</summary>
    public string? Trash { get; set; }

    /// <summary>The protocols that are offered.</summary>
    [JsonPropertyName("wires")]
    public IReadOnlyList<ProtocolDescription> Protocols { get; set; } = [];

    /// <summary>Bytes that one file may have; null without a limit.</summary>
    public long? MaxFileBytes { get; set; }

    /// <summary>Bytes that one request of an upload may bring; null without a limit.</summary>
    public long? MaxRequestBytes { get; set; }

    /// <summary>Whether files have lists of blocks, and uploads may be deltas.</summary>
    public bool Deltas { get; set; }

    /// <summary>Whether files have lists of extents, and deltas may have runs of zeros.</summary>
    public bool Holes { get; set; }

    /// <summary>Files that one request may bring as a batch; null where there are no batches.</summary>
    public int? MaxBatchFiles { get; set; }

    /// <summary>Bytes that each file of a batch may have; null where there are no batches.</summary>
    public long? MaxBatchFileBytes { get; set; }

    /// <summary>Whether batches of files can be read, too.</summary>
    public bool BatchGet { get; set; }

    /// <summary>Whether requests need a token.</summary>
    public bool NeedsToken { get; set; }
}

/// <summary>One protocol of a <see cref="ServerDescription"/>.</summary>
/// <param name="Name"><c>http1</c>, <c>http2</c>, <c>tus</c>, <c>grpc</c>, <c>grpc-web</c>, <c>grpc-web-text</c>. Unknown ones are passed over.</param>
/// <param name="Scheme"><c>http</c> or <c>https</c>.</param>
/// <param name="Port">The port it is spoken on, of the same host.</param>
internal sealed record ProtocolDescription(string Name, string Scheme, int Port);
