namespace Millrace.Transfer.Server;

/// <summary>The file of a <see cref="TokenStore"/>.</summary>
/// <remarks>Not init-only: generated readers give those what is missing in the file as null, whatever they begin with.</remarks>
internal sealed record TokenDocument
{
    public const int CurrentVersion = 1;

    public int Version { get; set; } = CurrentVersion;

    public IReadOnlyList<TokenEntry> Tokens { get; set; } = [];

    /// <summary>The key of signed links in base64; null until the first link.</summary>
    public string? LinkKey { get; set; }

    /// <summary>Counts the keys: a link names the one that it was signed with.</summary>
    public int LinkKeyVersion { get; set; }
}
