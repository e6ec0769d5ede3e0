namespace Millrace.Transfer.Server;

/// <summary>The file of a <see cref="TokenStore"/>.</summary>
internal sealed record TokenDocument
{
    public const int CurrentVersion = 1;

    public int Version { get; init; } = CurrentVersion;

    public IReadOnlyList<TokenEntry> Tokens { get; init; } = [];

    /// <summary>The key of signed links in base64; null until the first link.</summary>
    public string? LinkKey { get; init; }

    /// <summary>Counts the keys: a link names the one that it was signed with.</summary>
    public int LinkKeyVersion { get; init; }
}
