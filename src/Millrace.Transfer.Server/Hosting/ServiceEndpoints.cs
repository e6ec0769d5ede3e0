using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Millrace.Transfer.Server;

internal static class ServiceEndpoints
{
    private const string Json = "application/json";

    private static readonly string[] Reading = [HttpMethods.Get, HttpMethods.Head];

    public static IEndpointConventionBuilder MapHealth(
        IEndpointRouteBuilder endpoints, string path, IFileStore store, TimeProvider clock)
    {
        var health = new StoreHealth(store, clock);
        return endpoints.MapMethods(path, Reading, (RequestDelegate)(async context =>
        {
            HealthDocument found = await health.CheckAsync(context.RequestAborted);
            TransferGuard guard = TransferGuard.Of(context);

            // A load balancer has no token and needs only the status.
            HealthDocument told = await guard.IsKnownAsync(context)
                ? found with { Transfers = guard.Running }
                : new HealthDocument { Status = found.Status };
            context.Response.StatusCode = found.Status == HealthDocument.Ok
                ? StatusCodes.Status200OK
                : StatusCodes.Status503ServiceUnavailable;
            context.Response.Headers.CacheControl = "no-store";
            await WriteAsync(context, told, ServerJson.Default.HealthDocument);
        }));
    }

    public static IEndpointConventionBuilder MapDescription(
        IEndpointRouteBuilder endpoints, Func<ServerDescription> description) =>
        endpoints.MapMethods(ServerDescription.Path, Reading, (RequestDelegate)(context =>
            WriteAsync(context, description(), TransferJson.Default.ServerDescription)));

    /// <summary>Redirects browsers to the files.</summary>
    public static IEndpointConventionBuilder MapRoot(IEndpointRouteBuilder endpoints, string files) =>
        endpoints.MapMethods("/", Reading, (RequestDelegate)(context =>
        {
            context.Response.Redirect(files + "/");
            return Task.CompletedTask;
        }));

    private static async Task WriteAsync<T>(HttpContext context, T document, JsonTypeInfo<T> type)
    {
        byte[] body = JsonSerializer.SerializeToUtf8Bytes(document, type);
        context.Response.ContentType = Json;
        context.Response.ContentLength = body.Length;
        if (!HttpMethods.IsHead(context.Request.Method))
        {
            await context.Response.Body.WriteAsync(body, context.RequestAborted);
        }
    }
}
