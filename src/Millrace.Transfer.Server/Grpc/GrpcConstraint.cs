using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace Millrace.Transfer.Server;

/// <summary>Only what is called as gRPC calls it.</summary>
internal sealed class GrpcConstraint : IRouteConstraint
{
    public bool Match(
        HttpContext? httpContext, IRouter? route, string routeKey, RouteValueDictionary values, RouteDirection routeDirection) =>
        httpContext is { Request: var request }
        && HttpMethods.IsPost(request.Method)
        && GrpcMediaType.IsAny(request.ContentType);
}
