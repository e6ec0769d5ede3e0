using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Transfer.Server;

/// <summary>Finds, reads, lists and deletes files of a store, as far as a tree leads. Thread-safe.</summary>
internal sealed class LocalFiles(LocalStore store, StoreTree tree)
{
    /// <summary>ERROR_DIR_NOT_EMPTY of winerror.h.</summary>
    private const int WindowsNotEmpty = unchecked((int)0x80070091);

    /// <summary>On whose behalf files are deleted and replaced; null for an anonymous caller.</summary>
    public string? Caller { get; init; }

    /// <summary>Whether deleted files and folders go to the trash, if there is one.</summary>
    public bool KeepsDeleted { get; init; } = true;

    public async ValueTask<StoredFile?> FindAsync(
        TransferName name, DigestNeed digest, CancellationToken cancellationToken)
    {
        FileFacts opened = default;
        using SafeFileHandle? handle = name.IsRoot ? null : tree.TryOpenFile(name, out opened);
        return handle is null ? null : (await DescribeAsync(handle, opened, name, digest, cancellationToken)).File;
    }

    /// <summary>A small file that is asked for again and again is not opened, as long as its name leads to the same version.</summary>
    public ValueTask<StoredFileReader> OpenReadAsync(
        TransferName name, DigestNeed digest, CancellationToken cancellationToken) =>
        !name.IsRoot && store.Known.FindContent(name) is var (known, bytes) && tree.Has(name, known.Facts)
            ? new(new KeptFileReader(store, known, bytes))
            : OpenAsync(name, digest, cancellationToken);

    /// <summary>Opens a version that is not written to just now, even if its bytes are in memory.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.Changed"/>: it is.</exception>
    public async ValueTask<StoredFileReader> OpenOnDeviceAsync(TransferName name, CancellationToken cancellationToken)
    {
        SafeFileHandle handle = tree.TryOpenFile(name, out FileFacts opened) ?? throw Errors.NoFile(name);
        try
        {
            FileFacts facts = await store.Watch.LookAsync(handle, opened, cancellationToken) ?? throw Errors.Changed(name);
            return new LocalFileReader(tree, handle, facts, facts.ToFile(name, store.Digests.TryRead(name, facts)?.Sha256), store);
        }
        catch
        {
            handle.Dispose();
            throw;
        }
    }

    private async ValueTask<StoredFileReader> OpenAsync(
        TransferName name, DigestNeed digest, CancellationToken cancellationToken)
    {
        await InlineRequests.MoveToPoolAsync();
        FileFacts opened = default;
        SafeFileHandle handle = (name.IsRoot ? null : tree.TryOpenFile(name, out opened)) ?? throw Errors.NoFile(name);
        try
        {
            (StoredFile file, FileFacts facts) = await DescribeAsync(handle, opened, name, digest, cancellationToken);
            return new LocalFileReader(tree, handle, facts, file, store);
        }
        catch
        {
            handle.Dispose();
            throw;
        }
    }

    public async ValueTask<bool> DeleteAsync(
        TransferName name, WritePrecondition precondition, CancellationToken cancellationToken)
    {
        ThrowIfRoot(name);
        SemaphoreSlim entered = await store.Locks.EnterAsync(name, cancellationToken);
        try
        {
            await CheckAsync(name, precondition, cancellationToken);
            return Delete(name);
        }
        catch (Exception exception)
            when (exception is IOException and not TransferException or UnauthorizedAccessException)
        {
            throw Errno.Of(exception) == Errno.NotEmpty || exception.HResult == WindowsNotEmpty
                ? Errors.NotEmpty(name)
                : Errors.Translate(exception, "delete", name);
        }
        finally
        {
            entered.Release();
        }
    }

    /// <summary>Sets a file's time. Its content stays, and so does its digest.</summary>
    /// <returns>Null for a file with several names: those in other versions of its folder keep their date.</returns>
    public async ValueTask<StoredFile?> TrySetModifiedAsync(
        TransferName name, FileTime modified, WritePrecondition precondition, CancellationToken cancellationToken)
    {
        ThrowIfRoot(name);
        SemaphoreSlim entered = await store.Locks.EnterAsync(name, cancellationToken);
        try
        {
            FileFacts opened = default;
            using SafeFileHandle file = tree.TryOpenFile(name, out opened) ?? throw Errors.NoFile(name);
            (StoredFile before, FileFacts facts) = await DescribeAsync(file, opened, name, DigestNeed.IfKnown, cancellationToken);
            precondition.ThrowIfNotMet(name, before);
            if (store.Native && StatX.TryGet(file, out StatX status) == 0 && status.Links > 1)
            {
                return null;
            }

            FileDigest? digest = before.Sha256 is { } sha256
                ? store.Digests.TryRead(name, facts) ?? new FileDigest(sha256, Crc32: null)
                : null;
            bool isSame = tree.Look(file) == facts;
            await store.Watch.StampAsync(file, modified, replaced: null, cancellationToken);
            FileFacts after = tree.Look(file);
            if (!isSame || digest is not { } known || after.Length != facts.Length)
            {
                return (await DescribeAsync(file, after, name, DigestNeed.IfKnown, CancellationToken.None)).File;
            }

            store.Watch.Published(after, isGiven: true);
            store.Digests.Write(name, after, known);
            return after.ToFile(name, known.Sha256);
        }
        catch (Exception exception)
            when (exception is IOException and not TransferException or UnauthorizedAccessException)
        {
            throw Errors.Translate(exception, "set the time of", name);
        }
        finally
        {
            entered.Release();
        }
    }

    public async ValueTask<FilePage> ListAsync(ListFilesOptions options, CancellationToken cancellationToken)
    {
        await store.Listings.WaitAsync(cancellationToken);
        try
        {
            // Reading folders is not for the thread of a request.
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            using StoreFolder folder = tree.TryOpenFolder(options.Folder) ?? throw Errors.NoFolder(options.Folder);
            return await new FileLister(store, tree, options).ListAsync(folder, cancellationToken);
        }
        catch (UnauthorizedAccessException exception)
        {
            throw Errors.Translate(exception, "list", options.Folder);
        }
        finally
        {
            store.Listings.Release();
        }
    }

    public ValueTask<bool> FolderExistsAsync(TransferName folder, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        using StoreFolder? opened = tree.TryOpenFolder(folder);
        return new ValueTask<bool>(opened is not null);
    }

    private bool Delete(TransferName name)
    {
        using StoreFolder? folder = tree.TryOpenFolderOf(name, create: false, follow: false, out string fileName);
        if (folder is null || !folder.TryLook(fileName, out FileFacts facts, out bool isFolder, out bool isLink))
        {
            return false;
        }

        if (isFolder)
        {
            Directory.Delete(folder.PathOf(fileName));
            folder.Flush();
            return true;
        }

        using (SafeFileHandle? file = isLink ? tree.TryOpenFile(name) : null)
        {
            if (file is null && (isLink || !facts.IsRegular))
            {
                return false;
            }
        }

        bool isKept = !isLink && KeepsDeleted && store.Trash?.TryTake(folder, fileName, name, isFolder: false, facts.Length, Caller) == true;
        if (!isKept && !folder.Remove(fileName))
        {
            return false;
        }

        if (!isLink && !isKept)
        {
            store.Limits.AddUsed(-facts.Length);
        }

        folder.Flush();
        store.Digests.Remove(name);
        return true;
    }

    /// <summary>Throws when a precondition is not met.</summary>
    public async ValueTask CheckAsync(TransferName name, WritePrecondition precondition, CancellationToken cancellationToken)
    {
        if (!precondition.IsNone)
        {
            precondition.ThrowIfNotMet(name, await FindAsync(name, DigestNeed.IfKnown, cancellationToken));
        }
    }

    /// <param name="handle">The open file.</param>
    /// <param name="opened">Its facts when it was opened.</param>
    /// <param name="name">Its name.</param>
    /// <param name="need">Whether its digest is needed.</param>
    /// <param name="cancellationToken">Ends waiting and hashing.</param>
    public async ValueTask<(StoredFile File, FileFacts Facts)> DescribeAsync(
        SafeFileHandle handle, FileFacts opened, TransferName name, DigestNeed need, CancellationToken cancellationToken)
    {
        if (await store.Watch.LookAsync(handle, opened, cancellationToken) is not { } facts)
        {
            FileFacts now = tree.Look(handle);
            return need == DigestNeed.Always
                ? throw Errors.KeepsChanging(name)
                : (VersionWatch.Unsettled(now, name), now);
        }

        if (store.Known.Find(name, facts) is { } known)
        {
            return (known, facts);
        }

        Sha256Digest? digest = store.Digests.TryRead(name, facts)?.Sha256;
        if (digest is null && need != DigestNeed.IfKnown)
        {
            if (need == DigestNeed.Always || facts.Length <= store.Options.CheapDigestBytes)
            {
                digest = await ComputeAsync(handle, name, facts, need, cancellationToken);
            }
            else
            {
                store.Work.ComputeLater(name, facts);
            }
        }

        StoredFile file = facts.ToFile(name, digest);
        if (digest is not null)
        {
            store.Known.Add(file, facts);
        }

        return (file, facts);
    }

    private async ValueTask<Sha256Digest?> ComputeAsync(
        SafeFileHandle handle, TransferName name, FileFacts facts, DigestNeed need, CancellationToken cancellationToken)
    {
        Sha256Digest? digest = await store.Work.ComputeAsync(name, facts, cancellationToken);
        if (digest is not null || need != DigestNeed.Always)
        {
            return digest;
        }

        // The name has another version by now; this one is still open here.
        digest = (await DigestWork.HashAsync(handle, facts.Length, facts.Length <= store.MaxCachedBytes, cancellationToken)).Sha256;
        FileFacts after = tree.Look(handle);
        return after.Length == facts.Length && after.Modified == facts.Modified
            ? digest
            : throw Errors.KeepsChanging(name);
    }

    public static void ThrowIfRoot(TransferName name)
    {
        if (name.IsRoot)
        {
            throw Errors.IsFolder(name);
        }
    }
}
