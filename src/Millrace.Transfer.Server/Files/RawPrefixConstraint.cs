using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace Millrace.Transfer.Server;

/// <summary>Requests whose target was written with a certain beginning, whatever it became on its way through the server.</summary>
internal sealed class RawPrefixConstraint(string prefix) : IRouteConstraint
{
    public bool Match(
        HttpContext? httpContext, IRouter? route, string routeKey, RouteValueDictionary values,
        RouteDirection routeDirection) =>
        httpContext is not null && IsBelow(RawTarget.PathOf(httpContext), $"{httpContext.Request.PathBase}{prefix}");

    /// <summary>Also with a backslash or an encoded separator between them, which some take for a slash.</summary>
    private static bool IsBelow(string path, string folder) =>
        path.Length > folder.Length
        && path.StartsWith(folder, StringComparison.OrdinalIgnoreCase)
        && path[folder.Length] is ('/' or '\\' or '%');
}
