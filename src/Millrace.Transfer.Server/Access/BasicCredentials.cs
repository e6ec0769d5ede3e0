using System.Net;
using System.Net.Http.Headers;
using System.Text;
using Microsoft.Extensions.Primitives;

namespace Millrace.Transfer.Server;

/// <summary>
/// <see href="https://www.rfc-editor.org/rfc/rfc7617">Basic authentication</see> for programs that know nothing else, such as those that
/// mount a folder: any name, and a token as the password.
/// </summary>
internal static class BasicCredentials
{
    private const string Scheme = "Basic";

    /// <summary>Two fields and not a list: some clients look at the first scheme of a field only.</summary>
    private static readonly StringValues Challenges = new(["Bearer", "Basic realm=\"Millrace\", charset=\"UTF-8\""]);

    public static bool Is(string scheme) => scheme.Equals(Scheme, StringComparison.OrdinalIgnoreCase);

    /// <summary>The password that a request brings; null if it brings none.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.Forbidden"/>: it is not taken from there.</exception>
    public static string? PasswordOf(HttpContext context, TransferAccessOptions access)
    {
        if (!AuthenticationHeaderValue.TryParse(context.Request.Headers.Authorization, out AuthenticationHeaderValue? header)
            || !Is(header.Scheme) || header.Parameter is null)
        {
            return null;
        }

        ThrowIfNotAllowed(context, access);
        return PasswordIn(header.Parameter);
    }

    /// <summary>The password of <c>NAME:PASSWORD</c> in Base64; null if the text has another form.</summary>
    public static string? PasswordIn(string parameter) => Read(parameter)?.Password;

    /// <summary>Reads the credentials of a request; null if it has none of this kind.</summary>
    public static (string Name, string Password)? In(HttpRequest request) =>
        request.Headers.Authorization is { Count: 1 } field && field.ToString() is var text
        && text.StartsWith(Scheme + " ", StringComparison.OrdinalIgnoreCase)
            ? Read(text[(Scheme.Length + 1)..].Trim())
            : null;

    private static (string Name, string Password)? Read(string parameter)
    {
        // As long as a token with a long name, and no allocation that a client chooses.
        Span<byte> bytes = stackalloc byte[512];
        if (!Convert.TryFromBase64String(parameter, bytes, out int length))
        {
            return null;
        }

        ReadOnlySpan<byte> text = bytes[..length];
        int colon = text.IndexOf((byte)':');
        return colon < 0 ? null : (Encoding.UTF8.GetString(text[..colon]), Encoding.UTF8.GetString(text[(colon + 1)..]));
    }

    /// <summary>Refuses credentials that the network could read, and those that a page of another site made a browser send again.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.Forbidden"/>.</exception>
    public static void ThrowIfNotAllowed(HttpContext context, TransferAccessOptions access)
    {
        if (!IsSafe(context, access))
        {
            throw new TransferException(
                TransferError.Forbidden,
                $"Basic authentication sends the token so that the network can read it. Use HTTPS, or send the token as 'Authorization: Bearer TOKEN'; the server's owner can allow it nevertheless ({access.NameOf("TransferAccessOptions.AllowBasicWithoutTls")}).{PublicPath.AdviceOf(context.Request, access.NameOf)}");
        }

        CrossSiteRequest.ThrowIfNotOwnPage(context.Request, access, isPassword: true);
    }

    /// <summary>The value of <c>WWW-Authenticate</c> for a request that needs a token.</summary>
    /// <remarks>
    /// A browser would ask for a password itself, instead of the page, and send it to every page afterwards. Browsers name the
    /// site of a request over TLS and to this machine; all of them begin their name with that of the first one.
    /// </remarks>
    public static StringValues ChallengeOf(HttpContext context)
    {
        IHeaderDictionary fields = context.Request.Headers;
        bool isBrowser = fields.ContainsKey("Sec-Fetch-Site") || fields.ContainsKey("Sec-Fetch-Mode") || fields.Origin.Count > 0
            || fields.UserAgent.ToString().StartsWith("Mozilla/5.0", StringComparison.OrdinalIgnoreCase);
        return !isBrowser && context.RequestServices.GetService<TransferGuard>() is { Options: var access } && IsSafe(context, access)
            ? Challenges
            : Challenges[0];
    }

    /// <summary>Whether no network between the client and this server, or a proxy that its owner trusts, sees the request in the clear.</summary>
    /// <remarks>A proxy on this machine has its address, and its clients may be anywhere: requests that it forwards count as theirs.</remarks>
    private static bool IsSafe(HttpContext context, TransferAccessOptions access) =>
        access.AllowBasicWithoutTls
        || context.Request.IsHttps
        || (context.Connection.RemoteIpAddress is var address && (address is null || IPAddress.IsLoopback(address))
            && !PublicPath.IsThroughProxy(context.Request));
}
