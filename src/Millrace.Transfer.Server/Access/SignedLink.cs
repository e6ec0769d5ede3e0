using System.Buffers;
using System.Buffers.Text;
using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;

namespace Millrace.Transfer.Server;

/// <summary>
/// Lets whoever has the URL do one thing with one file until a certain time: the query carries an HMAC-SHA256 over
/// method, name, time and version of the key.
/// </summary>
public static class SignedLink
{
    private const string ExpiresKey = "mr-expires";
    private const string VersionKey = "mr-key";
    private const string SignatureKey = "mr-signature";

    /// <summary>The query for a link, without the question mark.</summary>
    /// <param name="key">From <see cref="TokenStore.GetLinkKeyAsync"/>.</param>
    /// <param name="method"><c>GET</c>, which is <c>HEAD</c> too, or <c>PUT</c>.</param>
    /// <param name="name">The file; the root is none.</param>
    /// <param name="expires">Until when it is valid, to the second.</param>
    public static string CreateQuery(LinkKey key, string method, TransferName name, DateTimeOffset expires)
    {
        ArgumentNullException.ThrowIfNull(key);
        if (!HttpMethods.IsGet(method) && !HttpMethods.IsPut(method))
        {
            throw new ArgumentException($"A link is for GET or for PUT, not for '{method}'.", nameof(method));
        }

        if (name.IsRoot)
        {
            throw new ArgumentException("A link is for one file, and the root is none.", nameof(name));
        }

        long seconds = expires.ToUnixTimeSeconds();
        string signature = Base64Url.EncodeToString(Sign(key, method, name, seconds, key.Version));
        return string.Create(
            CultureInfo.InvariantCulture, $"{ExpiresKey}={seconds}&{VersionKey}={key.Version}&{SignatureKey}={signature}");
    }

    /// <summary>Whether a request comes by a link at all, valid or not.</summary>
    internal static bool IsIn(HttpRequest request) =>
        request.QueryString.HasValue && request.Query.ContainsKey(SignatureKey);

    /// <summary>Whether its link allows a request what it wants.</summary>
    /// <param name="key">The current key; null when there is none.</param>
    /// <param name="request">The request.</param>
    /// <param name="scope">What it wants to do.</param>
    /// <param name="name">The file.</param>
    /// <param name="now">The time.</param>
    internal static bool Allows(
        LinkKey? key, HttpRequest request, TransferScope scope, TransferName name, DateTimeOffset now)
    {
        string? method = scope switch
        {
            TransferScope.Read when HttpMethods.IsGet(request.Method) || HttpMethods.IsHead(request.Method) => HttpMethods.Get,
            TransferScope.Write when HttpMethods.IsPut(request.Method) => HttpMethods.Put,
            _ => null,
        };
        if (key is null
            || method is null
            || name.IsRoot
            || !TryOne(request, ExpiresKey, out string expires)
            || !TryOne(request, VersionKey, out string version)
            || !TryOne(request, SignatureKey, out string signature)
            || !long.TryParse(expires, NumberStyles.None, CultureInfo.InvariantCulture, out long seconds)
            || !int.TryParse(version, NumberStyles.None, CultureInfo.InvariantCulture, out int number))
        {
            return false;
        }

        Span<byte> given = stackalloc byte[SHA256.HashSizeInBytes];
        if (signature.Length != Base64Url.GetEncodedLength(given.Length)
            || Base64Url.DecodeFromChars(signature, given, out _, out int length) != OperationStatus.Done
            || length != given.Length)
        {
            return false;
        }

        // The rest is looked at when the signature is right: nobody learns which part was wrong.
        return CryptographicOperations.FixedTimeEquals(given, Sign(key, method, name, seconds, number))
            && number == key.Version
            && seconds > now.ToUnixTimeSeconds();
    }

    private static byte[] Sign(LinkKey key, string method, TransferName name, long seconds, int version) =>
        key.Sign(Encoding.UTF8.GetBytes(string.Create(
            CultureInfo.InvariantCulture, $"millrace-link-1\n{method}\n{name.Value}\n{seconds}\n{version}")));

    private static bool TryOne(HttpRequest request, string key, out string value)
    {
        value = "";
        if (!request.Query.TryGetValue(key, out StringValues values) || values.Count != 1)
        {
            return false;
        }

        value = values[0] ?? "";
        return true;
    }
}
