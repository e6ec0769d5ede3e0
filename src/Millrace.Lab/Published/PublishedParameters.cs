namespace Millrace.Lab.Published;

/// <summary>The parameters of a published measurement; those that a table does not have are null.</summary>
internal sealed record PublishedParameters
{
    /// <summary>Bytes asked for at a time.</summary>
    public int? Buffer { get; init; }

    /// <summary>Length of the file.</summary>
    public long? Bytes { get; init; }

    /// <summary>How a FileStream was opened, as in the laboratory's results.</summary>
    public string? Options { get; init; }

    /// <summary>"download" or "upload".</summary>
    public string? Direction { get; init; }

    /// <summary>"none" or "gzip".</summary>
    public string? Compression { get; init; }

    /// <summary>The mode of gRPC-Web: "GrpcWeb" or "GrpcWebText". The laboratory has it in the names of its rows.</summary>
    public string? Transport { get; init; }

    /// <summary>1 when client and server were in one process.</summary>
    public int? Processes { get; init; }

    /// <summary>Where the bytes came from: "file" or "http".</summary>
    public string? Source { get; init; }

    /// <summary>How many read at once.</summary>
    public int? Readers { get; init; }

    /// <summary>Of which metric a row of percentiles is, with its unit.</summary>
    public string? Metric { get; init; }
}
