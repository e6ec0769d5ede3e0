using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Transfer.Server;

/// <summary>Gives received bytes their name, as far as a tree leads. Thread-safe.</summary>
internal sealed class LocalPublisher(LocalStore store, StoreTree tree, LocalFiles files)
{
    /// <summary>Starts a file, of which nothing is visible before it is published.</summary>
    public async ValueTask<StoredFileWriter> CreateAsync(
        TransferName name, CreateFileOptions options, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        LocalFiles.ThrowIfRoot(name);
        if (options.Length is { } length)
        {
            ArgumentOutOfRangeException.ThrowIfNegative(length, nameof(options));
            store.Limits.CheckFile(name, length);
        }

        if (!options.IsPreconditionChecked)
        {
            await files.CheckAsync(name, options.Precondition, cancellationToken);
        }

        await store.Limits.CheckTotalAsync(name, options.Length ?? 0, cancellationToken);
        return Create(name, options, new Reservation(store.Limits));
    }

    /// <summary>Copies a file where no client sees it, without its bytes passing through this process, and publishes the copy.</summary>
    public ValueTask<StoredFile> CopyAsync(TransferName from, TransferName to, MoveOptions options, CancellationToken cancellationToken)
    {
        LocalFiles.ThrowIfRoot(from);
        LocalFiles.ThrowIfRoot(to);
        return from == to ? throw Errors.IntoItself(from) : CopyAsync(from, to, options, modified: null, cancellationToken);
    }

    /// <summary>Replaces a file by a copy with another date: its other names keep theirs.</summary>
    public ValueTask<StoredFile> ReplaceByCopyAsync(
        TransferName name, FileTime modified, WritePrecondition precondition, CancellationToken cancellationToken) =>
        CopyAsync(name, name, new MoveOptions { Source = precondition, Replace = true }, modified, cancellationToken);

    private async ValueTask<StoredFile> CopyAsync(
        TransferName from, TransferName to, MoveOptions options, FileTime? modified, CancellationToken cancellationToken)
    {

        FileFacts opened = default;
        using SafeFileHandle source = tree.TryOpenFile(from, out opened) ?? throw Errors.NoFile(from);
        (StoredFile file, FileFacts facts) = await files.DescribeAsync(source, opened, from, DigestNeed.IfKnown, cancellationToken);
        options.Source.ThrowIfNotMet(from, file);
        WritePrecondition condition = from == to ? new() { Match = [file.Tag] } : new() { CreateNew = !options.Replace };
        await files.CheckAsync(to, condition, cancellationToken);
        store.Limits.CheckFile(to, file.Length);
        await store.Limits.CheckTotalAsync(to, file.Length, cancellationToken);
        store.Limits.CheckDevice(to, file.Length);
        int exchanges = store.Exchanges;
        using StoreFolder folder = tree.TryOpenFolderOf(to, create: false, follow: options.Replace, out string fileName)
            ?? throw Errors.NoFolderFor(to);
        if (folder.TryLook(fileName, out FileFacts present, out bool isFolder, out _) && isFolder)
        {
            throw Errors.NameTaken(to);
        }

        ThrowIfNoFile(folder, fileName, to);
        var reservation = new Reservation(store.Limits);
        string copy = Path.Combine(store.CopiesPath, RandomNumberGenerator.GetHexString(32, lowercase: true));
        try
        {
            reservation.Reserve(to, file.Length);
            Directory.CreateDirectory(store.CopiesPath);
            await CopyAsync(from, source, copy, cancellationToken);
            FileDigest? digest = file.Sha256 is { } sha256
                ? store.Digests.TryRead(from, facts) ?? new FileDigest(sha256, Crc32: null)
                : null;
            string path = folder.PathOf(fileName);
            var write = new FileWriteOptions { CreateNew = condition.CreateNew, Durability = store.Options.Durability, UnixCreateMode = store.Options.FileMode };
            try
            {
                await using FilePipeWriter data = FilePipe.Resume(copy, path, write);
                return await PublishCopyAsync(data);
            }
            catch (FilePipeException exception) when (IsOtherFileSystem(exception.Error))
            {
                await using FilePipeWriter data = FilePipe.Create(path, write);
                using FilePipeReader bytes = FilePipe.OpenRead(copy);
                await bytes.CopyToAsync(data, cancellationToken);
                return await PublishCopyAsync(data);
            }

            async ValueTask<StoredFile> PublishCopyAsync(FilePipeWriter data)
            {
                ThrowIfLinkFollowed(data, path, to);
                await data.FlushAsync(cancellationToken);
                return await PublishAsync(
                    data, to, condition, new FileTerms(modified ?? file.Modified, file.IsExecutable), digest, reservation, upload: null, exchanges, Task.CompletedTask, cancellationToken);
            }
        }
        catch (FilePipeException exception)
        {
            throw Errors.Translate(exception, "copy to", to);
        }
        finally
        {
            reservation.ReleaseReservation();
            File.Delete(copy);
        }
    }

    /// <summary>
    /// Publishes an upload in steps between which the process may die: writes the intent, renames, writes the result. A restart
    /// finds out by the intent which steps were done (<see cref="UploadRegistry.Load"/>).
    /// </summary>
    public async ValueTask PublishAsync(LocalUpload upload, FileDigest? digest, CancellationToken cancellationToken)
    {
        WritePrecondition precondition = upload.Record.ToPrecondition();
        int exchanges = store.Exchanges;
        using StoreFolder folder = tree.TryOpenFolderOf(
            upload.Name, create: true, follow: !precondition.CreateNew, out string fileName)!;
        ThrowIfNoFile(folder, fileName, upload.Name);
        string path = folder.PathOf(fileName);
        var options = new FileWriteOptions
        {
            CreateNew = precondition.CreateNew,
            Durability = store.Options.Durability,
            UnixCreateMode = store.Options.FileMode,
        };
        StoredFile file;
        try
        {
            await using FilePipeWriter data = FilePipe.Resume(upload.DataPath, path, options);
            file = await RenameUploadAsync(data, path, upload, digest, exchanges, cancellationToken);
        }
        catch (FilePipeException exception) when (IsOtherFileSystem(exception.Error))
        {
            // Another file system is mounted below the root.
            await using (FilePipeWriter copy = FilePipe.Create(path, options))
            {
                using FilePipeReader source = FilePipe.OpenRead(upload.DataPath);
                await source.CopyToAsync(copy, cancellationToken);
                file = await RenameUploadAsync(copy, path, upload, digest, exchanges, cancellationToken);
            }

            File.Delete(upload.DataPath);
        }

        await upload.WriteResultAsync(file);
    }

    /// <summary>Renames a finished file to its name if the precondition holds, and describes the result.</summary>
    /// <param name="file">All its bytes are written.</param>
    /// <param name="name">Its name.</param>
    /// <param name="precondition">Checked atomically with the rename, as far as requests to this store go.</param>
    /// <param name="terms">What its writer specified about it.</param>
    /// <param name="digest">Its digest, if known.</param>
    /// <param name="reservation">Its reserved bytes.</param>
    /// <param name="upload">The upload that it was, whose state file records the intent beforehand; null for none.</param>
    /// <param name="exchanges">The <see cref="LocalStore.Exchanges"/> before its folder was opened.</param>
    /// <param name="recorded">Must have succeeded before the file gets its name.</param>
    /// <param name="cancellationToken">Until the publication begins.</param>
    public async ValueTask<StoredFile> PublishAsync(
        FilePipeWriter file,
        TransferName name,
        WritePrecondition precondition,
        FileTerms terms,
        FileDigest? digest,
        Reservation reservation,
        LocalUpload? upload,
        int exchanges,
        Task recorded,
        CancellationToken cancellationToken)
    {
        SemaphoreSlim entered = await store.Locks.EnterAsync(name, cancellationToken);
        try
        {
            ThrowIfElsewhere(file, name, exchanges);
            await files.CheckAsync(name, precondition, cancellationToken);
            long length = file.Position;
            using SafeFileHandle? open = store.Native ? FileReopen.TryOpen(file.Handle) : null;
            long? stamp = await StampAsync(file, name, terms, cancellationToken);
            if (upload is not null)
            {
                await upload.WriteIntentAsync(length, stamp ?? 0, digest?.Sha256);
            }

            // By the folder that is held open: another program may delete it meanwhile, and its bytes are subtracted there.
            long replaced = LengthOfReplaced(file);
            bool isKept = await CommitAsync(file, name, precondition, recorded, cancellationToken);
            bool isThere = !isKept && (replaced == 0 || open is null || tree.TryLook(name) == tree.Look(open));
            reservation.Publish(length, isThere ? replaced : 0);
            if (length > store.MaxCachedBytes && open is not null)
            {
                // The rest of the pages that the digest was read from.
                CacheAdvice.Drop(open);
            }

            using SafeFileHandle? found = open is null ? tree.TryOpenFile(name) : null;
            return Describe(tree.Look(open ?? found ?? throw Errors.NoFile(name)), name, length, stamp, isGiven: terms.Modified is not null, digest);
        }
        finally
        {
            entered.Release();
        }
    }

    /// <summary>Renames a file of a batch to its name, as <see cref="PublishAsync(FilePipeWriter, TransferName, WritePrecondition, FileTerms, FileDigest?, Reservation, LocalUpload?, int, Task, CancellationToken)"/>.</summary>
    /// <param name="batch">The batch.</param>
    /// <param name="one">The file: all its bytes are written, and as durable as they are to be.</param>
    /// <param name="cancellationToken">Until the publication begins.</param>
    public async ValueTask<StoredFile> PublishAsync(LocalBatch batch, LocalBatch.Written one, CancellationToken cancellationToken)
    {
        (TransferName name, FilePipeWriter file, WritePrecondition precondition) = (one.Name, one.File, one.Precondition);
        (FileFacts written, long? stamp, bool isGiven) = one.Stamped;
        SemaphoreSlim entered = await store.Locks.EnterAsync(name, cancellationToken);
        try
        {
            batch.ThrowIfElsewhere(one);
            if (!(precondition with { CreateNew = false }).IsNone)
            {
                // The rename itself finds out whether a name is free.
                await files.CheckAsync(name, precondition, cancellationToken);
            }

            long length = file.Position;
            long replaced = LengthOfReplaced(file);
            string fileName = Path.GetFileName(file.TargetPath);
            bool isKept = await CommitAsync(file, name, precondition, Task.CompletedTask, cancellationToken);

            // Another program may have replaced it at once: then it is described as it was, with a tag that no file has again.
            bool isThere = one.Place.Folder.TryLook(fileName, out FileFacts facts, out _, out _)
                && (facts.Inode, facts.Device) == (written.Inode, written.Device);
            one.Reservation.Publish(length, isThere && !isKept ? replaced : 0);
            return isThere
                ? Describe(facts, name, length, stamp, isGiven, one.Digest)
                : VersionWatch.Unsettled(written, name) with { Sha256 = one.Digest?.Sha256 };
        }
        finally
        {
            entered.Release();
        }
    }

    /// <summary>Gives a file that is written the properties that its writer specified.</summary>
    /// <returns>See <see cref="VersionWatch.StampAsync"/>.</returns>
    public async ValueTask<long?> StampAsync(FilePipeWriter file, TransferName name, FileTerms terms, CancellationToken cancellationToken)
    {
        if (terms.IsExecutable is { } isExecutable)
        {
            ExecutableBit.Set(file.Handle, isExecutable);
        }

        FileFacts? present = terms.Modified is null || store.Native ? null : tree.TryLook(name);
        return await store.Watch.StampAsync(file.Handle, terms.Modified, present, cancellationToken);
    }

    private long LengthOfReplaced(FilePipeWriter file) => store.Options.MaxTotalBytes is null ? 0 : FolderWalk.LengthOf(file.TargetPath);

    /// <returns>Whether the version that was replaced is in the trash, where it counts.</returns>
    private async ValueTask<bool> CommitAsync(
        FilePipeWriter file, TransferName name, WritePrecondition precondition, Task recorded, CancellationToken cancellationToken)
    {
        string fileName = "";
        using StoreFolder? folder = store.Trash is null || precondition.CreateNew
            ? null
            : tree.TryOpenFolderOf(name, create: false, follow: true, out fileName);
        using LocalTrash.KeptVersion? kept = folder is null ? null : store.Trash!.TryKeep(folder, fileName, name, files.Caller);
        await file.CommitAsync(recorded, cancellationToken);
        kept?.Replaced();
        return kept is not null;
    }

    /// <summary>Applies the limits to the bytes written to a file.</summary>
    public LimitedBody Limit(FilePipeWriter file, TransferName name, long? length, Reservation reservation, bool discards) =>
        new(file, store.Limits, name, length, reservation, discards, store.Native);

    /// <summary>The version that is open, where the system can name it; its name may lead to another one by now.</summary>
    private async ValueTask CopyAsync(TransferName from, SafeFileHandle source, string copy, CancellationToken cancellationToken)
    {
        using StoreFolder? folder = store.Native ? null : tree.TryOpenFolderOf(from, create: false, follow: true, out _);
        string path = store.Native ? $"/proc/self/fd/{source.DangerousGetHandle()}"
            : folder is null ? throw Errors.NoFile(from)
            : folder.PathOf(from.FileName);
        await FilePipe.CopyAsync(
            path, copy, new FileCopyOptions { Durability = Durability.None, CreateNew = true }, cancellationToken: cancellationToken);
        GC.KeepAlive(source);
    }

    private async ValueTask<StoredFile> RenameUploadAsync(
        FilePipeWriter file, string path, LocalUpload upload, FileDigest? digest, int exchanges, CancellationToken cancellationToken)
    {
        ThrowIfLinkFollowed(file, path, upload.Name);
        await file.FlushAsync(cancellationToken);
        return await PublishAsync(
            file, upload.Name, upload.Record.ToPrecondition(), new FileTerms(upload.Record.ToModified(), upload.Record.IsExecutable), digest, upload.Reservation, upload, exchanges, Task.CompletedTask, cancellationToken);
    }

    private StoredFile Describe(
        in FileFacts facts, TransferName name, long length, long? stamp, bool isGiven, FileDigest? digest)
    {
        if (facts.Length != length || facts.Modified != stamp)
        {
            // It was changed again already; or unused reserved space was released, which counts as a modification.
            return VersionWatch.Unsettled(facts, name) with { Sha256 = digest?.Sha256 };
        }

        store.Watch.Published(facts, isGiven);
        if (digest is { } known)
        {
            store.Digests.Write(name, facts, known);
        }

        return facts.ToFile(name, digest?.Sha256);
    }

    /// <summary>
    /// Whether a rename was refused because of its target's file system. The portable writer copies then, which fails because
    /// the upload is open.
    /// </summary>
    private bool IsOtherFileSystem(FilePipeError error) =>
        error == FilePipeError.CrossDevice || (!store.Native && error == FilePipeError.Sharing);

    /// <summary>Throws if a file would be published into a folder that was exchanged for another one meanwhile.</summary>
    private void ThrowIfElsewhere(FilePipeWriter file, TransferName name, int exchanges)
    {
        if (exchanges == store.Exchanges || !store.Native)
        {
            return;
        }

        string held = Path.Combine(Path.GetDirectoryName(file.TargetPath)!, ".");
        using StoreFolder? folder = tree.TryOpenFolderOf(name, create: false, follow: true, out _);
        if (folder is null
            || StatX.TryGet(held, follow: true, out StatX before) != 0
            || StatX.TryGet(folder.PathOf("."), follow: true, out StatX now) != 0
            || (before.Inode, before.DeviceMajor, before.DeviceMinor) != (now.Inode, now.DeviceMajor, now.DeviceMinor))
        {
            throw Errors.FolderExchanged(name);
        }
    }

    private LocalFileWriter Create(TransferName name, CreateFileOptions options, Reservation reservation)
    {
        int exchanges = store.Exchanges;
        StoreFolder folder = tree.TryOpenFolderOf(
            name, create: true, follow: !options.Precondition.CreateNew, out string fileName)!;
        FilePipeWriter? file = null;
        try
        {
            store.Limits.CheckDevice(name, options.Length ?? 0);
            ThrowIfNoFile(folder, fileName, name);
            string path = folder.PathOf(fileName);
            file = FilePipe.Create(
                path,
                new FileWriteOptions
                {
                    CreateNew = options.Precondition.CreateNew,
                    Durability = store.Options.Durability,
                    UnixCreateMode = store.Options.FileMode,

                    // The digest is read from the page cache, and drops the pages that it has read.
                    KeepCached = store.Options.ComputeSha256 || !(options.Length > store.MaxCachedBytes),
                });
            ThrowIfLinkFollowed(file, path, name);
            LimitedBody limited = Limit(file, name, options.Length, reservation, discards: true);
            return new LocalFileWriter(store, this, name, options, folder, file, limited, reservation, exchanges);
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

    public static void ThrowIfNoFile(StoreFolder folder, string fileName, TransferName name)
    {
        if (folder.TryLook(fileName, out FileFacts facts, out bool isFolder, out bool isLink)
            && !facts.IsRegular && !isFolder && !isLink)
        {
            throw Errors.IsNoFile(name);
        }
    }

    /// <summary>A link that was created after the name was checked would have been followed, wherever it leads.</summary>
    public static void ThrowIfLinkFollowed(FilePipeWriter file, string path, TransferName name)
    {
        if (!string.Equals(file.TargetPath, Path.GetFullPath(path), StringComparison.Ordinal))
        {
            throw Errors.LeadsOut(name);
        }
    }
}

/// <summary>The properties of a file that its writer specified.</summary>
/// <param name="Modified">When it was changed; null for now.</param>
/// <param name="IsExecutable">Whether its owner may run it; null for what its folder, or the file that it replaces, decides.</param>
internal readonly record struct FileTerms(FileTime? Modified, bool? IsExecutable);
