using Millrace.Interop;

namespace Millrace.Transfer.Server;

/// <summary>New versions of whole folders, as far as a tree leads. Thread-safe.</summary>
internal sealed class LocalClones(LocalStore store, StoreTree tree)
{
    /// <summary>How often a folder that others change is cloned again at once.</summary>
    private const int MaxTries = 3;

    public async ValueTask<ClonedFolder> CloneAsync(TransferName from, TransferName to, CancellationToken cancellationToken)
    {
        ThrowIfNested(from, to);
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        try
        {
            using StoreFolder source = Open(from, out string name);
            using StoreFolder target = tree.TryOpenFolderOf(to, create: false, follow: false, out string newName) ?? throw Errors.NoFolderFor(to);
            for (int i = 1; ; i++)
            {
                string version = FolderClone.VersionOf(source.PathOf(name), store.Native, out long bytes, cancellationToken);
                ClonedFolder clone = Of(version);
                if (target.TryLook(newName + version, out _, out bool isFolder, out _))
                {
                    return isFolder ? clone : throw Errors.NameTaken(clone.Name);
                }

                await store.Limits.CheckTotalAsync(from, bytes, cancellationToken);

                // Where the next process deletes it, if this one ends before it is whole.
                Directory.CreateDirectory(store.RemovedPath);
                string place = Path.Combine(store.RemovedPath, RandomNumberGenerator.GetHexString(32, lowercase: true));
                bool isPublished = false;
                try
                {
                    string cloned = FolderClone.Create(
                        source.PathOf(name), place, store.Native, store.Options.Durability != Durability.None, cancellationToken);
                    if (cloned != version && i < MaxTries)
                    {
                        continue;
                    }

                    clone = Of(cloned);
                    Directory.Move(place, target.PathOf(newName + cloned));
                    isPublished = true;
                    target.Flush();
                    store.Limits.AddUsed(bytes);
                    return clone with { IsNew = true };
                }
                finally
                {
                    if (!isPublished && Directory.Exists(place))
                    {
                        Directory.Delete(place, recursive: true);
                    }
                }
            }
        }
        catch (Exception exception)
            when (exception is IOException and not TransferException or UnauthorizedAccessException)
        {
            throw Errors.NotCloned(from, exception);
        }

        ClonedFolder Of(string version) => new(to.Folder.Append(to.FileName + version), new EntityTag(version), IsNew: false);
    }

    public async ValueTask ExchangeAsync(TransferName one, TransferName other, WritePrecondition precondition, CancellationToken cancellationToken)
    {
        ThrowIfNested(one, other);

        // Every call that publishes, moves or deletes a file holds one of these.
        using NameLocks.All entered = await store.Locks.EnterAllAsync(cancellationToken);
        try
        {
            using StoreFolder first = Open(one, out string firstName);
            using StoreFolder second = Open(other, out string secondName);
            if (!precondition.Equals(default))
            {
                string version = FolderClone.VersionOf(first.PathOf(firstName), store.Native, out _, cancellationToken);
                precondition.ThrowIfNotMet(one, new StoredFile(one, 0, default, new EntityTag(version), null));
            }

            try
            {
                FolderClone.Exchange(first.PathOf(firstName), second.PathOf(secondName), store.Native);
            }
            finally
            {
                store.CountExchange();
            }

            first.Flush();
            second.Flush();
            store.Work.MoveRecords(other, one);
        }
        catch (Exception exception)
            when (exception is IOException and not TransferException or UnauthorizedAccessException)
        {
            throw Errors.Translate(exception, $"exchange '{other}' and", one);
        }
    }

    private static void ThrowIfNested(TransferName one, TransferName other)
    {
        LocalFiles.ThrowIfRoot(one);
        LocalFiles.ThrowIfRoot(other);
        if (one.IsIn(other) || other.IsIn(one))
        {
            throw Errors.IntoItself(one);
        }
    }

    /// <summary>The folder that a folder is in. A link to a folder is none.</summary>
    private StoreFolder Open(TransferName folder, out string name)
    {
        StoreFolder? parent = tree.TryOpenFolderOf(folder, create: false, follow: false, out name);
        if (parent is not null && parent.TryLook(name, out _, out bool isFolder, out _) && isFolder)
        {
            return parent;
        }

        parent?.Dispose();
        throw Errors.NothingThere(folder);
    }
}
