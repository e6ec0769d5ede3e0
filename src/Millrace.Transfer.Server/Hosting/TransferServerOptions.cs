namespace Millrace.Transfer.Server;

/// <summary>What the endpoints offer and how much they accept.</summary>
public sealed record TransferServerOptions
{
    /// <summary>Path of the files.</summary>
    public string FilesPath { get; init; } = "/files";

    /// <summary>Path at which uploads are created and continued.</summary>
    public string UploadsPath { get; init; } = "/uploads";

    /// <summary>
    /// Whether <c>NAME.gz</c> or <c>NAME.br</c> is sent for <c>NAME</c> to whoever accepts that coding, when it is not older.
    /// False by default: only who keeps files so knows that both are the same.
    /// </summary>
    public bool ServePrecompressed { get; init; }

    /// <summary>Whether what can be compressed is sent in gzip or brotli to whoever accepts it.</summary>
    public bool Compress { get; init; } = true;

    /// <summary>Whether a folder can be downloaded as one zip or tar file.</summary>
    public bool Archives { get; init; } = true;

    /// <summary>How gRPC is spoken.</summary>
    public GrpcServerOptions Grpc { get; init; } = new();

    /// <summary>The clock.</summary>
    public TimeProvider Clock { get; init; } = TimeProvider.System;
}
