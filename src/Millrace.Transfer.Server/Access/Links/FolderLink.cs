namespace Millrace.Transfer.Server;

/// <summary>A link to a folder, without its secret: see <see cref="FolderLinks"/>.</summary>
public sealed record FolderLink
{
    /// <summary>Names the link in lists; it does not open it.</summary>
    public required string Id { get; init; }

    /// <summary>The folder, with everything below it; <c>default</c> for everything.</summary>
    public TransferName Folder { get; init; }

    /// <summary>Whether files can be dropped into the folder, and nothing be seen of it; otherwise it can be listed and downloaded.</summary>
    public bool IsDrop { get; init; }

    /// <summary>The name of the token that made it; null if the owner of the folder did.</summary>
    public string? Owner { get; init; }

    /// <summary>When it was made.</summary>
    public DateTimeOffset Created { get; init; }

    /// <summary>When it expires.</summary>
    public DateTimeOffset Expires { get; init; }

    /// <summary>Whether it asks for a password.</summary>
    public bool HasPassword { get; init; }

    /// <summary>How many files may be downloaded, or dropped; null for any number.</summary>
    public long? MaxUses { get; init; }

    /// <summary>How many bytes may be downloaded, or dropped; null for any number.</summary>
    public long? MaxBytes { get; init; }

    /// <summary>Whether the page asks for the sender's name.</summary>
    public bool AsksName { get; init; }

    /// <summary>How many files were downloaded, or dropped.</summary>
    public long Uses { get; init; }

    /// <summary>How many bytes were.</summary>
    public long Bytes { get; init; }
}

/// <summary>The options of a new link to a folder.</summary>
public readonly record struct FolderLinkOptions
{
    /// <summary>The folder; <c>default</c> for everything.</summary>
    public TransferName Folder { get; init; }

    /// <inheritdoc cref="FolderLink.IsDrop"/>
    public bool IsDrop { get; init; }

    /// <summary>How long it is valid: more than zero, and at most 366 days.</summary>
    public TimeSpan Lifetime { get; init; }

    /// <summary>A password of at most 256 characters; null for none.</summary>
    public string? Password { get; init; }

    /// <inheritdoc cref="FolderLink.MaxUses"/>
    public long? MaxUses { get; init; }

    /// <inheritdoc cref="FolderLink.MaxBytes"/>
    public long? MaxBytes { get; init; }

    /// <inheritdoc cref="FolderLink.AsksName"/>
    public bool AsksName { get; init; }

    /// <inheritdoc cref="FolderLink.Owner"/>
    public string? Owner { get; init; }

    /// <summary>The folder that symbolic links in it may not lead out of; <c>default</c> for the whole store.</summary>
    public TransferName Prefix { get; init; }

    /// <summary>Does not show the password, which must not get into a log.</summary>
    public override string ToString() => $"{nameof(FolderLinkOptions)} {{ {nameof(Folder)} = {Folder}, {nameof(IsDrop)} = {IsDrop} }}";
}

/// <summary>A new link with its secret.</summary>
/// <param name="Link">The link.</param>
/// <param name="Secret">
/// What opens it: <c>?mr-link=SECRET</c> after the URL of the folder or of a file in it, or <c>Authorization: Bearer SECRET</c>. It is not
/// stored and cannot be shown again.
/// </param>
public sealed record CreatedFolderLink(FolderLink Link, string Secret)
{
    /// <summary>Describes the link without its secret.</summary>
    public override string ToString() => $"{nameof(CreatedFolderLink)} {{ {nameof(Link)} = {Link} }}";
}
