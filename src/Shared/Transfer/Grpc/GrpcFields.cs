namespace Millrace.Transfer;

/// <summary>Names of fields, trailers and media types of gRPC and gRPC-Web, and those that Millrace adds.</summary>
internal static class GrpcFields
{
    /// <summary>The status, a number.</summary>
    public const string Status = "grpc-status";

    /// <summary>What went wrong, percent-encoded: <see cref="GrpcText"/>.</summary>
    public const string Message = "grpc-message";

    /// <summary>How long the caller waits: <see cref="GrpcTimeout"/>.</summary>
    public const string Timeout = "grpc-timeout";

    /// <summary>How messages with the compressed flag are coded.</summary>
    public const string Encoding = "grpc-encoding";

    /// <summary>Which codings are taken.</summary>
    public const string AcceptEncoding = "grpc-accept-encoding";

    /// <summary>The coding that is known besides <c>identity</c>.</summary>
    public const string Gzip = "gzip";

    /// <summary>No coding.</summary>
    public const string Identity = "identity";

    /// <summary>The <see cref="TransferError"/>'s name, beside the status that it is mapped to.</summary>
    public const string Error = "millrace-error";

    /// <summary>Bytes of the upload that the server has, where an error has it.</summary>
    public const string Offset = "millrace-offset";

    /// <summary>How many entries a listing leaves out, where there are any; or why a folder was not deleted.</summary>
    public const string Omitted = "millrace-omitted";

    /// <summary>How many of them because of their names.</summary>
    public const string OmittedNames = "millrace-omitted-names";

    /// <summary>How many of them because of their kind.</summary>
    public const string OmittedKinds = "millrace-omitted-kinds";

    /// <summary>How many of them because the store may not read them.</summary>
    public const string OmittedUnreadable = "millrace-omitted-unreadable";

    /// <summary>How many of them the server would delete or move with their folder if it is asked to.</summary>
    public const string Hidden = "millrace-hidden";

    /// <summary>The same as a google.rpc.Status in base64, which clients of the richer error model read.</summary>
    public const string Details = "grpc-status-details-bin";

    /// <summary>Seconds after which another try makes sense.</summary>
    public const string RetryAfter = "retry-after";

    /// <summary>gRPC over HTTP/2. A message format may follow: <c>+proto</c>.</summary>
    public const string ContentType = "application/grpc";

    /// <summary>gRPC-Web.</summary>
    public const string WebContentType = "application/grpc-web";

    /// <summary>gRPC-Web in base64.</summary>
    public const string WebTextContentType = "application/grpc-web-text";

    /// <summary>The service's name in paths.</summary>
    public const string Service = "millrace.v1.FileTransfer";

    /// <summary>The service of health checks.</summary>
    public const string HealthService = "grpc.health.v1.Health";
}
