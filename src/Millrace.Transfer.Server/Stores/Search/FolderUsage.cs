namespace Millrace.Transfer.Server;

/// <summary>The content of a folder, counted so far.</summary>
/// <param name="Files">Files at any depth.</param>
/// <param name="Folders">Folders at any depth.</param>
/// <param name="Bytes">Bytes of the files.</param>
public sealed record FolderUsage(long Files, long Folders, long Bytes)
{
    /// <summary>Entries so far that are not counted: the store may not read them, no request could name them, or they are too many to remember.</summary>
    public int Omitted { get; init; }
}
