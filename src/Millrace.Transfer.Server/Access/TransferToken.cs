namespace Millrace.Transfer.Server;

/// <summary>What is known of a token. Its secret is not: that is shown once, and only its hash is kept.</summary>
/// <param name="Name">What it is called, in logs too; 1 to 64 letters, digits, <c>.</c>, <c>_</c> and <c>-</c>.</param>
/// <param name="Scopes">What it allows.</param>
/// <param name="Prefix">The folder or file that it is for; <c>default</c> for everything.</param>
/// <param name="Created">When it was made.</param>
/// <param name="Expires">When it stops to be valid; null for never.</param>
public sealed record TransferToken(
    string Name, TransferScope Scopes, TransferName Prefix, DateTimeOffset Created, DateTimeOffset? Expires)
{
    /// <summary>Longest <see cref="Name"/>, in characters.</summary>
    /// <remarks>What fits into a column of a listing and a tag of a metric.</remarks>
    public const int MaxNameLength = 64;

    /// <summary>Whether it has ceased to be valid.</summary>
    public bool IsExpired(DateTimeOffset now) => Expires <= now;

    /// <summary>Whether a text can be the name of a token.</summary>
    public static bool IsName(string? text) =>
        text is { Length: > 0 and <= MaxNameLength }
        && text.All(c => char.IsAsciiLetterOrDigit(c) || c is '.' or '_' or '-');
}

/// <summary>A token that was just made.</summary>
/// <param name="Token">What is known of it.</param>
/// <param name="Secret">For <c>Authorization: Bearer</c>. It is kept nowhere and cannot be shown again.</param>
public sealed record CreatedToken(TransferToken Token, string Secret);
