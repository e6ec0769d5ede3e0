namespace Millrace.Transfer.Server;

/// <summary>A file or folder of a listing.</summary>
/// <param name="Name">Its whole name.</param>
/// <param name="File">What is known of it, its digest only if that is kept; null for a folder.</param>
/// <param name="Modified">When it was last changed.</param>
public readonly record struct FileEntry(TransferName Name, StoredFile? File, DateTimeOffset Modified)
{
    /// <summary>Whether it is a folder.</summary>
    public bool IsFolder => File is null;
}
