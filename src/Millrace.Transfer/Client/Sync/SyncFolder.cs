namespace Millrace.Transfer;

/// <summary>One side of a <see cref="FolderSync"/>: a folder here, or one on a server. Thread-safe.</summary>
public abstract class SyncFolder
{
    private protected SyncFolder()
    {
    }

    /// <summary>A folder here.</summary>
    /// <param name="path">It need not exist if it is the target.</param>
    public static SyncFolder Here(string path)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        return new SyncFolderHere(Path.GetFullPath(path));
    }

    /// <summary>A folder on a server.</summary>
    /// <param name="client">Stays the caller's.</param>
    /// <param name="folder">The folder; <c>default</c> for all files of the server.</param>
    public static SyncFolder OnServer(TransferClient client, TransferName folder)
    {
        ArgumentNullException.ThrowIfNull(client);
        return new SyncFolderOnServer(client, folder);
    }

    /// <summary>All files, in the order of their names below the folder; nothing if there is no such folder.</summary>
    /// <param name="links">Whether links are entries of their own, and not their targets.</param>
    /// <param name="faults">Receives what could not be read or has no name on the other side.</param>
    /// <param name="cancellationToken">Ends it.</param>
    internal abstract IAsyncEnumerable<SyncEntry> ListAsync(bool links, Action<SyncFault> faults, CancellationToken cancellationToken);

    /// <summary>A file, or all files of a folder in the order of their names; nothing if there is neither.</summary>
    internal abstract IAsyncEnumerable<SyncEntry> ListAsync(TransferName name, bool links, Action<SyncFault> faults, CancellationToken cancellationToken);

    /// <summary>A file as it is now; null if there is none.</summary>
    internal abstract ValueTask<SyncEntry?> FindAsync(TransferName name, bool links, CancellationToken cancellationToken);

    /// <summary>The digest of a file; null if it is not to be had.</summary>
    internal abstract ValueTask<Sha256Digest?> HashAsync(SyncEntry entry, CancellationToken cancellationToken);

    /// <summary>The digests of the files that are listed next will probably be needed.</summary>
    internal virtual void ExpectHashes()
    {
    }

    /// <summary>Gives a file of this folder the date that it has on the other side, if that is possible without sending it.</summary>
    internal abstract ValueTask SetTimeAsync(SyncEntry entry, FileTime modified, CancellationToken cancellationToken);

    /// <summary>Whether the owner of a file may run it; null where no file has that.</summary>
    /// <param name="entry">The file.</param>
    /// <param name="other">The other side's bit; null if it was not requested.</param>
    /// <param name="cancellationToken">Ends it.</param>
    internal abstract ValueTask<bool?> IsExecutableAsync(SyncEntry entry, bool? other, CancellationToken cancellationToken);

    /// <summary>The name of a folder for removed files below this one; null if it is elsewhere.</summary>
    internal abstract TransferName? Below(string folder);

    /// <summary>Renames a file within the folder, to a name that nothing has.</summary>
    internal abstract Task MoveAsync(SyncEntry from, TransferName to, CancellationToken cancellationToken);

    /// <summary>Moves a file to a folder outside the synced one, and replaces one of its name there.</summary>
    internal abstract Task KeepAsync(SyncEntry entry, string folder, CancellationToken cancellationToken);

    /// <summary>Makes a link, in the place of the listed file or link.</summary>
    internal abstract Task LinkAsync(SyncEntry link, SyncEntry? listed, CancellationToken cancellationToken);

    /// <summary>Removes a file or a link that is still the listed one.</summary>
    internal abstract Task RemoveAsync(SyncEntry entry, CancellationToken cancellationToken);

    /// <summary>Removes a folder that has no files, with the folders in it.</summary>
    /// <returns>Whether there was one, and is none any more.</returns>
    internal abstract Task<bool> TryClearAsync(TransferName folder, CancellationToken cancellationToken);

    /// <summary>Removes a folder if it is empty.</summary>
    internal abstract Task RemoveEmptyAsync(TransferName folder, CancellationToken cancellationToken);

    /// <summary>Its name in the folder that it is in; empty if it is in none.</summary>
    internal abstract string OwnName { get; }

    /// <summary>A folder beside it.</summary>
    internal abstract SyncFolder Sibling(string name);

    /// <summary>Whether it exists.</summary>
    internal abstract Task<bool> ExistsAsync(CancellationToken cancellationToken);

    /// <summary>The folders beside it whose names begin with its name and this.</summary>
    internal abstract Task<IReadOnlyList<string>> SiblingsAsync(string suffix, CancellationToken cancellationToken);

    /// <summary>Makes a folder of the same files beside it, whose name is this and its version, or finds it.</summary>
    /// <returns>Null if it does not exist.</returns>
    internal abstract Task<(string Name, string Version)?> CloneAsync(string prefix, CancellationToken cancellationToken);

    /// <summary>Gives it and a folder beside it each other's name.</summary>
    /// <param name="sibling">The other folder.</param>
    /// <param name="version">The version that it must have; null for any.</param>
    /// <param name="cancellationToken">Until it begins.</param>
    internal abstract Task ExchangeAsync(string sibling, string? version, CancellationToken cancellationToken);

    /// <summary>Renames a folder beside it to a name that nothing has.</summary>
    internal abstract Task MoveSiblingAsync(string from, string to, CancellationToken cancellationToken);

    /// <summary>Deletes a folder beside it with everything in it.</summary>
    internal abstract Task DeleteSiblingAsync(string sibling, CancellationToken cancellationToken);

    private protected static TransferException KeepsItself() => new(
        TransferError.InvalidRequest, "The folder for removed files is the target itself. Name another one.");

    private protected static TransferException Changed(TransferName name) => new(
        TransferError.PreconditionFailed, $"'{name}' was changed in the target after it was compared.", name.Value);
}

/// <summary>A file of a side.</summary>
/// <param name="Name">Its name below the folder.</param>
/// <param name="Length">Its bytes.</param>
/// <param name="Modified">When it was last changed.</param>
/// <param name="Tag">Its version on a server.</param>
/// <param name="Sha256">Its digest, where it is known.</param>
internal sealed record SyncEntry(TransferName Name, long Length, FileTime Modified, EntityTag? Tag = null, Sha256Digest? Sha256 = null)
{
    /// <summary>The target of a link, if links are entries of their own; null for a file.</summary>
    public string? LinkTarget { get; init; }

    /// <summary>Whether its owner may run it; of a folder here <see cref="SyncFolder.IsExecutableAsync"/> finds it out.</summary>
    public bool IsExecutable { get; init; }
}

/// <summary>Something that cannot be synced.</summary>
/// <param name="Where">A path or a URL.</param>
/// <param name="Exception">Why.</param>
/// <param name="HidesFiles">Whether files may be there that the listing lacks: then nothing may be deleted on the other side.</param>
public sealed record SyncFault(string Where, Exception Exception, bool HidesFiles);
