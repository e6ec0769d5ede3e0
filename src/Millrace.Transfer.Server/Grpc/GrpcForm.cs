namespace Millrace.Transfer.Server;

/// <summary>The encoding of a call.</summary>
internal enum GrpcForm
{
    /// <summary>gRPC over HTTP/2: the status is in trailers.</summary>
    Http2,

    /// <summary>gRPC-Web: the status is a frame of the body.</summary>
    Web,

    /// <summary>gRPC-Web in base64.</summary>
    WebText,
}
