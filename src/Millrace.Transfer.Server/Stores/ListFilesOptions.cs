namespace Millrace.Transfer.Server;

/// <summary>Selects the entries to list.</summary>
public readonly record struct ListFilesOptions
{
    /// <summary>Default of <see cref="PageSize"/>.</summary>
    /// <remarks>About 200 KiB of JSON.</remarks>
    internal const int DefaultPageSize = 1000;

    private readonly int? _pageSize;

    /// <summary>The folder; <c>default</c> for the root.</summary>
    public TransferName Folder { get; init; }

    /// <summary>Only names whose text below <see cref="Folder"/> begins with this; null or empty for all.</summary>
    public string? Prefix { get; init; }

    /// <summary>Whether files of folders in it are listed too; then folders themselves are not.</summary>
    public bool Recursive { get; init; }

    /// <summary>
    /// Whether symbolic links are listed as such (<see cref="FileEntry.LinkTarget"/>) and not as their targets. Those that a client could not
    /// have made are left out. A store without links ignores it.
    /// </summary>
    public bool SymbolicLinks { get; init; }

    /// <summary>Only names after this one, which is <see cref="FilePage.Next"/> of the page before.</summary>
    public TransferName After { get; init; }

    /// <summary>
    /// Whether <see cref="StoredFile.Sha256"/> is not wanted: a listing that does not look for digests is several times as fast. A store may
    /// return them anyway.
    /// </summary>
    public bool OmitDigests { get; init; }

    /// <summary>Entries at most, 1 to 10,000.</summary>
    public int PageSize
    {
        get => _pageSize ?? DefaultPageSize;
        init
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, 10_000);
            _pageSize = value;
        }
    }
}
