namespace Millrace.Transfer.Server;

internal static class ServiceEndpoints
{
    private static readonly string[] Reading = [HttpMethods.Get, HttpMethods.Head];

    public static IEndpointConventionBuilder MapHealth(IEndpointRouteBuilder endpoints, string path, IFileStore store, StoreScrub? scrub)
    {
        var health = new StoreHealth(store, endpoints.ServiceProvider.GetRequiredService<TimeProvider>());
        return endpoints.MapMethods(path, Reading, (RequestDelegate)(async context =>
        {
            HealthDocument found = await health.CheckAsync(context.RequestAborted);
            TransferGuard guard = TransferGuard.Of(context);

            // A load balancer has no token and needs only the status.
            HealthDocument shown = await guard.IsAuthenticatedAsync(context)
                ? found with { Transfers = guard.Limits.Running, Scrub = ScrubDocument.Of(scrub) }
                : new HealthDocument { Status = found.Status };
            context.Response.StatusCode = found.Status == HealthDocument.Ok
                ? StatusCodes.Status200OK
                : StatusCodes.Status503ServiceUnavailable;
            context.Response.Headers.CacheControl = "no-store";
            await JsonAnswer.WriteAsync(context, shown, ServerJson.Default.HealthDocument);
        }));
    }

    public static IEndpointConventionBuilder MapDescription(
        IEndpointRouteBuilder endpoints, Func<HttpContext, ServerDescription> description) =>
        endpoints.MapMethods(ServerDescription.Path, Reading, (RequestDelegate)(context =>
            JsonAnswer.WriteAsync(context, description(context), TransferJson.Default.ServerDescription)));

    /// <summary>Redirects browsers to the files.</summary>
    public static IEndpointConventionBuilder MapRoot(IEndpointRouteBuilder endpoints, string files) =>
        endpoints.MapMethods("/", Reading, (RequestDelegate)(context =>
        {
            context.Response.Redirect(PageShell.PathOf(context, files) + "/");
            return Task.CompletedTask;
        }));
}
