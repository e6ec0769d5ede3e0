using Microsoft.AspNetCore.Cors.Infrastructure;
using Microsoft.Extensions.Primitives;

namespace Millrace.Transfer.Server;

/// <summary>
/// Recognizes requests that a page of another site made a browser send. Browsers send requests that change something without asking
/// the server first, and reach servers that only this machine can reach.
/// </summary>
/// <remarks>
/// <see href="https://www.w3.org/TR/fetch-metadata/">Sec-Fetch-Site</see> names the origin of a request. Browsers send it over
/// TLS and to loopback; without it, there is an Origin with everything but GET and HEAD.
/// </remarks>
internal static class CrossSiteRequest
{
    private const string SecFetchSite = "Sec-Fetch-Site";

    /// <summary>Refuses a request that may change something and that a page of another site has sent.</summary>
    /// <param name="context">The request.</param>
    /// <param name="access">The server's URL before a proxy, and its names of settings.</param>
    /// <exception cref="TransferException"><see cref="TransferError.Forbidden"/>.</exception>
    public static async ValueTask ThrowIfNotAllowedAsync(HttpContext context, TransferAccessOptions access)
    {
        HttpRequest request = context.Request;
        if (!MayChange(request) || IsSameOrigin(request))
        {
            return;
        }

        string origin = request.Headers.Origin.ToString();
        if ((access.PublicUrl is { } url && origin == url.GetLeftPart(UriPartial.Authority))
            || await IsAllowedByPolicyAsync(context, origin))
        {
            return;
        }

        string page = origin.Length == 0 ? "another site" : $"'{NameEncoding.Printable(origin)}'";
        throw new TransferException(
            TransferError.Forbidden,
            $"A web page of {page} sent this request, and only this server's own pages may change something. The server's owner can allow other origins ({access.NameOf("TransferServerOptions.AllowedOrigins")}) and, if the server is behind a proxy, name its address there ({access.NameOf("TransferAccessOptions.PublicUrl")}).{AdviceOf(request, access)}");
    }

    /// <summary>
    /// Refuses a request with a session's cookie unless a page of this server sent it, or, where it changes nothing, the user followed
    /// a link. Browsers send the cookies of a host to all its ports, whose pages are strangers.
    /// </summary>
    /// <param name="request">The request.</param>
    /// <param name="access">The server's URL before a proxy, and its names of settings.</param>
    /// <param name="isPassword">
    /// Whether a password takes the place of the cookie. Programs send these, too: then a request that names no site is one of theirs.
    /// </param>
    /// <exception cref="TransferException"><see cref="TransferError.Forbidden"/>.</exception>
    public static void ThrowIfNotOwnPage(HttpRequest request, TransferAccessOptions access, bool isPassword = false)
    {
        string site = request.Headers[SecFetchSite].ToString();
        string origin = request.Headers.Origin.ToString();
        bool isOwn = site.Length > 0
            ? site == "same-origin" || (!MayChange(request) && (site == "none" || IsFollowedLink(request)))
            : origin.Length == 0 ? isPassword || !MayChange(request)
            : (Uri.TryCreate(origin, UriKind.Absolute, out Uri? from) && IsOf(from, HostNames.Of(request)))
                || (access.PublicUrl is { } url && origin == url.GetLeftPart(UriPartial.Authority));
        if (!isOwn)
        {
            throw new TransferException(
                TransferError.Forbidden,
                $"This request has {(isPassword ? "a password that browsers send again" : "the cookie of a session")}, and nothing proves that a page of this server sent it. Use the page, or send the token as 'Authorization: Bearer TOKEN'.{AdviceOf(request, access)}");
        }
    }

    /// <summary>A browser that names the site itself has seen the page's host, whatever a proxy made of it.</summary>
    private static string AdviceOf(HttpRequest request, TransferAccessOptions access) =>
        request.Headers.ContainsKey(SecFetchSite) ? "" : PublicPath.AdviceOf(request, access.NameOf);

    /// <summary>A frame navigates too, and the page around it is a stranger's.</summary>
    private static bool IsFollowedLink(HttpRequest request) =>
        request.Headers["Sec-Fetch-Mode"] == "navigate" && request.Headers["Sec-Fetch-Dest"] == "document";

    /// <summary>gRPC-Web sends everything by POST, and tus may name its method in a field.</summary>
    private static bool MayChange(HttpRequest request) =>
        !(HttpMethods.IsGet(request.Method) || HttpMethods.IsHead(request.Method) || HttpMethods.IsOptions(request.Method))
        || request.Headers.ContainsKey(UploadHeaders.MethodOverride);

    private static bool IsSameOrigin(HttpRequest request)
    {
        if (request.Headers.TryGetValue(SecFetchSite, out StringValues site))
        {
            // None: the user's own act, such as a bookmark.
            return site.ToString() is "same-origin" or "none";
        }

        // Only browsers send one.
        StringValues origin = request.Headers.Origin;
        return origin.Count == 0
            || (Uri.TryCreate(origin.ToString(), UriKind.Absolute, out Uri? from) && IsOf(from, HostNames.Of(request)));
    }

    /// <summary>Whether the page that sent a request is one of this server, whatever scheme it has.</summary>
    /// <remarks>A proxy may have changed the host that the request names, and the browser has seen both.</remarks>
    public static bool IsFromPageOf(HttpRequest request, Uri page) =>
        request.Headers[SecFetchSite] == "same-origin" || IsOf(page, HostNames.Of(request));

    /// <summary>The scheme is not compared: a proxy may have ended TLS.</summary>
    public static bool IsOf(Uri origin, HostString host) =>
        host.HasValue
        && origin.Scheme is "http" or "https"
        && origin.Host.Equals(host.Host, StringComparison.OrdinalIgnoreCase)
        && origin.Port == (host.Port ?? (origin.Scheme == "https" ? 443 : 80));

    /// <summary>An origin that the endpoint's CORS policy allows is trusted.</summary>
    private static async ValueTask<bool> IsAllowedByPolicyAsync(HttpContext context, string origin)
    {
        CorsPolicy? policy = context.GetEndpoint()?.Metadata.GetMetadata<ICorsMetadata>() switch
        {
            ICorsPolicyMetadata own => own.Policy,
            IEnableCorsAttribute named when context.RequestServices.GetService<ICorsPolicyProvider>() is { } policies =>
                await policies.GetPolicyAsync(context, named.PolicyName),
            _ => null,
        };
        return policy is not null && (policy.AllowAnyOrigin || policy.IsOriginAllowed(origin));
    }
}
