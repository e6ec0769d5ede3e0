using Millrace.Interop;

namespace Millrace.Transfer.Server;

/// <summary>Makes and deletes symbolic links in a folder, as far as a tree leads.</summary>
internal sealed class LocalLinks(LocalStore store, StoreTree tree, LocalFiles files)
{
    /// <summary>The target of a link, if a client could have made it; null otherwise, and for anything else.</summary>
    public static string? TryRead(StoreTree tree, StoreFolder folder, TransferName name, string fileName) =>
        SymbolicLink.Read(folder.PathOf(fileName)) is { } target && SymbolicLink.StaysInside(DepthOf(tree, name), target) ? target : null;

    public async ValueTask<(StoredFile Link, bool IsNew)> CreateAsync(
        TransferName name, string target, WritePrecondition precondition, CancellationToken cancellationToken)
    {
        LocalFiles.ThrowIfRoot(name);
        if (!SymbolicLink.StaysInside(DepthOf(tree, name), target))
        {
            throw new TransferException(
                TransferError.Forbidden,
                $"The link '{name}' is not kept: its target is absolute, outside of the folder that you may use, or has '..' after a name. Make it relative.",
                name.Value);
        }

        SemaphoreSlim entered = await store.Locks.EnterAsync(name, cancellationToken);
        try
        {
            using StoreFolder folder = tree.OpenPlainFolderOf(name, create: true, out string fileName)!;
            bool isThere = folder.TryLook(fileName, out FileFacts facts, out bool isFolder, out bool isLink);
            if (isFolder)
            {
                throw Errors.NameTaken(name);
            }

            precondition.ThrowIfNotMet(name, isThere ? facts.ToFile(name, digest: null) : null);
            using LocalTrash.KeptVersion? kept = isThere ? store.Trash?.TryKeep(folder, fileName, name, files.Caller) : null;
            SymbolicLink.Create(folder.PathOf(fileName), target, replace: isThere);
            kept?.Replaced();
            store.Limits.AddUsed(kept is null && isThere && !isLink ? -facts.Length : 0);
            folder.Flush();
            store.Digests.Remove(name);
            return folder.TryLook(fileName, out facts, out _, out _) ? (facts.ToFile(name, digest: null), !isThere) : throw Errors.NoFile(name);
        }
        catch (Exception exception)
            when (exception is IOException and not TransferException or UnauthorizedAccessException)
        {
            throw Errors.Translate(exception, "create the link", name);
        }
        finally
        {
            entered.Release();
        }
    }

    public async ValueTask<bool> DeleteAsync(TransferName name, WritePrecondition precondition, CancellationToken cancellationToken)
    {
        LocalFiles.ThrowIfRoot(name);
        SemaphoreSlim entered = await store.Locks.EnterAsync(name, cancellationToken);
        try
        {
            using StoreFolder? folder = tree.OpenPlainFolderOf(name, create: false, out string fileName);
            if (folder is null || !folder.TryLook(fileName, out FileFacts facts, out _, out bool isLink) || !isLink)
            {
                return false;
            }

            precondition.ThrowIfNotMet(name, facts.ToFile(name, digest: null));
            if (!folder.Remove(fileName))
            {
                return false;
            }

            folder.Flush();
            return true;
        }
        catch (Exception exception)
            when (exception is IOException and not TransferException or UnauthorizedAccessException)
        {
            throw Errors.Translate(exception, "delete the link", name);
        }
        finally
        {
            entered.Release();
        }
    }

    /// <summary>How many folders of the one that a caller may use a name is in; negative for that folder itself.</summary>
    private static int DepthOf(StoreTree tree, TransferName name) =>
        name.Value.AsSpan().Count('/') - (tree.Prefix.IsRoot ? 0 : tree.Prefix.Value.AsSpan().Count('/') + 1);
}
