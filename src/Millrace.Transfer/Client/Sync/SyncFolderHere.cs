using System.Runtime.CompilerServices;
using Millrace.Interop;

namespace Millrace.Transfer;

/// <summary>A folder here.</summary>
internal sealed class SyncFolderHere(string root, bool isStage = false) : SyncFolder
{
    private LocalFolder? _local;

    /// <summary>Made when something is written.</summary>
    private LocalFolder Local => _local ??= new LocalFolder(root);

    public string Root => root;

    /// <summary>The path of a file that is there.</summary>
    public string PathOf(TransferName name) => Path.Combine(root, name.Value.Replace('/', Path.DirectorySeparatorChar));

    /// <summary>The path of a file that is about to be written: its folders are there, and no link leads out.</summary>
    public string Prepare(TransferName name)
    {
        FolderItem item = Local.ItemOf(name, default);
        item.ThrowIfUnusable();
        Local.Prepare(item.Path, name);
        return item.Path;
    }

    /// <summary>The same for a file or link where links are not followed.</summary>
    public string PrepareWithoutLinks(TransferName name, bool replace)
    {
        FolderItem item = Local.ItemOf(name, default);
        item.ThrowIfUnusable();
        Local.PrepareWithoutLinks(item.Path, name, replace);
        return item.Path;
    }

    /// <summary>Throws unless a file is still as it was listed.</summary>
    public void ThrowIfChanged(TransferName name, SyncEntry? listed)
    {
        if (listed?.LinkTarget is { } target)
        {
            if (SymbolicLink.Read(PathOf(name)) != target)
            {
                throw Changed(name);
            }

            return;
        }

        bool isThere = LocalTime.TryLook(PathOf(name), out long length, out FileTime modified);
        if (isThere != (listed is not null) || (listed is not null && (length != listed.Length || modified != listed.Modified)))
        {
            throw Changed(name);
        }
    }

    internal override IAsyncEnumerable<SyncEntry> ListAsync(bool links, Action<SyncFault> faults, CancellationToken cancellationToken) =>
        ReadAhead.RunAsync(Directory.Exists(root) ? Entries(LocalFolder.Files(root, default, links: links), faults) : [], cancellationToken);

    internal override async IAsyncEnumerable<SyncEntry> ListAsync(
        TransferName name, bool links, Action<SyncFault> faults, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        foreach (SyncEntry entry in Entries(LocalFolder.At(PathOf(name), name, links), faults))
        {
            cancellationToken.ThrowIfCancellationRequested();
            yield return entry;
        }
    }

    private static IEnumerable<SyncEntry> Entries(IEnumerable<FolderItem> items, Action<SyncFault> faults)
    {
        foreach (FolderItem item in items)
        {
            if (item.Fault is { } fault)
            {
                faults(new SyncFault(item.Path, fault, HidesFiles: fault is not TransferException));
            }
            else
            {
                yield return new SyncEntry(item.Name, item.Length, item.Modified) { LinkTarget = item.LinkTarget };
            }
        }
    }

    internal override ValueTask<SyncEntry?> FindAsync(TransferName name, bool links, CancellationToken cancellationToken) => ValueTask.FromResult(
        links && SymbolicLink.Read(PathOf(name)) is { } target ? new SyncEntry(name, 0, default) { LinkTarget = target }
        : LocalTime.TryLook(PathOf(name), out long length, out FileTime modified) ? new SyncEntry(name, length, modified) : null);

    internal override async ValueTask<Sha256Digest?> HashAsync(SyncEntry entry, CancellationToken cancellationToken) =>
        await LocalFolder.HashAsync(PathOf(entry.Name), cancellationToken).ConfigureAwait(false);

    internal override ValueTask SetTimeAsync(SyncEntry entry, FileTime modified, CancellationToken cancellationToken)
    {
        try
        {
            ThrowIfChanged(entry.Name, entry);
            string path = Prepare(entry.Name);
            if (isStage)
            {
                // The file may have a second name in the folder's present version, whose date stays.
                // Not a name that a clean-up removes: nothing holds a lock on the copy.
                string copy = Path.Combine(Path.GetDirectoryName(path)!, $".millrace-{Guid.NewGuid():N}.tmp");
                File.Copy(path, copy);
                LocalTime.Set(copy, modified);
                File.Move(copy, path, overwrite: true);
                return ValueTask.CompletedTask;
            }

            LocalTime.Set(path, modified);
        }
        catch (TransferException)
        {
            // It is another file by now, or a link leads out of the folder: that file is not this folder's.
        }

        return ValueTask.CompletedTask;
    }

    internal override ValueTask<bool?> IsExecutableAsync(SyncEntry entry, bool? other, CancellationToken cancellationToken) => new(ExecutableBit.Of(PathOf(entry.Name)));

    internal override TransferName? Below(string folder)
    {
        string relative = Path.GetRelativePath(root, Path.Combine(root, folder)).Replace(Path.DirectorySeparatorChar, '/');
        return relative == "." ? throw KeepsItself() : TransferName.TryParse(relative, out TransferName name) ? name : null;
    }

    internal override Task MoveAsync(SyncEntry from, TransferName to, CancellationToken cancellationToken)
    {
        ThrowIfChanged(from.Name, from);
        File.Move(Prepare(from.Name), Prepare(to));
        return Task.CompletedTask;
    }

    internal override Task KeepAsync(SyncEntry entry, string folder, CancellationToken cancellationToken)
    {
        ThrowIfChanged(entry.Name, entry);
        string kept = Path.Combine(root, folder, entry.Name.Value.Replace('/', Path.DirectorySeparatorChar));
        Directory.CreateDirectory(Path.GetDirectoryName(kept)!);
        File.Move(Prepare(entry.Name), kept, overwrite: true);
        return Task.CompletedTask;
    }

    internal override Task LinkAsync(SyncEntry link, SyncEntry? listed, CancellationToken cancellationToken)
    {
        FolderItem item = Local.ItemOf(link.Name, default);
        item.ThrowIfUnusable();
        if (listed is not null)
        {
            ThrowIfChanged(link.Name, listed);
        }

        try
        {
            Local.CreateLink(item.Path, link.Name, link.LinkTarget!, replace: listed is not null);
        }
        catch (IOException exception) when (exception is not TransferException && listed is null && (SymbolicLink.Read(item.Path) is not null || File.Exists(item.Path)))
        {
            throw Changed(link.Name);
        }

        return Task.CompletedTask;
    }

    internal override Task RemoveAsync(SyncEntry entry, CancellationToken cancellationToken)
    {
        ThrowIfChanged(entry.Name, entry);
        if (entry.LinkTarget is not null)
        {
            // That deletes the link.
            PrepareWithoutLinks(entry.Name, replace: true);
            return Task.CompletedTask;
        }

        File.Delete(Prepare(entry.Name));
        return Task.CompletedTask;
    }

    internal override Task<bool> TryClearAsync(TransferName folder, CancellationToken cancellationToken)
    {
        return Task.FromResult(TryClear(new DirectoryInfo(PathOf(folder))));

        static bool TryClear(DirectoryInfo folder)
        {
            try
            {
                if (!folder.Exists || folder.LinkTarget is not null
                    || folder.EnumerateFileSystemInfos().Any(static inner => inner is not DirectoryInfo directory || !TryClear(directory)))
                {
                    return false;
                }

                folder.Delete();
                return true;
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                return false;
            }
        }
    }

    internal override Task RemoveEmptyAsync(TransferName folder, CancellationToken cancellationToken)
    {
        string path = PathOf(folder);
        try
        {
            if (new DirectoryInfo(path).LinkTarget is null)
            {
                Directory.Delete(path);
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // It has something that is not synced.
        }

        return Task.CompletedTask;
    }

    internal override string OwnName => Path.GetFileName(Path.TrimEndingDirectorySeparator(root));

    internal override SyncFolder Sibling(string name) => new SyncFolderHere(PathOfSibling(name), isStage: true);

    internal override Task<bool> ExistsAsync(CancellationToken cancellationToken) => Task.FromResult(Directory.Exists(root));

    internal override Task<IReadOnlyList<string>> SiblingsAsync(string suffix, CancellationToken cancellationToken)
    {
        string parent = PathOfSibling("");
        return Task.FromResult<IReadOnlyList<string>>(
        [
            .. (Directory.Exists(parent) ? Directory.EnumerateDirectories(parent) : [])
                .Select(static path => Path.GetFileName(path))
                .Where(name => name.StartsWith(OwnName + suffix, StringComparison.Ordinal)),
        ]);
    }

    internal override async Task<(string Name, string Version)?> CloneAsync(string prefix, CancellationToken cancellationToken)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        ThrowIfLink();
        if (!Directory.Exists(root))
        {
            return null;
        }

        string version = FolderClone.VersionOf(root, NativeFeatures.Linux, out _, cancellationToken);
        if (!Directory.Exists(PathOfSibling(prefix + version)))
        {
            // If this process is killed, the next one deletes it by its name.
            string unfinished = PathOfSibling($"{prefix}{Guid.NewGuid():N}");
            version = FolderClone.Create(root, unfinished, NativeFeatures.Linux, isDurable: true, cancellationToken);
            Directory.Move(unfinished, PathOfSibling(prefix + version));
        }

        return (prefix + version, version);
    }

    internal override async Task ExchangeAsync(string sibling, string? version, CancellationToken cancellationToken)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        ThrowIfLink();
        if (version is not null && FolderClone.VersionOf(root, NativeFeatures.Linux, out _, cancellationToken) != version)
        {
            throw new TransferException(TransferError.PreconditionFailed, $"'{root}' was changed after its next version was begun.", root);
        }

        FolderClone.Exchange(root, PathOfSibling(sibling), NativeFeatures.Linux);
    }

    internal override Task MoveSiblingAsync(string from, string to, CancellationToken cancellationToken)
    {
        if (Path.Exists(PathOfSibling(to)))
        {
            throw new TransferException(TransferError.AlreadyExists, $"Something has the name '{PathOfSibling(to)}' already.", to);
        }

        Directory.Move(PathOfSibling(from), PathOfSibling(to));
        return Task.CompletedTask;
    }

    internal override Task DeleteSiblingAsync(string sibling, CancellationToken cancellationToken)
    {
        Directory.Delete(PathOfSibling(sibling), recursive: true);
        return Task.CompletedTask;
    }

    private string PathOfSibling(string name) => Path.Combine(Path.GetDirectoryName(Path.TrimEndingDirectorySeparator(root)) ?? root, name);

    /// <summary>An exchange would replace the link, not the folder.</summary>
    private void ThrowIfLink()
    {
        if (new DirectoryInfo(root).LinkTarget is { } target)
        {
            throw new TransferException(
                TransferError.InvalidRequest, $"'{root}' is a link and cannot be published as a whole. Name its target: '{target}'.", root);
        }
    }
}
