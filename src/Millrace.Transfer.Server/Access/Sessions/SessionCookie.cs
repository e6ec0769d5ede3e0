using System.Buffers.Text;
using System.Globalization;
using System.Security.Claims;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Authentication.Cookies;
using Microsoft.Extensions.Options;

namespace Millrace.Transfer.Server;

/// <summary>
/// How a session's cookie is called and written: a random id and nothing else, for as long as the browser runs. Its name has the
/// port and the path base, because browsers send the cookies of a host to all its ports and paths.
/// </summary>
/// <remarks>
/// ASP.NET Core's cookie authentication only reads it. Its sign-in would renew the session that the request brought, and its
/// sign-out would read the tokens first, which may have failed.
/// </remarks>
internal sealed class SessionCookie(IOptions<TransferAccessOptions> access)
    : ICookieManager, ISecureDataFormat<AuthenticationTicket>
{
    public const string SchemeName = "Millrace.Session";

    /// <summary>Where ASP.NET Core's cookie authentication keeps the id of a session that is in a store.</summary>
    private const string IdClaim = "Microsoft.AspNetCore.Authentication.Cookies-SessionId";

    private const string PublicUrl = "TransferAccessOptions.PublicUrl";

    /// <summary>Metadata of the endpoints that accept the cookie. Those of gRPC do not have it.</summary>
    public static object Accepted { get; } = new AcceptedMark();

    public static bool IsAcceptedBy(HttpContext context) =>
        context.GetEndpoint()?.Metadata.GetMetadata<AcceptedMark>() is not null;

    public static void Configure(CookieAuthenticationOptions options, SessionCookie cookie, SessionStore sessions, TimeProvider clock)
    {
        options.Cookie.Name = SchemeName;
        options.CookieManager = cookie;
        options.TicketDataFormat = cookie;
        options.SessionStore = sessions;
        options.SlidingExpiration = false;
        options.TimeProvider = clock;
    }

    /// <summary>The id that a request brings, whether or not it is one; null without a cookie.</summary>
    public string? IdOf(HttpContext context) => context.Request.Cookies[NameOf(context)];

    public void Write(HttpContext context, string id) => context.Response.Cookies.Append(NameOf(context), id, OptionsOf(context));

    public void Delete(HttpContext context) => context.Response.Cookies.Delete(NameOf(context), OptionsOf(context));

    /// <summary>
    /// Refuses a sign-in whose cookie the browser would not send back, or would send without TLS: the page and this request do not have the
    /// same scheme, or not that of the server's URL.
    /// </summary>
    /// <exception cref="TransferException"><see cref="TransferError.Forbidden"/>.</exception>
    public void ThrowIfUnfit(HttpContext context)
    {
        HttpRequest request = context.Request;
        if (request.IsHttps || !Uri.TryCreate(request.Headers.Origin.ToString(), UriKind.Absolute, out Uri? page))
        {
            return;
        }

        bool isSecure = IsSecure(context);
        if (isSecure && page.Scheme == Uri.UriSchemeHttp)
        {
            throw new TransferException(
                TransferError.Forbidden,
                $"Browsers keep this server's session over HTTPS only. Open the page at {access.Value.PublicUrl!.GetLeftPart(UriPartial.Authority)}, which is the server's {access.Value.NameOf(PublicUrl)}.");
        }

        if (!isSecure && page.Scheme == Uri.UriSchemeHttps && CrossSiteRequest.IsFromPageOf(request, page))
        {
            throw new TransferException(
                TransferError.Forbidden,
                $"The page came over HTTPS and this request without it: a proxy before the server ends TLS. Start the server with {access.Value.NameOf(PublicUrl)} {page.GetLeftPart(UriPartial.Authority)}, so that browsers send the session's cookie over HTTPS only.{PublicPath.AdviceOf(request, access.Value.NameOf)}");
        }
    }

    string? ICookieManager.GetRequestCookie(HttpContext context, string key) => IdOf(context);

    void ICookieManager.AppendResponseCookie(HttpContext context, string key, string? value, CookieOptions options) =>
        Write(context, value ?? "");

    void ICookieManager.DeleteCookie(HttpContext context, string key, CookieOptions options) => Delete(context);

    public string Protect(AuthenticationTicket data) => data.Principal.FindFirstValue(IdClaim) ?? "";

    public string Protect(AuthenticationTicket data, string? purpose) => Protect(data);

    public AuthenticationTicket? Unprotect(string? protectedText) => protectedText is { Length: > 0 } id && Base64Url.IsValid(id)
        ? new AuthenticationTicket(new ClaimsPrincipal(new ClaimsIdentity([new Claim(IdClaim, id)])), SchemeName)
        : null;

    public AuthenticationTicket? Unprotect(string? protectedText, string? purpose) => Unprotect(protectedText);

    private CookieOptions OptionsOf(HttpContext context) => new()
    {
        HttpOnly = true,
        SameSite = SameSiteMode.Strict,
        Secure = IsSecure(context),
        Path = "/",
    };

    /// <summary>The prefix lets browsers refuse a cookie that another host or a page without TLS would set.</summary>
    /// <remarks>
    /// The port is that of the browser, which a proxy or a container may map to another: two servers of one host listen on the same one in
    /// their containers.
    /// </remarks>
    private string NameOf(HttpContext context)
    {
        HostString host = HostNames.Of(context.Request);
        int port = access.Value.PublicUrl?.Port
            ?? (!host.HasValue ? context.Connection.LocalPort : host.Port ?? (context.Request.IsHttps ? 443 : 80));

        // Two servers of one host and port are below different paths, and a cookie with the prefix is for all paths.
        string below = (context.Request.PathBase.Value ?? "").Replace('/', '!');
        return string.Create(CultureInfo.InvariantCulture, $"{(IsSecure(context) ? "__Host-" : "")}millrace-{port}{below}");
    }

    private bool IsSecure(HttpContext context) =>
        context.Request.IsHttps || access.Value.PublicUrl?.Scheme == Uri.UriSchemeHttps;

    private sealed class AcceptedMark;
}
