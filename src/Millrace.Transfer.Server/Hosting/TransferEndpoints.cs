using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Routing;

namespace Millrace.Transfer.Server;

/// <summary>Adds the endpoints of a store to an application.</summary>
public static class TransferEndpoints
{
    /// <summary>Serves and takes files of a store below a path: GET, HEAD, PUT, DELETE, listings, archives.</summary>
    /// <param name="endpoints">The application.</param>
    /// <param name="path">For example <c>/files</c>.</param>
    /// <param name="store">Where files are kept.</param>
    /// <param name="options">What is offered; null for the defaults.</param>
    public static IEndpointConventionBuilder MapMillraceFiles(
        this IEndpointRouteBuilder endpoints, string path, IFileStore store, TransferServerOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentException.ThrowIfNullOrEmpty(path);
        ArgumentNullException.ThrowIfNull(store);
        ThrowIfNotRegistered(endpoints);
        return FileEndpoints.Map(endpoints, path, store, options ?? new TransferServerOptions { FilesPath = path });
    }

    /// <summary>Takes resumable uploads: tus 1.0, and the IETF draft "Resumable Uploads for HTTP".</summary>
    /// <param name="endpoints">The application.</param>
    /// <param name="path">For example <c>/uploads</c>.</param>
    /// <param name="store">Where files are kept.</param>
    /// <param name="options">What is offered; null for the defaults.</param>
    public static IEndpointConventionBuilder MapMillraceUploads(
        this IEndpointRouteBuilder endpoints, string path, IFileStore store, TransferServerOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentException.ThrowIfNullOrEmpty(path);
        ArgumentNullException.ThrowIfNull(store);
        ThrowIfNotRegistered(endpoints);
        return UploadEndpoints.Map(endpoints, path, store, options ?? new TransferServerOptions { UploadsPath = path });
    }

    /// <summary>
    /// Speaks gRPC, which needs HTTP/2, and gRPC-Web: the services <c>millrace.v1.FileTransfer</c> and
    /// <c>grpc.health.v1.Health</c> at their own paths.
    /// </summary>
    /// <param name="endpoints">The application.</param>
    /// <param name="store">Where files are kept.</param>
    /// <param name="options">What is offered; null for the defaults.</param>
    /// <remarks>
    /// Pages of other origins need a policy of CORS, which <see cref="GrpcCors.WithMillraceGrpc"/> makes of any:
    /// <see cref="GrpcServerOptions.AllowedOrigins"/> is for <see cref="TransferServer"/>.
    /// </remarks>
    public static IEndpointConventionBuilder MapMillraceGrpc(
        this IEndpointRouteBuilder endpoints, IFileStore store, TransferServerOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentNullException.ThrowIfNull(store);
        ThrowIfNotRegistered(endpoints);
        return GrpcEndpoints.Map(endpoints, store, options ?? new TransferServerOptions());
    }

    /// <summary>
    /// Says whether a store can take files: 200 or 503, with the space that is free for who has a token, or where none is
    /// needed.
    /// </summary>
    /// <param name="endpoints">The application.</param>
    /// <param name="path">For example <c>/health</c>.</param>
    /// <param name="store">Where files are kept.</param>
    public static IEndpointConventionBuilder MapMillraceHealth(
        this IEndpointRouteBuilder endpoints, string path, IFileStore store)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentException.ThrowIfNullOrEmpty(path);
        ArgumentNullException.ThrowIfNull(store);
        ThrowIfNotRegistered(endpoints);
        return ServiceEndpoints.MapHealth(endpoints, path, store, TimeProvider.System);
    }

    /// <summary>Nothing is served without access control.</summary>
    private static void ThrowIfNotRegistered(IEndpointRouteBuilder endpoints) => TransferGuard.Of(endpoints.ServiceProvider);
}
