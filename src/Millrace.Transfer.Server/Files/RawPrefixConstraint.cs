using Microsoft.AspNetCore.Routing.Patterns;

namespace Millrace.Transfer.Server;

/// <summary>Requests whose target was written with a certain beginning, whatever it became on its way through the server.</summary>
/// <param name="prefix">The segments of the beginning, of groups too; for none nothing matches.</param>
internal sealed class RawPrefixConstraint(IReadOnlyList<RoutePatternPathSegment> prefix) : IRouteConstraint
{
    public bool Match(
        HttpContext? httpContext, IRouter? route, string routeKey, RouteValueDictionary values,
        RouteDirection routeDirection) =>
        httpContext is not null
        && prefix.Count > 0
        && IsBelow(RawTarget.PathOf(httpContext), httpContext.Request.PathBase.ToUriComponent());

    /// <summary>Also with a backslash or an encoded separator between them, which some take for a slash.</summary>
    private bool IsBelow(string path, string pathBase)
    {
        if (!path.StartsWith(pathBase, StringComparison.OrdinalIgnoreCase))
        {
            return false;
        }

        int at = pathBase.Length;
        foreach (RoutePatternPathSegment segment in prefix)
        {
            if (at >= path.Length || path[at] != '/')
            {
                return false;
            }

            at++;
            if (segment is { IsSimple: true, Parts: [RoutePatternLiteralPart literal] })
            {
                if (!path.AsSpan(at).StartsWith(literal.Content, StringComparison.OrdinalIgnoreCase))
                {
                    return false;
                }

                at += literal.Content.Length;
            }
            else
            {
                // A parameter takes any text but none.
                int end = path.IndexOf('/', at);
                if (end <= at)
                {
                    return false;
                }

                at = end;
            }
        }

        return at < path.Length && path[at] is ('/' or '\\' or '%');
    }
}
