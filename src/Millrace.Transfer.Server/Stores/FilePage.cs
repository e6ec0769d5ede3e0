namespace Millrace.Transfer.Server;

/// <summary>A page of a listing.</summary>
/// <param name="Entries">In the order of their names.</param>
/// <param name="Next">What to continue with; <c>default</c> (the root) at the end.</param>
public sealed record FilePage(IReadOnlyList<FileEntry> Entries, TransferName Next)
{
    /// <summary>
    /// How many entries the page leaves out between its names, because no request could name them (a name that the store does not take),
    /// they are neither files nor folders, they are links that lead nowhere or out, or the store may not read them. The pages of a
    /// listing add up to all of them.
    /// </summary>
    public OmittedEntries Omitted { get; init; }
}

/// <summary>A file or folder of a listing.</summary>
/// <param name="Name">Its whole name.</param>
/// <param name="File">The file, with its digest only if that is stored; null for a folder.</param>
/// <param name="Modified">When it was last changed.</param>
public readonly record struct FileEntry(TransferName Name, StoredFile? File, FileTime Modified)
{
    /// <summary>Whether it is a folder.</summary>
    public bool IsFolder => File is null;

    /// <summary>
    /// The target of a symbolic link: a relative path with slashes, in the folder that the caller may use. Null for anything else, and always without
    /// <see cref="ListFilesOptions.SymbolicLinks"/>. The tag and the date of <see cref="File"/> are those of the link.
    /// </summary>
    public string? LinkTarget { get; init; }
}
