using System.IO.Enumeration;
using System.Text;
using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Transfer.Server;

/// <summary>Moves files and folders, and creates and deletes folders, as far as a tree leads. Thread-safe.</summary>
internal sealed class LocalFolders(LocalStore store, StoreTree tree, LocalFiles files)
{
    public async ValueTask<StoredFile?> MoveAsync(
        TransferName from, TransferName to, MoveOptions options, CancellationToken cancellationToken)
    {
        LocalFiles.ThrowIfRoot(from);
        LocalFiles.ThrowIfRoot(to);
        if (to.IsIn(from))
        {
            throw Errors.IntoItself(from);
        }

        using NameLocks.Pair entered = await store.Locks.EnterAsync(from, to, cancellationToken);
        try
        {
            using StoreFolder? source = tree.TryOpenFolderOf(from, create: false, follow: false, out string oldName);
            if (source is null || !source.TryLook(oldName, out FileFacts facts, out bool isFolder, out bool isLink))
            {
                throw Errors.NothingThere(from);
            }

            using StoreFolder target = tree.TryOpenFolderOf(to, create: false, follow: false, out string newName)
                ?? throw Errors.NoFolderFor(to);
            FileFacts opened = default;
            using SafeFileHandle? file = isFolder ? null : tree.TryOpenFile(from, out opened);
            ThrowIfNotMovable(source, oldName, from, to, isFolder, isLink, file);
            if (isFolder)
            {
                ThrowIfTooLongBelow(source.PathOf(oldName), from, to, cancellationToken);
            }

            (StoredFile File, FileFacts Facts)? before = file is null
                ? null
                : await files.DescribeAsync(file, opened, from, DigestNeed.IfKnown, cancellationToken);
            options.Source.ThrowIfNotMet(from, before?.File);
            bool replaces = CheckTarget(target, newName, to, mayReplace: options.Replace && file is not null, out long replaced);
            using LocalTrash.KeptVersion? kept = replaces ? store.Trash?.TryKeep(target, newName, to, files.Caller) : null;
            source.Move(oldName, target, newName, replaces);
            if (isFolder || isLink)
            {
                store.CountMove();
            }

            kept?.Replaced();
            store.Limits.AddUsed(kept is null ? -replaced : 0);

            target.Flush();
            if (from.Folder != to.Folder)
            {
                source.Flush();
            }

            if (before is not { } known)
            {
                store.Work.MoveRecords(from, to);
                return null;
            }

            FileDigest? digest = known.File.Sha256 is { } sha256
                ? store.Digests.TryRead(from, known.Facts) ?? new FileDigest(sha256, Crc32: null)
                : null;
            store.Digests.Remove(from);
            return await DescribeMovedAsync(file!, known.Facts, digest, to);
        }
        catch (Exception exception)
            when (exception is IOException and not TransferException or UnauthorizedAccessException)
        {
            throw Errno.Of(exception) switch
            {
                Errno.CrossDevice => Errors.OtherFileSystem(from),
                Errno.InvalidArgument => Errors.IntoItself(from),
                _ => Errors.Translate(exception, $"give the name '{to}' to", from),
            };
        }
    }

    public async ValueTask CreateAsync(TransferName folder, CancellationToken cancellationToken)
    {
        if (folder.IsRoot)
        {
            throw Errors.NameTaken(folder);
        }

        SemaphoreSlim entered = await store.Locks.EnterAsync(folder, cancellationToken);
        try
        {
            using StoreFolder parent = tree.TryOpenFolderOf(folder, create: false, follow: false, out string name)
                ?? throw Errors.NoFolderFor(folder);
            if (parent.TryLook(name, out _, out _, out _))
            {
                throw Errors.NameTaken(folder);
            }

            tree.CreateFolder(parent.PathOf(name));
            parent.Flush();
        }
        catch (Exception exception)
            when (exception is IOException and not TransferException or UnauthorizedAccessException)
        {
            throw Errors.Translate(exception, "create the folder", folder);
        }
        finally
        {
            entered.Release();
        }
    }

    public async ValueTask<bool> DeleteAsync(TransferName folder, CancellationToken cancellationToken)
    {
        LocalFiles.ThrowIfRoot(folder);
        SemaphoreSlim entered = await store.Locks.EnterAsync(folder, cancellationToken);
        try
        {
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            using StoreFolder? parent = tree.TryOpenFolderOf(folder, create: false, follow: false, out string name);
            if (parent is null || !parent.TryLook(name, out _, out bool isFolder, out _) || !isFolder)
            {
                return false;
            }

            bool hasStore = false;
            if (CountOmitted(folder, ref hasStore, cancellationToken) is > 0 and var omitted)
            {
                throw Errors.HasOmitted(folder, omitted);
            }

            if (hasStore)
            {
                throw Errors.HasStore(folder);
            }

            if (TryTake(parent, name, folder))
            {
                store.CountMove();
                parent.Flush();
            }
            else if (TryHide(parent, name) is { } remains)
            {
                store.CountMove();
                parent.Flush();
                TryDeleteRemains(remains);
            }
            else
            {
                FolderWalk.Delete(parent.PathOf(name), store.Native, bytes => store.Limits.AddUsed(-bytes));
                store.CountMove();
                parent.Flush();
            }

            return true;
        }
        catch (Exception exception)
            when (exception is IOException and not TransferException or UnauthorizedAccessException)
        {
            throw Errors.Translate(exception, "delete the folder", folder);
        }
        finally
        {
            entered.Release();
        }
    }

    private void ThrowIfNotMovable(
        StoreFolder source, string oldName, TransferName from, TransferName to, bool isFolder, bool isLink, SafeFileHandle? file)
    {
        if (isFolder)
        {
            if (source.TryLook($"{oldName}/{NameRules.HiddenFolder}", out _, out bool isStore, out _) && isStore)
            {
                throw Errors.HasStore(from);
            }
        }
        else if (isLink)
        {
            using StoreFolder? folder = file is null ? tree.TryOpenFolder(from) : null;
            if (file is null && folder is null)
            {
                throw Errors.NothingThere(from);
            }

            if (from.Folder != to.Folder)
            {
                throw Errors.LinkStays(from);
            }
        }
        else if (file is null)
        {
            throw Errors.IsNoFile(from);
        }
    }

    /// <returns>Whether a file has the name and may be replaced.</returns>
    private bool CheckTarget(StoreFolder target, string newName, TransferName to, bool mayReplace, out long replaced)
    {
        replaced = 0;
        if (!target.TryLook(newName, out FileFacts present, out bool isFolder, out bool isLink))
        {
            return false;
        }

        if (!mayReplace || isFolder)
        {
            throw Errors.NameTaken(to);
        }

        using SafeFileHandle? linked = isLink ? tree.TryOpenFile(to) ?? throw Errors.NameTaken(to) : null;
        if (!isLink && !present.IsRegular)
        {
            throw Errors.IsNoFile(to);
        }

        replaced = isLink ? 0 : present.Length;
        return true;
    }

    /// <summary>The rename has changed the time of the file's last change, and so its tag, but not its content.</summary>
    private async ValueTask<StoredFile> DescribeMovedAsync(
        SafeFileHandle file, FileFacts before, FileDigest? digest, TransferName to)
    {
        FileFacts after = tree.Look(file);
        if (digest is not { } known || (after with { Changed = before.Changed }) != before)
        {
            return (await files.DescribeAsync(file, after, to, DigestNeed.IfKnown, CancellationToken.None)).File;
        }

        store.Watch.Published(after, isGiven: true);
        store.Digests.Write(to, after, known);
        return after.ToFile(to, known.Sha256);
    }

    /// <summary>Gives an entry of the trash a name again.</summary>
    public async ValueTask<TransferName> RestoreAsync(LocalTrash trash, string id, TransferName wanted, CancellationToken cancellationToken)
    {
        TrashEntry entry = trash.Find(id) ?? throw TrashRules.NotFound(id);
        TransferName name = store.Names.Check(wanted.IsRoot ? entry.Name : wanted);
        SemaphoreSlim entered = await store.Locks.EnterAsync(name, cancellationToken);
        try
        {
            using StoreFolder folder = tree.TryOpenFolderOf(name, create: true, follow: false, out string fileName)!;
            if (folder.TryLook(fileName, out _, out _, out _))
            {
                throw Errors.NameTaken(name);
            }

            if (entry.IsFolder)
            {
                using StoreFolder place = trash.Open(id);
                ThrowIfTooLongBelow(place.PathOf(LocalTrash.Content), entry.Name, name, cancellationToken);
            }

            trash.MoveOut(entry, folder, fileName);
            return name;
        }
        catch (Exception exception)
            when (exception is IOException and not TransferException or UnauthorizedAccessException)
        {
            throw Errno.Of(exception) == Errno.CrossDevice ? Errors.OtherFileSystem(name) : Errors.Translate(exception, "restore", name);
        }
        finally
        {
            entered.Release();
        }
    }

    private bool TryTake(StoreFolder parent, string name, TransferName folder)
    {
        if (store.Trash is not { } trash || !files.KeepsDeleted)
        {
            return false;
        }

        long bytes = FolderWalk.Enumerate(parent.PathOf(name), store.Native).Where(static entry => !entry.IsFolder).Sum(static entry => entry.CountedBytes);
        return trash.TryTake(parent, name, folder, isFolder: true, bytes, files.Caller);
    }

    /// <summary>Moves a folder to where no client sees it.</summary>
    /// <returns>Where it is now; null if it is on another file system, where it stays.</returns>
    private string? TryHide(StoreFolder parent, string name)
    {
        Directory.CreateDirectory(store.RemovedPath);
        string place = RandomNumberGenerator.GetHexString(32, lowercase: true);
        using StoreFolder removed = store.OpenOwn(store.RemovedPath);
        try
        {
            parent.Move(name, removed, place, replace: false);
            return Path.Combine(store.RemovedPath, place);
        }
        catch (IOException exception) when (SystemError.Kind(exception, FilePipeError.Failed) == FilePipeError.CrossDevice)
        {
            return null;
        }
    }

    /// <summary>Counts the entries in a folder and all below it that no listing shows; looks for another store on the way.</summary>
    private int CountOmitted(TransferName name, ref bool hasStore, CancellationToken cancellationToken)
    {
        int omitted = 0;
        try
        {
            using StoreFolder? folder = tree.TryOpenFolder(name);
            if (folder is null)
            {
                return 0;
            }

            foreach (string fileName in FolderSnapshot.Enumerate(folder, static (ref FileSystemEntry entry) => entry.FileName.ToString()))
            {
                cancellationToken.ThrowIfCancellationRequested();
                bool exists = folder.TryLook(fileName, out FileFacts facts, out bool isFolder, out bool isLink);
                if (NameRules.IsOfStore(fileName))
                {
                    hasStore |= isFolder && IsStore(fileName);
                    continue;
                }

                if (!TransferName.TryParse($"{name.Value}/{fileName}", out TransferName child) && TransferName.TryParse(fileName, out _))
                {
                    // No client can rename an entry that has a valid name and too many folders above it: its folder has to be deletable.
                    hasStore |= isFolder && FolderWalk.Enumerate(folder.PathOf(fileName), store.Native)
                        .Any(static entry => entry.IsFolder && IsStore(entry.Name));
                    continue;
                }

                omitted += child.IsRoot || !store.Names.Has(child) ? 1
                    : !exists ? folder.Lacks(fileName) ? 0 : 1
                    : isFolder ? CountOmitted(child, ref hasStore, cancellationToken)
                    : (isLink ? LeadsNowhere(child) : !facts.IsRegular) ? 1
                    : 0;
            }
        }
        catch (Exception exception) when (exception is TransferException or UnauthorizedAccessException)
        {
            // Its contents are in no listing.
            omitted++;
        }

        return omitted;
    }

    private bool LeadsNowhere(TransferName link)
    {
        try
        {
            using SafeFileHandle? file = tree.TryOpenFile(link);
            using StoreFolder? folder = file is null ? tree.TryOpenFolder(link) : null;
            return file is null && folder is null;
        }
        catch (TransferException)
        {
            return true;
        }
    }

    private static bool IsStore(string name) => name.Equals(NameRules.HiddenFolder, StringComparison.OrdinalIgnoreCase);

    /// <summary>Otherwise clients could not name, list or delete the folder's contents after the move.</summary>
    private void ThrowIfTooLongBelow(string path, TransferName from, TransferName to, CancellationToken cancellationToken)
    {
        int bytes = Encoding.UTF8.GetByteCount(to.Value);
        if (bytes <= Encoding.UTF8.GetByteCount(from.Value))
        {
            return;
        }

        foreach (FolderWalk.Entry entry in FolderWalk.Enumerate(path, store.Native))
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (bytes + 1 + entry.NameBytes > NameRules.MaxBytes)
            {
                throw Errors.TooLongBelow(from, to, bytes + 1 + entry.NameBytes);
            }
        }
    }

    /// <summary>Deletes the remains of deleted folders.</summary>
    public void DeleteRemains()
    {
        foreach (string folder in Directory.Exists(store.RemovedPath) ? Directory.GetDirectories(store.RemovedPath) : [])
        {
            TryDeleteRemains(folder);
        }
    }

    /// <summary>The remains of a deleted folder count until they are deleted, and so do files that are still published into it.</summary>
    private void TryDeleteRemains(string folder)
    {
        try
        {
            FolderWalk.Delete(folder, store.Native, bytes => store.Limits.AddUsed(-bytes));
        }
        catch (IOException)
        {
            // No client sees it; the next process tries again.
        }
    }
}
