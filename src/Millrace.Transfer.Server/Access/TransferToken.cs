namespace Millrace.Transfer.Server;

/// <summary>A token without its secret, which is shown once and stored only as a hash.</summary>
/// <param name="Name">The name, also in logs; 1 to 64 letters, digits, <c>.</c>, <c>_</c> and <c>-</c>.</param>
/// <param name="Scopes">The allowed operations.</param>
/// <param name="Prefix">The only folder or file for which it is valid; <c>default</c> for everything.</param>
/// <param name="Created">When it was created.</param>
/// <param name="Expires">When it expires; null for never.</param>
public sealed record TransferToken(
    string Name, TransferScope Scopes, TransferName Prefix, DateTimeOffset Created, DateTimeOffset? Expires)
{
    /// <summary>Longest <see cref="Name"/>, in characters.</summary>
    /// <remarks>What fits into a column of a listing and a tag of a metric.</remarks>
    internal const int MaxNameLength = 64;

    /// <summary>
    /// Bytes per second that its callers together send, and as many that they receive; null for
    /// <see cref="TransferLimits.MaxRatePerCaller"/>, which it replaces.
    /// </summary>
    public long? MaxRate { get; init; }

    /// <summary>Whether it has expired.</summary>
    public bool IsExpired(DateTimeOffset now) => Expires <= now;

    /// <summary>Whether a text can be the name of a token.</summary>
    public static bool IsName(string? text) =>
        text is { Length: > 0 and <= MaxNameLength }
        && text.All(c => char.IsAsciiLetterOrDigit(c) || c is '.' or '_' or '-');
}

/// <summary>A new token with its secret.</summary>
/// <param name="Token">The token.</param>
/// <param name="Secret">For <c>Authorization: Bearer</c>. It is not stored and cannot be shown again.</param>
public sealed record CreatedToken(TransferToken Token, string Secret)
{
    /// <summary>Describes the token without its secret, which must not get into a log.</summary>
    public override string ToString() => $"{nameof(CreatedToken)} {{ {nameof(Token)} = {Token} }}";
}
