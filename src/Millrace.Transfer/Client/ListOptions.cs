namespace Millrace.Transfer;

/// <summary>What is listed.</summary>
public readonly record struct ListOptions
{
    /// <summary>The folder; <c>default</c> for the root.</summary>
    public TransferName Folder { get; init; }

    /// <summary>Whether the files of folders in it are listed too (then folders themselves are not).</summary>
    public bool Recursive { get; init; }

    /// <summary>
    /// Whether symbolic links are listed as such, and not as their targets. Links that lead out of what the server gives to this caller are
    /// left out. Servers without links list none, and older ones their targets.
    /// </summary>
    public bool SymbolicLinks { get; init; }

    /// <summary>
    /// Is called before the entries of a page with the number of those that are missing in it: because of their names, which the
    /// server does not take, or their kind, or because the server may not read them. Not called for none.
    /// </summary>
    public Action<OmittedEntries>? Omitted { get; init; }

    /// <summary>Only names below the folder that begin with this.</summary>
    internal string? Prefix { get; init; }

    /// <summary>Tells when digests are needed, without which a listing is faster; null for always.</summary>
    internal DigestDemand? Demand { get; init; }
}
