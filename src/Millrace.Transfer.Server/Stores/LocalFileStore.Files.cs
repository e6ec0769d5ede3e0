using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Transfer.Server;

public sealed partial class LocalFileStore
{
    /// <inheritdoc/>
    public async ValueTask<StoredFile?> FindAsync(
        TransferName name, DigestNeed digest, CancellationToken cancellationToken)
    {
        using SafeFileHandle? handle = name.IsRoot ? null : _tree.TryOpenFile(name);
        return handle is null ? null : (await DescribeAsync(handle, name, digest, cancellationToken)).File;
    }

    /// <inheritdoc/>
    public async ValueTask<StoredFileReader> OpenReadAsync(
        TransferName name, DigestNeed digest, CancellationToken cancellationToken)
    {
        SafeFileHandle handle = (name.IsRoot ? null : _tree.TryOpenFile(name)) ?? throw Errors.NoFile(name);
        try
        {
            (StoredFile file, FileFacts facts) = await DescribeAsync(handle, name, digest, cancellationToken);
            return new LocalFileReader(_tree, handle, facts, file, _load);
        }
        catch
        {
            handle.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public async ValueTask<StoredFileWriter> CreateAsync(
        TransferName name, CreateFileOptions options, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        ThrowIfRoot(name);
        if (options.Length is { } length)
        {
            ArgumentOutOfRangeException.ThrowIfNegative(length, nameof(options));
            Limits.CheckFile(name, length);
        }

        await CheckAsync(name, options.Precondition, cancellationToken);
        await Limits.CheckTotalAsync(name, options.Length ?? 0, cancellationToken);
        return Create(name, options, new Reservation(Limits));
    }

    /// <inheritdoc/>
    /// <remarks>A link is deleted itself, and only where it leads to a file of the store.</remarks>
    public async ValueTask<bool> DeleteAsync(
        TransferName name, WritePrecondition precondition, CancellationToken cancellationToken)
    {
        ThrowIfRoot(name);
        SemaphoreSlim entered = await Locks.EnterAsync(name, cancellationToken);
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

    /// <inheritdoc/>
    /// <remarks>
    /// The names of a large folder are kept in memory, up to 96 MiB for all folders, until nobody has listed it for 30 seconds: a page
    /// costs what it contains, not what the folder contains. A page after the first one may be made from names that are older than
    /// the folder's last change, by up to 20 times as long as it took to read them. A name that exists throughout a listing is always
    /// listed once, one that comes or goes meanwhile at most once. Links to files and folders of the store are listed as these; a
    /// recursive listing does not go into linked folders, which could lead in circles. Only so many listings run at once that a
    /// processor is left for transfers.
    /// </remarks>
    public async ValueTask<FilePage> ListAsync(ListFilesOptions options, CancellationToken cancellationToken)
    {
        await _listing.WaitAsync(cancellationToken);
        try
        {
            // Reading folders is not for the thread of a request.
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            using StoreFolder folder = _tree.TryOpenFolder(options.Folder) ?? throw Errors.NoFolder(options.Folder);
            return await new FileLister(_tree, _watch, _digests, _snapshots, options).ListAsync(folder, cancellationToken);
        }
        catch (UnauthorizedAccessException exception)
        {
            throw Errors.Translate(exception, "list", options.Folder);
        }
        finally
        {
            _listing.Release();
        }
    }

    /// <inheritdoc/>
    public ValueTask<bool> FolderExistsAsync(TransferName folder, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        using StoreFolder? opened = _tree.TryOpenFolder(folder);
        return new ValueTask<bool>(opened is not null);
    }

    /// <summary>ERROR_DIR_NOT_EMPTY of winerror.h.</summary>
    private const int WindowsNotEmpty = unchecked((int)0x80070091);

    private LocalFileWriter Create(TransferName name, CreateFileOptions options, Reservation reservation)
    {
        StoreFolder folder = _tree.TryOpenFolderOf(
            name, create: true, follow: !options.Precondition.CreateNew, out string fileName)!;
        FilePipeWriter? file = null;
        try
        {
            Limits.CheckDevice(name, options.Length ?? 0);
            ThrowIfNoFile(folder, fileName, name);
            string path = folder.PathOf(fileName);
            file = FilePipe.Create(
                path,
                new FileWriteOptions
                {
                    CreateNew = options.Precondition.CreateNew,
                    Durability = Options.Durability,
                });
            ThrowIfLinkFollowed(file, path, name);
            LimitedBody limited = Limit(file, name, options.Length, reservation);
            return new LocalFileWriter(this, name, options, folder, file, limited, reservation);
        }
        catch (Exception exception)
        {
            file?.Dispose();
            folder.Dispose();
            if (exception is FilePipeException)
            {
                throw Errors.Translate(exception, "create", name);
            }

            throw;
        }
    }

    private static void ThrowIfNoFile(StoreFolder folder, string fileName, TransferName name)
    {
        if (folder.TryLook(fileName, out FileFacts facts, out bool isFolder, out bool isLink)
            && !facts.IsRegular && !isFolder && !isLink)
        {
            throw Errors.IsNoFile(name);
        }
    }

    /// <summary>A link that was created after the name was checked would have been followed, wherever it leads.</summary>
    private static void ThrowIfLinkFollowed(FilePipeWriter file, string path, TransferName name)
    {
        if (!string.Equals(file.TargetPath, Path.GetFullPath(path), StringComparison.Ordinal))
        {
            throw Errors.LeadsOut(name);
        }
    }

    private LimitedBody Limit(FilePipeWriter file, TransferName name, long? length, Reservation reservation) =>
        new(file, Limits, name, length, reservation, Native);

    private bool Delete(TransferName name)
    {
        using StoreFolder? folder = _tree.TryOpenFolderOf(name, create: false, follow: false, out string fileName);
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

        using (SafeFileHandle? file = isLink ? _tree.TryOpenFile(name) : null)
        {
            if (file is null && (isLink || !facts.IsRegular))
            {
                return false;
            }
        }

        if (!folder.Remove(fileName))
        {
            return false;
        }

        if (!isLink)
        {
            Limits.AddUsed(-facts.Length);
        }

        folder.Flush();
        _digests.Remove(name);
        return true;
    }

    /// <summary>Throws when a precondition is not met.</summary>
    private async ValueTask CheckAsync(TransferName name, WritePrecondition precondition, CancellationToken cancellationToken)
    {
        if (!precondition.IsNone)
        {
            precondition.ThrowIfNotMet(name, await FindAsync(name, DigestNeed.IfKnown, cancellationToken));
        }
    }

    private async ValueTask<(StoredFile File, FileFacts Facts)> DescribeAsync(
        SafeFileHandle handle, TransferName name, DigestNeed need, CancellationToken cancellationToken)
    {
        if (await _watch.LookAsync(handle, cancellationToken) is not { } facts)
        {
            FileFacts now = _tree.Look(handle);
            return need == DigestNeed.Always
                ? throw Errors.KeepsChanging(name)
                : (VersionWatch.Unsettled(now, name), now);
        }

        if (_known.Find(name, facts) is { } known)
        {
            return (known, facts);
        }

        Sha256Digest? digest = _digests.TryRead(name, facts);
        if (digest is null && need != DigestNeed.IfKnown)
        {
            if (need == DigestNeed.Always || facts.Length <= Options.CheapDigestBytes)
            {
                digest = await ComputeAsync(handle, name, facts, need, cancellationToken);
            }
            else
            {
                _work.ComputeLater(name, facts);
            }
        }

        StoredFile file = facts.ToFile(name, digest);
        if (digest is not null)
        {
            _known.Add(file, facts);
        }

        return (file, facts);
    }

    private async ValueTask<Sha256Digest?> ComputeAsync(
        SafeFileHandle handle, TransferName name, FileFacts facts, DigestNeed need, CancellationToken cancellationToken)
    {
        Sha256Digest? digest = await _work.ComputeAsync(name, facts, cancellationToken);
        if (digest is not null || need != DigestNeed.Always)
        {
            return digest;
        }

        // The name has another version by now; this one is still open here.
        digest = await DigestWork.HashAsync(handle, facts.Length, cancellationToken);
        FileFacts after = _tree.Look(handle);
        return after.Length == facts.Length && after.Modified == facts.Modified
            ? digest
            : throw Errors.KeepsChanging(name);
    }

    private static void ThrowIfRoot(TransferName name)
    {
        if (name.IsRoot)
        {
            throw Errors.IsFolder(name);
        }
    }
}
