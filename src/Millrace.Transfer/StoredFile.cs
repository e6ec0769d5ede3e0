namespace Millrace.Transfer;

/// <summary>A file in a store, as it was at one moment.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Length">Its bytes.</param>
/// <param name="Modified">
/// When it was last changed, if its writer specified it, or else when it was published. A bucket does not report the latter for a file
/// that it takes in one request: the writer's result has the server's time then, in whole seconds.
/// </param>
/// <param name="Tag">Its version: another one has another tag.</param>
/// <param name="Sha256">Its digest; null only where it was not asked for and is not known.</param>
public sealed record StoredFile(
    TransferName Name, long Length, FileTime Modified, EntityTag Tag, Sha256Digest? Sha256)
{
    /// <summary>Whether its owner may run it as a program. A bucket knows it only of a single file, not in listings.</summary>
    public bool IsExecutable { get; init; }
}

/// <summary>
/// A strong entity tag (RFC 9110, section 8.8.3): two versions of a file with the same tag have the same bytes.
/// </summary>
/// <param name="Value">The tag without its quotes: printable ASCII without a quote.</param>
public readonly record struct EntityTag(string Value)
{
    /// <summary>With its quotes, as a header has it.</summary>
    public override string ToString() => $"\"{Value}\"";
}

/// <summary>A file or folder of a server's listing.</summary>
/// <param name="Name">Its whole name, from the store's root.</param>
/// <param name="IsFolder">Whether it is a folder; then the rest is null.</param>
/// <param name="Length">Its bytes.</param>
/// <param name="Modified">When it was last changed.</param>
/// <param name="Tag">Its version.</param>
/// <param name="Sha256">Its digest, when the server knows it.</param>
public sealed record RemoteEntry(
    TransferName Name, bool IsFolder, long? Length, FileTime? Modified, EntityTag? Tag, Sha256Digest? Sha256)
{
    /// <inheritdoc cref="StoredFile.IsExecutable"/>
    public bool IsExecutable { get; init; }

    /// <summary>
    /// The target of a symbolic link, if links were asked for (<see cref="ListOptions.SymbolicLinks"/>): as the server sent it, not checked. Null
    /// for a file or folder. <see cref="Tag"/> is that of the link.
    /// </summary>
    public string? LinkTarget { get; init; }
}
