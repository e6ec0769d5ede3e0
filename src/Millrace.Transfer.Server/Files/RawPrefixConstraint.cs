using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace Millrace.Transfer.Server;

/// <summary>Requests whose target was written with a certain beginning, whatever it became on its way through the server.</summary>
internal sealed class RawPrefixConstraint(string prefix) : IRouteConstraint
{
    public bool Match(
        HttpContext? httpContext, IRouter? route, string routeKey, RouteValueDictionary values,
        RouteDirection routeDirection) =>
        httpContext is not null
        && RawTarget.PathOf(httpContext).StartsWith(
            $"{httpContext.Request.PathBase}{prefix}/", StringComparison.OrdinalIgnoreCase);
}
