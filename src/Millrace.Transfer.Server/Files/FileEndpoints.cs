using Microsoft.AspNetCore.Routing.Patterns;

namespace Millrace.Transfer.Server;

/// <summary>Puts the files of a store below a path.</summary>
internal static class FileEndpoints
{
    public static IEndpointConventionBuilder Map(
        IEndpointRouteBuilder endpoints, string path, IFileStore store, TransferServerOptions options)
    {
        string prefix = "/" + path.Trim('/');
        var handler = new FileHandler(store, options);
        RoutePattern files = RoutePatternFactory.Parse(prefix == "/" ? "/{**name}" : prefix + "/{**name}");
        MapEscapes(endpoints, files, prefix);

        // Every method: unknown ones are answered by the handler, with the list of those that it knows.
        IEndpointConventionBuilder mapped = endpoints
            .Map(files, handler.HandleAsync)
            .WithMetadata(handler, SessionCookie.Accepted)
            .WithDisplayName($"Millrace files {prefix}");
        PageCors.AllowFiles(mapped, options.AllowedOrigins);
        return mapped;
    }

    /// <summary>
    /// Kestrel removes dot segments before it routes, so that <c>/files/../x</c> would be looked for as <c>/x</c>. A
    /// request that no endpoint answers and that was written as a path below the files is refused as such.
    /// </summary>
    private static void MapEscapes(IEndpointRouteBuilder endpoints, RoutePattern files, string prefix) =>
        endpoints.Map(files, static context => Problems.RunAsync(context, Refuse))
            .WithDisplayName($"Millrace files {prefix} (refused names)")
            .Add(static builder =>
            {
                // Only here it is known which groups it is in; what leads out of the files may lead out of these too.
                var route = (RouteEndpointBuilder)builder;
                IReadOnlyList<RoutePatternPathSegment> segments = route.RoutePattern.PathSegments;
                route.Order = int.MaxValue;
                route.RoutePattern = RoutePatternFactory.Parse(
                    "{**escaped}", defaults: null, parameterPolicies: new RouteValueDictionary
                    {
                        ["escaped"] = new RawPrefixConstraint([.. segments.Take(segments.Count - 1)]),
                    });
            });

    private static Task Refuse(HttpContext context) => throw FileTarget.Outside(RawTarget.PathOf(context));
}
