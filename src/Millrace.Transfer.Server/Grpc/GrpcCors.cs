using Microsoft.AspNetCore.Cors.Infrastructure;
using Microsoft.AspNetCore.Http;

namespace Millrace.Transfer.Server;

/// <summary>What pages of other origins may do with gRPC-Web, for ASP.NET Core's own CORS.</summary>
public static class GrpcCors
{
    private const string AnyOrigin = "*";

    // What the clients of grpc-web and connect-web send, and what a call can be told.
    private static readonly string[] Sent =
    [
        "content-type", "x-grpc-web", "x-user-agent", GrpcFields.Timeout, GrpcFields.Encoding, GrpcFields.AcceptEncoding,
        "authorization", "connect-protocol-version",
    ];

    private static readonly string[] Told =
    [
        GrpcFields.Status, GrpcFields.Message, GrpcFields.Encoding, GrpcFields.AcceptEncoding, GrpcFields.Error,
        GrpcFields.Offset, GrpcFields.RetryAfter,
    ];

    /// <summary>
    /// Adds the method, the fields that clients of gRPC-Web send and those that they are told to a policy. Origins are the
    /// caller's to say. Use the policy for the endpoints of <see cref="TransferEndpoints.MapMillraceGrpc"/>.
    /// </summary>
    /// <param name="policy">The policy.</param>
    /// <returns>The same.</returns>
    public static CorsPolicyBuilder WithMillraceGrpc(this CorsPolicyBuilder policy)
    {
        ArgumentNullException.ThrowIfNull(policy);
        return policy.WithMethods(HttpMethods.Post).WithHeaders(Sent).WithExposedHeaders(Told);
    }

    internal static Action<CorsPolicyBuilder> PolicyFor(IReadOnlyList<string> origins) => policy =>
    {
        CorsPolicyBuilder all = policy.WithMillraceGrpc();
        if (origins.Contains(AnyOrigin))
        {
            all.AllowAnyOrigin();
        }
        else
        {
            all.WithOrigins([.. origins]);
        }
    };
}
