using System.Buffers.Text;
using System.Globalization;
using System.Security.Claims;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Authentication.Cookies;
using Microsoft.Extensions.Options;

namespace Millrace.Transfer.Server;

/// <summary>
/// How a session's cookie is called and written: a random id and nothing else, for as long as the browser runs. Its name has the
/// port, because browsers send the cookies of a host to all its ports.
/// </summary>
internal sealed class SessionCookie(IOptions<TransferAccessOptions> access)
    : ICookieManager, ISecureDataFormat<AuthenticationTicket>
{
    public const string SchemeName = "Millrace.Session";

    /// <summary>Where ASP.NET Core's cookie authentication keeps the id of a session that is in a store.</summary>
    private const string IdClaim = "Microsoft.AspNetCore.Authentication.Cookies-SessionId";

    /// <summary>Metadata of the endpoints that accept the cookie. Those of gRPC do not have it.</summary>
    public static object Accepted { get; } = new AcceptedMark();

    public static bool IsAcceptedBy(HttpContext context) =>
        context.GetEndpoint()?.Metadata.GetMetadata<AcceptedMark>() is not null;

    public static void Configure(CookieAuthenticationOptions options, SessionCookie cookie, SessionStore sessions, TransferAccessOptions access)
    {
        options.Cookie.Name = SchemeName;
        options.Cookie.HttpOnly = true;
        options.Cookie.SameSite = SameSiteMode.Strict;
        options.Cookie.SecurePolicy = CookieSecurePolicy.None;
        options.Cookie.Path = "/";
        options.CookieManager = cookie;
        options.TicketDataFormat = cookie;
        options.SessionStore = sessions;
        options.SlidingExpiration = false;
        options.TimeProvider = access.Clock;
    }

    /// <summary>The id that a request brings, whether or not it is one; null without a cookie.</summary>
    public string? IdOf(HttpContext context) => context.Request.Cookies[NameOf(context)];

    string? ICookieManager.GetRequestCookie(HttpContext context, string key) => IdOf(context);

    void ICookieManager.AppendResponseCookie(HttpContext context, string key, string? value, CookieOptions options)
    {
        options.Secure = IsSecure(context);
        context.Response.Cookies.Append(NameOf(context), value ?? "", options);
    }

    void ICookieManager.DeleteCookie(HttpContext context, string key, CookieOptions options)
    {
        options.Secure = IsSecure(context);
        context.Response.Cookies.Delete(NameOf(context), options);
    }

    public string Protect(AuthenticationTicket data) => data.Principal.FindFirstValue(IdClaim) ?? "";

    public string Protect(AuthenticationTicket data, string? purpose) => Protect(data);

    public AuthenticationTicket? Unprotect(string? protectedText) => protectedText is { Length: > 0 } id && Base64Url.IsValid(id)
        ? new AuthenticationTicket(new ClaimsPrincipal(new ClaimsIdentity([new Claim(IdClaim, id)])), SchemeName)
        : null;

    public AuthenticationTicket? Unprotect(string? protectedText, string? purpose) => Unprotect(protectedText);

    /// <summary>The prefix lets browsers refuse a cookie that another host or a page without TLS would set.</summary>
    private string NameOf(HttpContext context)
    {
        string port = context.Connection.LocalPort.ToString(CultureInfo.InvariantCulture);
        return IsSecure(context) ? $"__Host-millrace-{port}" : $"millrace-{port}";
    }

    private bool IsSecure(HttpContext context) =>
        context.Request.IsHttps || access.Value.PublicUrl?.Scheme == Uri.UriSchemeHttps;

    private sealed class AcceptedMark;
}
