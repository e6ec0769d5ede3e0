using System.Buffers.Text;
using System.Globalization;
using System.Text;
using Microsoft.Extensions.Primitives;

namespace Millrace.Transfer.Server;

/// <summary>
/// What opens a link to a folder: <c>ml_</c> and, in base64url, 128 random bits and the half of an HMAC of them, so that no store is asked
/// about a secret that was made up. After its password was given, also until when that is valid, with another HMAC.
/// </summary>
internal readonly struct LinkSecret
{
    /// <summary>The parameter of a query.</summary>
    public const string Key = "mr-link";

    private const string Prefix = "ml_";
    private const int RandomBytes = 16;
    private const int CodeBytes = 16;
    private const int IdCharacters = 16;

    private readonly string _text;
    private readonly long _opened;
    private readonly string? _code;

    private LinkSecret(string text, ReadOnlySpan<byte> random, long opened, string? code)
    {
        _text = text;
        Id = Convert.ToHexStringLower(SHA256.HashData(random))[..IdCharacters];
        _opened = opened;
        _code = code;
    }

    /// <summary>Names the link's document.</summary>
    public string Id { get; }

    /// <summary>A new secret.</summary>
    public static LinkSecret Next(LinkKey key, out string text)
    {
        Span<byte> bytes = stackalloc byte[RandomBytes + CodeBytes];
        RandomNumberGenerator.Fill(bytes[..RandomBytes]);
        CodeOf(key, bytes[..RandomBytes]).CopyTo(bytes[RandomBytes..]);
        text = Prefix + Base64Url.EncodeToString(bytes);
        return new LinkSecret(text, bytes[..RandomBytes], 0, null);
    }

    /// <summary>Whether a request brings one, valid or not, in its query, as a token, or by Basic authentication.</summary>
    public static bool IsIn(HttpRequest request) =>
        (request.QueryString.HasValue && request.Query.ContainsKey(Key))
        || (request.Headers.Authorization is { Count: > 0 } field && field.ToString().StartsWith("Bearer " + Prefix, StringComparison.OrdinalIgnoreCase))
        || BasicIn(request) is not null;

    /// <summary>
    /// The secret that comes by Basic authentication, for programs that mount a folder: as the password with any name, or as the name with the
    /// link's own password. Null without one.
    /// </summary>
    public static (string Text, string? Password)? BasicIn(HttpRequest request) =>
        BasicCredentials.In(request) is not var (name, password) ? null
        : password.StartsWith(Prefix, StringComparison.Ordinal) ? (password, null)
        : name.StartsWith(Prefix, StringComparison.Ordinal) ? (name, password)
        : null;

    /// <summary>The text of a request's secret; null if it has none, or several.</summary>
    public static string? TextIn(HttpRequest request)
    {
        if (request.Query.TryGetValue(Key, out StringValues values))
        {
            // A token beside it would be ambiguous; a password may be sent.
            return values.Count == 1 && !IsBearer(request) ? values[0] : null;
        }

        return IsBearer(request) ? request.Headers.Authorization.ToString()["Bearer ".Length..].Trim() : BasicIn(request)?.Text;
    }

    /// <summary>Reads a secret that was made with a key.</summary>
    public static bool TryParse(string text, LinkKey key, out LinkSecret secret)
    {
        secret = default;
        string[] parts = text.Split('.');
        Span<byte> bytes = stackalloc byte[RandomBytes + CodeBytes];
        if (parts.Length is not (1 or 3)
            || !parts[0].StartsWith(Prefix, StringComparison.Ordinal)
            || parts[0].Length != Prefix.Length + Base64Url.GetEncodedLength(bytes.Length)
            || Base64Url.DecodeFromChars(parts[0].AsSpan(Prefix.Length), bytes, out _, out int length) != System.Buffers.OperationStatus.Done
            || length != bytes.Length
            || !CryptographicOperations.FixedTimeEquals(CodeOf(key, bytes[..RandomBytes]), bytes[RandomBytes..]))
        {
            return false;
        }

        long opened = 0;
        if (parts.Length == 3 && !long.TryParse(parts[1], NumberStyles.None, CultureInfo.InvariantCulture, out opened))
        {
            return false;
        }

        secret = new LinkSecret(parts[0], bytes[..RandomBytes], opened, parts.Length == 3 ? parts[2] : null);
        return true;
    }

    /// <summary>Whether the secret proves that the password was entered.</summary>
    public bool HasPassword(LinkKey key, LinkPassword password, DateTimeOffset now) =>
        _code is not null
        && _opened > now.ToUnixTimeSeconds()
        && CryptographicOperations.FixedTimeEquals(Encoding.ASCII.GetBytes(CodeOf(key, password, _opened)), Encoding.UTF8.GetBytes(_code));

    /// <summary>The secret of a caller that has given the password.</summary>
    public string WithPassword(LinkKey key, LinkPassword password, DateTimeOffset until)
    {
        long seconds = until.ToUnixTimeSeconds();
        return string.Create(CultureInfo.InvariantCulture, $"{_text}.{seconds}.{CodeOf(key, password, seconds)}");
    }

    private static bool IsBearer(HttpRequest request) =>
        request.Headers.Authorization is { Count: 1 } field && field.ToString().StartsWith("Bearer ", StringComparison.OrdinalIgnoreCase);

    private static ReadOnlySpan<byte> CodeOf(LinkKey key, ReadOnlySpan<byte> random) =>
        key.Sign(Encoding.ASCII.GetBytes($"millrace-folder-link-1\n{Convert.ToHexStringLower(random)}")).AsSpan(0, CodeBytes);

    private string CodeOf(LinkKey key, LinkPassword password, long seconds) => Base64Url.EncodeToString(
        key.Sign(Encoding.ASCII.GetBytes(
            string.Create(CultureInfo.InvariantCulture, $"millrace-folder-password-1\n{Id}\n{password.Hash}\n{seconds}"))).AsSpan(0, CodeBytes));
}
