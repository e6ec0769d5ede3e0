using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Routing;

namespace Millrace.Transfer.Server;

internal static class UploadEndpoints
{
    public static IEndpointConventionBuilder Map(
        IEndpointRouteBuilder endpoints, string path, IFileStore store, TransferServerOptions options) =>
        throw new NotSupportedException();
}
