namespace Millrace.Transfer;

/// <summary>A file or folder of a server's listing.</summary>
/// <param name="Name">Its whole name, from the store's root.</param>
/// <param name="IsFolder">Whether it is a folder; then the rest is null.</param>
/// <param name="Length">Its bytes.</param>
/// <param name="Modified">When it was last changed.</param>
/// <param name="Tag">Its version.</param>
/// <param name="Sha256">Its digest, when the server knows it.</param>
public sealed record RemoteEntry(
    TransferName Name, bool IsFolder, long? Length, DateTimeOffset? Modified, EntityTag? Tag, Sha256Digest? Sha256);
