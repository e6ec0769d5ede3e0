using System.Buffers;
using System.Buffers.Text;
using System.Globalization;
using System.Text;
using Microsoft.Extensions.Primitives;

namespace Millrace.Transfer.Server;

/// <summary>
/// A URL that allows one method on one file until it expires. Its query carries an HMAC-SHA256 of the method, the name, the
/// time, the version of the key, and the prefix of its signer.
/// </summary>
public static class SignedLink
{
    private const string ExpiresKey = "mr-expires";
    private const string VersionKey = "mr-key";
    private const string PrefixKey = "mr-prefix";
    private const string SignatureKey = "mr-signature";

    /// <summary>The query for a link, without the question mark.</summary>
    /// <param name="key">From <see cref="TokenStore.GetLinkKeyAsync"/>.</param>
    /// <param name="method"><c>GET</c>, which is <c>HEAD</c> too, or <c>PUT</c>.</param>
    /// <param name="name">The file; the root is none.</param>
    /// <param name="expires">Until when it is valid, to the second.</param>
    /// <param name="prefix">
    /// The folder the link is confined to, symbolic links included: the prefix of the token for which it is signed.
    /// <c>default</c> for the whole store.
    /// </param>
    public static string CreateQuery(
        LinkKey key, string method, TransferName name, DateTimeOffset expires, TransferName prefix = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        if (!HttpMethods.IsGet(method) && !HttpMethods.IsPut(method))
        {
            throw new ArgumentException($"A link is for GET or for PUT, not for '{method}'.", nameof(method));
        }

        if (name.IsRoot)
        {
            throw new ArgumentException("A link is for one file, and the root is not a file.", nameof(name));
        }

        if (!name.IsIn(prefix))
        {
            throw new ArgumentException($"A link for '{name}' is not below the prefix '{prefix}'.", nameof(prefix));
        }

        string seconds = expires.ToUnixTimeSeconds().ToString(CultureInfo.InvariantCulture);
        string version = key.Version.ToString(CultureInfo.InvariantCulture);
        string signature = Base64Url.EncodeToString(Sign(key, method, name, seconds, version, prefix));
        string confined = prefix.IsRoot ? "" : $"{PrefixKey}={Uri.EscapeDataString(prefix.Value)}&";
        return $"{ExpiresKey}={seconds}&{VersionKey}={version}&{confined}{SignatureKey}={signature}";
    }

    /// <summary>Whether a request has a link, valid or not.</summary>
    internal static bool IsIn(HttpRequest request) =>
        request.QueryString.HasValue && request.Query.ContainsKey(SignatureKey);

    /// <summary>The scope of a request's link.</summary>
    /// <param name="key">The current key; null when there is none.</param>
    /// <param name="request">The request.</param>
    /// <param name="name">The file.</param>
    /// <param name="now">The time.</param>
    /// <param name="prefix">The folder the link is confined to; the root for the whole store.</param>
    /// <returns><see cref="TransferScope.None"/> if the link is not valid for this file and this method.</returns>
    internal static TransferScope ScopeOf(
        LinkKey? key, HttpRequest request, TransferName name, DateTimeOffset now, out TransferName prefix)
    {
        prefix = default;
        bool isRead = HttpMethods.IsGet(request.Method) || HttpMethods.IsHead(request.Method);
        string? method = isRead ? HttpMethods.Get : HttpMethods.IsPut(request.Method) ? HttpMethods.Put : null;
        if (key is null
            || method is null
            || name.IsRoot
            || !TryOne(request, ExpiresKey, out string expires)
            || !TryOne(request, VersionKey, out string version)
            || !TryOne(request, SignatureKey, out string signature)
            || (request.Query.ContainsKey(PrefixKey)
                && !(TryOne(request, PrefixKey, out string confined) && TransferName.TryParse(confined, out prefix)))
            || !long.TryParse(expires, NumberStyles.None, CultureInfo.InvariantCulture, out long seconds)
            || !int.TryParse(version, NumberStyles.None, CultureInfo.InvariantCulture, out int number))
        {
            return TransferScope.None;
        }

        Span<byte> given = stackalloc byte[SHA256.HashSizeInBytes];
        if (signature.Length != Base64Url.GetEncodedLength(given.Length)
            || Base64Url.DecodeFromChars(signature, given, out _, out int length) != OperationStatus.Done
            || length != given.Length)
        {
            return TransferScope.None;
        }

        // The rest is checked only when the signature is right, so that the response does not reveal which part was wrong.
        bool isValid = CryptographicOperations.FixedTimeEquals(given, Sign(key, method, name, expires, version, prefix))
            && number == key.Version
            && seconds > now.ToUnixTimeSeconds();
        return !isValid ? TransferScope.None : isRead ? TransferScope.Read : TransferScope.Write;
    }

    // Numbers as they stand in the query, where 1 could also be written 01.
    private static byte[] Sign(
        LinkKey key, string method, TransferName name, string seconds, string version, TransferName prefix)
    {
        string text = $"{method}\n{Line(name)}\n{seconds}\n{version}";
        return key.Sign(Encoding.UTF8.GetBytes(
            prefix.IsRoot ? $"millrace-link-1\n{text}" : $"millrace-link-2\n{text}\n{Line(prefix)}"));

        // A line feed would let a part of the name stand for the time or the prefix. No name has a NUL.
        static string Line(TransferName name) => name.Value.Replace('\n', '\0');
    }

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
