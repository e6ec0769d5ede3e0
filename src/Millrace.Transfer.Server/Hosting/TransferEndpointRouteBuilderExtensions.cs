using Microsoft.Extensions.Options;

namespace Millrace.Transfer.Server;

/// <summary>Adds the endpoints of a store to an application.</summary>
public static class TransferEndpointRouteBuilderExtensions
{
    /// <summary>Serves and accepts files below a path: GET, HEAD, POST, PUT, DELETE, MOVE, MKCOL, listings, archives.</summary>
    /// <param name="endpoints">The application.</param>
    /// <param name="path">For example <c>/files</c>.</param>
    /// <param name="store">Where files are kept.</param>
    /// <param name="options">The settings; null for the application's <c>IOptions&lt;TransferServerOptions&gt;</c>.</param>
    public static IEndpointConventionBuilder MapMillraceFiles(
        this IEndpointRouteBuilder endpoints, string path, IFileStore store, TransferServerOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentException.ThrowIfNullOrEmpty(path);
        ArgumentNullException.ThrowIfNull(store);
        ThrowIfNotRegistered(endpoints);
        return FileEndpoints.Map(endpoints, path, store, OptionsOf(endpoints, options, filesPath: path));
    }

    /// <summary>Accepts resumable uploads: tus 1.0, and the IETF draft "Resumable Uploads for HTTP".</summary>
    /// <param name="endpoints">The application.</param>
    /// <param name="path">For example <c>/uploads</c>.</param>
    /// <param name="store">Where files are kept.</param>
    /// <param name="options">The settings; null for the application's <c>IOptions&lt;TransferServerOptions&gt;</c>.</param>
    public static IEndpointConventionBuilder MapMillraceUploads(
        this IEndpointRouteBuilder endpoints, string path, IFileStore store, TransferServerOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentException.ThrowIfNullOrEmpty(path);
        ArgumentNullException.ThrowIfNull(store);
        ThrowIfNotRegistered(endpoints);
        TransferServerOptions settings = OptionsOf(endpoints, options, uploadsPath: path);
        return UploadEndpoints.Map(endpoints, path, store, settings).WithMetadata(settings);
    }

    /// <summary>
    /// Serves gRPC, which needs HTTP/2, and gRPC-Web: the services <c>millrace.v1.FileTransfer</c> and
    /// <c>grpc.health.v1.Health</c> at their own paths.
    /// </summary>
    /// <param name="endpoints">The application.</param>
    /// <param name="store">Where files are kept.</param>
    /// <param name="options">The settings; null for the application's <c>IOptions&lt;TransferServerOptions&gt;</c>.</param>
    public static IEndpointConventionBuilder MapMillraceGrpc(
        this IEndpointRouteBuilder endpoints, IFileStore store, TransferServerOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentNullException.ThrowIfNull(store);
        ThrowIfNotRegistered(endpoints);
        TransferServerOptions settings = OptionsOf(endpoints, options);
        return GrpcEndpoints.Map(endpoints, store, settings).WithMetadata(settings);
    }

    /// <summary>
    /// Serves the page by which people browse, upload and download with a browser: its parts at <c>/page</c>, sessions at
    /// <c>/session</c> and signed links at <c>/links</c>. Listings of the files refer to them then. Once for each application.
    /// </summary>
    /// <param name="endpoints">The application.</param>
    /// <param name="store">Where files are kept.</param>
    /// <param name="options">
    /// The settings, with the paths of files and uploads; null for the application's <c>IOptions&lt;TransferServerOptions&gt;</c>.
    /// </param>
    public static IEndpointConventionBuilder MapMillracePage(
        this IEndpointRouteBuilder endpoints, IFileStore store, TransferServerOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentNullException.ThrowIfNull(store);
        ThrowIfNotRegistered(endpoints);
        return PageEndpoints.Map(endpoints, store, OptionsOf(endpoints, options));
    }

    /// <summary>
    /// Reports whether a store accepts files: 200 or 503. Authenticated callers, or all if no token is needed, also get the free
    /// space.
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
        return ServiceEndpoints.MapHealth(endpoints, path, store, scrub: null);
    }

    private static TransferServerOptions OptionsOf(
        IEndpointRouteBuilder endpoints, TransferServerOptions? options, string? filesPath = null, string? uploadsPath = null)
    {
        var clock = endpoints.ServiceProvider.GetRequiredService<TimeProvider>();
        return options?.At(null, null, clock)
            ?? endpoints.ServiceProvider.GetRequiredService<IOptions<TransferServerOptions>>().Value.At(filesPath, uploadsPath, clock);
    }

    /// <summary>Nothing is served without access control.</summary>
    private static void ThrowIfNotRegistered(IEndpointRouteBuilder endpoints) => TransferGuard.Of(endpoints.ServiceProvider);
}
