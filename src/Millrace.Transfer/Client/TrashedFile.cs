namespace Millrace.Transfer;

/// <summary>A deleted or replaced file in the trash of a server, or a deleted folder with everything in it.</summary>
/// <param name="Id">Names it in the trash.</param>
/// <param name="Name">The name that it had.</param>
/// <param name="IsFolder">Whether it is a folder.</param>
/// <param name="Length">Bytes of the file, or of all files in the folder.</param>
/// <param name="Deleted">When it was deleted or replaced.</param>
/// <param name="DeletedBy">The name of the token or user that did that; null if the caller was anonymous.</param>
/// <param name="IsReplaced">Whether another version replaced it.</param>
public sealed record TrashedFile(
    string Id, TransferName Name, bool IsFolder, long Length, DateTimeOffset Deleted, string? DeletedBy, bool IsReplaced);
