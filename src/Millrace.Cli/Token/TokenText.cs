using System.Globalization;
using Millrace.Transfer.Server;

namespace Millrace.Cli.Token;

/// <summary>What a token allows, for a person.</summary>
internal static class TokenText
{
    /// <summary>For example "read,list below builds until 2026-06-01 12:00 UTC".</summary>
    public static string Describe(TransferToken token)
    {
        string where = token.Prefix.IsRoot ? "" : $" below {token.Prefix}";
        string until = token.Expires is { } expires
            ? $"{(token.IsExpired(DateTimeOffset.UtcNow) ? ", expired at" : " until")} {Time(expires)}"
            : "";
        return TransferScopes.ToText(token.Scopes) + where + until;
    }

    /// <summary>To the minute.</summary>
    public static string Time(DateTimeOffset time) =>
        time.UtcDateTime.ToString("yyyy-MM-dd HH:mm 'UTC'", CultureInfo.InvariantCulture);
}
