using Microsoft.AspNetCore.Cors.Infrastructure;

namespace Millrace.Transfer.Server;

/// <summary>What pages of other origins may do with gRPC-Web.</summary>
internal static class GrpcCors
{
    private const string AnyOrigin = "*";

    // The request headers of the clients of grpc-web and connect-web.
    private static readonly string[] RequestHeaders =
    [
        "content-type", "x-grpc-web", "x-user-agent", GrpcFields.Timeout, GrpcFields.Encoding, GrpcFields.AcceptEncoding,
        "authorization", "connect-protocol-version",
    ];

    private static readonly string[] ResponseHeaders =
    [
        GrpcFields.Status, GrpcFields.Message, GrpcFields.Encoding, GrpcFields.AcceptEncoding, GrpcFields.Error,
        GrpcFields.Offset, GrpcFields.RetryAfter,
    ];

    /// <summary>A policy for pages of these origins; <c>*</c> stands for all of them.</summary>
    public static Action<CorsPolicyBuilder> PolicyFor(IReadOnlyList<string> origins) => policy =>
    {
        policy.WithMethods(HttpMethods.Post).WithHeaders(RequestHeaders).WithExposedHeaders(ResponseHeaders);
        if (origins.Contains(AnyOrigin))
        {
            policy.AllowAnyOrigin();
        }
        else
        {
            policy.WithOrigins([.. origins]);
        }
    };
}
