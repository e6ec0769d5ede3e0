namespace Millrace.Transfer;

/// <summary>A file in a store, as it was at one moment.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Length">Its bytes.</param>
/// <param name="Modified">When it was last changed.</param>
/// <param name="Tag">Its version: another one has another tag.</param>
/// <param name="Sha256">Its digest; null only where it was not asked for and is not known.</param>
public sealed record StoredFile(
    TransferName Name, long Length, DateTimeOffset Modified, EntityTag Tag, Sha256Digest? Sha256);
