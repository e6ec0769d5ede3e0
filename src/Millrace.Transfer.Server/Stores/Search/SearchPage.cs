namespace Millrace.Transfer.Server;

/// <summary>The results of a search since its last page.</summary>
/// <param name="Entries">The files and folders, in no particular order; the digests of files are not looked up.</param>
/// <param name="Searched">Names that were looked at since the search began.</param>
public sealed record SearchPage(IReadOnlyList<FileEntry> Entries, long Searched)
{
    /// <summary>
    /// Entries so far that are left out, with everything below them: the store may not read them, no request could name them, or they are
    /// too many folders to remember.
    /// </summary>
    public int Omitted { get; init; }
}
