using Microsoft.AspNetCore.Cors.Infrastructure;

namespace Millrace.Transfer.Server;

/// <summary>What pages of the origins in <see cref="TransferServerOptions.AllowedOrigins"/> may send and see.</summary>
internal static class PageCors
{
    private const string AnyOrigin = "*";

    // The request headers of the clients of grpc-web and connect-web.
    private static readonly string[] GrpcRequestHeaders =
    [
        "content-type", "x-grpc-web", "x-user-agent", GrpcFields.Timeout, GrpcFields.Encoding, GrpcFields.AcceptEncoding,
        "authorization", "connect-protocol-version",
    ];

    private static readonly string[] GrpcResponseHeaders =
    [
        GrpcFields.Status, GrpcFields.Message, GrpcFields.Encoding, GrpcFields.AcceptEncoding, GrpcFields.Error,
        GrpcFields.Offset, GrpcFields.RetryAfter, GrpcFields.Details,
    ];

    // Those of HTTP, tus and the draft that are not visible to every page anyway.
    private static readonly string[] FileResponseHeaders =
    [
        "Accept-Ranges", "Allow", "Content-Disposition", "Content-Encoding", "Content-Location", "Content-Range", "ETag",
        "Location", "Retry-After", TransferHeaders.ReprDigest, TransferHeaders.TusResumable, UploadHeaders.TusVersion,
        UploadHeaders.TusExtension, UploadHeaders.TusMaxSize, UploadHeaders.TusChecksumAlgorithm, TransferHeaders.UploadOffset,
        TransferHeaders.UploadLength, UploadHeaders.UploadDeferLength, TransferHeaders.UploadComplete, UploadHeaders.Incomplete,
        TransferHeaders.UploadConcat, TransferHeaders.UploadExpires, UploadHeaders.UploadLimit, "Upload-Metadata",
        TransferHeaders.UploadDraftInteropVersion,
    ];

    /// <summary>Whether pages of other origins may use the endpoint of a request.</summary>
    public static bool AllowsOrigins(HttpContext context) => context.GetEndpoint()?.Metadata.GetMetadata<ICorsMetadata>() is not null;

    /// <summary>Lets pages of the origins use files or uploads, if there are any origins.</summary>
    public static void AllowFiles(IEndpointConventionBuilder endpoints, IReadOnlyList<string> origins) => Allow(
        endpoints, origins, static policy => policy.AllowAnyMethod().AllowAnyHeader().WithExposedHeaders(FileResponseHeaders));

    /// <summary>Lets pages of the origins call gRPC-Web, if there are any origins.</summary>
    public static void AllowGrpc(IEndpointConventionBuilder endpoints, IReadOnlyList<string> origins) => Allow(
        endpoints,
        origins,
        static policy => policy.WithMethods(HttpMethods.Post).WithHeaders(GrpcRequestHeaders).WithExposedHeaders(GrpcResponseHeaders));

    private static void Allow(
        IEndpointConventionBuilder endpoints, IReadOnlyList<string> origins, Action<CorsPolicyBuilder> configure)
    {
        if (origins.Count == 0)
        {
            return;
        }

        endpoints.RequireCors(policy =>
        {
            configure(policy);
            if (origins.Contains(AnyOrigin))
            {
                policy.AllowAnyOrigin();
            }
            else
            {
                policy.WithOrigins([.. origins]);
            }
        });
    }
}
