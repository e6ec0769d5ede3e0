using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace Millrace.Transfer.Server;

/// <summary>Sends a client to where the store keeps a file, if it asks for that (<c>Prefer: redirect</c>, RFC 7240).</summary>
internal static class DownloadRedirect
{
    private const string Preference = "redirect";

    /// <summary>Answers with 307, if the client prefers it and the store has an address.</summary>
    /// <remarks>The fields of the file stay: the client compares the tag and the digest with those it gets there.</remarks>
    public static async ValueTask<bool> TryAnswerAsync(HttpContext context, StoredFileReader reader)
    {
        HttpResponse response = context.Response;
        if (!IsPreferred(context.Request.Headers["Prefer"])
            || await reader.FindAddressAsync(response.ContentType!, response.Headers.ContentDisposition!) is not { } address)
        {
            return false;
        }

        response.StatusCode = StatusCodes.Status307TemporaryRedirect;
        response.Headers.Location = address.AbsoluteUri;
        response.Headers["Preference-Applied"] = Preference;

        // The address is a secret of this client, for minutes.
        response.Headers.CacheControl = CacheControlHeaderValue.NoStoreString;
        response.ContentLength = 0;
        return true;
    }

    private static bool IsPreferred(StringValues field) => field.ToString().Split(',', StringSplitOptions.TrimEntries)
        .Any(static preference => preference.Equals(Preference, StringComparison.OrdinalIgnoreCase));
}
