using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
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
        MapEscapes(endpoints, prefix);

        // Every method: unknown ones are answered by the handler, with the list of those that it knows.
        return endpoints
            .Map(RoutePatternFactory.Parse(prefix == "/" ? "/{**name}" : prefix + "/{**name}"), handler.HandleAsync)
            .WithDisplayName($"Millrace files {prefix}");
    }

    /// <summary>
    /// Kestrel removes dot segments before it routes, so that <c>/files/../x</c> would be looked for as <c>/x</c>. What
    /// nobody else answers and what was written as a path below the files is refused as what it was meant to be.
    /// </summary>
    private static void MapEscapes(IEndpointRouteBuilder endpoints, string prefix)
    {
        if (prefix == "/")
        {
            return;
        }

        RoutePattern pattern = RoutePatternFactory.Parse(
            "{**escaped}", defaults: null, parameterPolicies: new RouteValueDictionary
            {
                ["escaped"] = new RawPrefixConstraint(prefix),
            });
        endpoints.Map(pattern, static context => Problems.RunAsync(context, Refuse))
            .WithDisplayName($"Millrace files {prefix} (refused names)")
            .Add(static builder => ((RouteEndpointBuilder)builder).Order = int.MaxValue);
    }

    private static Task Refuse(HttpContext context) => throw FileTarget.Outside(RawTarget.PathOf(context));
}
