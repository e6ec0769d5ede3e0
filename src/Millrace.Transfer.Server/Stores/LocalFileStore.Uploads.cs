using System.Collections.Concurrent;
using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Transfer.Server;

public sealed partial class LocalFileStore
{
    private readonly ConcurrentDictionary<UploadId, LocalUpload> _uploads = new();
    private readonly ConcurrentQueue<UploadId> _finished = new();
    private readonly string _uploadsPath;

    /// <inheritdoc/>
    public async ValueTask<UploadStatus?> FindUploadAsync(
        UploadId id, bool takeOver, CancellationToken cancellationToken)
    {
        if (TryFindUpload(id) is not { } upload)
        {
            return null;
        }

        try
        {
            using TakeoverLock.Holder? holder = takeOver && !upload.IsPublished ? await upload.AcquireAsync(cancellationToken) : null;
            return upload.ToStatus();
        }
        catch (TransferException exception) when (exception.Error == TransferError.NotFound)
        {
            // It was deleted meanwhile.
            return null;
        }
    }

    /// <inheritdoc/>
    public async ValueTask<UploadWriter> AppendUploadAsync(
        UploadId id, long offset, bool discardable, CancellationToken cancellationToken)
    {
        LocalUpload upload = FindUpload(id);
        TakeoverLock.Holder holder = await upload.AcquireAsync(cancellationToken);
        try
        {
            long current = upload.Offset;
            if (upload.IsPublished || current == upload.Record.Length)
            {
                throw Errors.AlreadyComplete(id, current);
            }

            if (current != offset)
            {
                throw Errors.WrongOffset(id, offset, current);
            }

            await Limits.CheckTotalAsync(upload.Name, upload.Record.Length - offset ?? 0, cancellationToken);
            if (discardable)
            {
                await upload.SaveAsync(upload.Record with { Verified = offset });
            }
            else
            {
                upload.Touch();
            }

            return Append(upload, holder, offset);
        }
        catch (Exception exception)
        {
            holder.Dispose();
            if (exception is FilePipeException)
            {
                throw Errors.Translate(exception, "continue", upload.Name);
            }

            throw;
        }
    }

    /// <inheritdoc/>
    public async ValueTask<UploadStatus> SetUploadLengthAsync(
        UploadId id, long length, CancellationToken cancellationToken)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        LocalUpload upload = FindUpload(id);
        if (upload.Record.Length == length)
        {
            // Known already: no reason to stop a request that appends.
            return upload.ToStatus();
        }

        using TakeoverLock.Holder holder = await upload.AcquireAsync(cancellationToken);
        long offset = upload.Offset;
        if ((upload.Record.Length ?? length) != length || offset > length)
        {
            throw new TransferException(
                TransferError.InvalidRequest,
                upload.Record.Length is { } known
                    ? $"The upload '{id}' cannot have {length} bytes: {known} were said before."
                    : $"The upload '{id}' cannot have {length} bytes: {offset} are there already.")
            {
                Offset = offset,
            };
        }

        Limits.CheckFile(upload.Name, length);
        await Limits.CheckTotalAsync(upload.Name, length - offset, cancellationToken);
        await upload.SaveAsync(upload.Record with { Length = length });
        return upload.ToStatus();
    }

    /// <inheritdoc/>
    public async ValueTask<bool> AbortUploadAsync(UploadId id, CancellationToken cancellationToken)
    {
        if (Load(id) is not { } upload)
        {
            return false;
        }

        using TakeoverLock.Holder? holder = await upload.TryAcquireAsync(cancellationToken);
        if (holder is null)
        {
            return false;
        }

        Remove(upload);
        return true;
    }

    /// <inheritdoc/>
    /// <remarks>After the first success, returns the same file again until the upload expires.</remarks>
    public async ValueTask<StoredFile> CompleteUploadAsync(
        UploadId id, Sha256Digest? expected, CancellationToken cancellationToken)
    {
        LocalUpload upload = FindUpload(id);
        using TakeoverLock.Holder holder = await upload.AcquireAsync(cancellationToken);
        try
        {
            if (!upload.IsPublished)
            {
                ThrowIfUnfinished(upload);
                Sha256Digest? digest = await VerifyAsync(upload, expected, cancellationToken);
                await PublishUploadAsync(upload, digest, cancellationToken);
                upload.DropDigest();
                FinishUpload(id);
            }

            return upload.Record.Published!.ToFile(upload.Name);
        }
        catch (Exception exception)
            when (exception is IOException and not TransferException or UnauthorizedAccessException)
        {
            throw Errors.Translate(exception, "publish", upload.Name);
        }
    }

    private static void ThrowIfUnfinished(LocalUpload upload)
    {
        long offset = upload.Offset;
        if (upload.Name.IsRoot || upload.Record.Length != offset)
        {
            throw new TransferException(
                TransferError.InvalidRequest,
                upload.Name.IsRoot
                    ? $"The upload '{upload.Id}' is only a part of others and has no name. Join it to one that has."
                    : upload.Record.Length is { } length
                        ? $"The upload '{upload.Id}' has {offset} of {length} bytes. Send the rest, then complete it."
                        : $"Nobody said how long the upload '{upload.Id}' is. Say it, then complete it.")
            {
                Offset = offset,
            };
        }
    }

    /// <summary>Computes the digest if it is needed; deletes an upload whose digest is not the expected one.</summary>
    private async ValueTask<Sha256Digest?> VerifyAsync(
        LocalUpload upload, Sha256Digest? expected, CancellationToken cancellationToken)
    {
        Sha256Digest? said = upload.Record.ToExpected();
        if (expected is null && said is null && !Options.ComputeSha256)
        {
            return null;
        }

        Sha256Digest? digest;
        long length = upload.Offset;
        using (SafeFileHandle data = File.OpenHandle(
            upload.DataPath, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete))
        {
            digest = await upload.ContinueDigest(length).FinishAsync(data, length, cancellationToken);
        }

        foreach (Sha256Digest? wanted in new[] { expected, said })
        {
            if (wanted is { } must && must != digest)
            {
                Remove(upload);
                throw Errors.WrongDigest(upload.Name, must, digest);
            }
        }

        return digest;
    }

    /// <summary>
    /// Publishes an upload in steps between which the process may die: writes the intent, renames, writes the result. A restart
    /// finds out by the intent which steps were done (<see cref="RecoverPublication"/>).
    /// </summary>
    private async ValueTask PublishUploadAsync(LocalUpload upload, Sha256Digest? digest, CancellationToken cancellationToken)
    {
        WritePrecondition precondition = upload.Record.ToPrecondition();
        using StoreFolder folder = _tree.TryOpenFolderOf(
            upload.Name, create: true, follow: !precondition.CreateNew, out string fileName)!;
        ThrowIfNoFile(folder, fileName, upload.Name);
        string path = folder.PathOf(fileName);
        var options = new FileWriteOptions
        {
            CreateNew = precondition.CreateNew,
            Durability = Options.Durability,
        };
        StoredFile file;
        try
        {
            await using FilePipeWriter data = FilePipe.Resume(upload.DataPath, path, options);
            file = await RenameUploadAsync(data, path, upload, digest, cancellationToken);
        }
        catch (FilePipeException exception) when (IsOtherFileSystem(exception.Error))
        {
            // Another file system is mounted below the root.
            await using (FilePipeWriter copy = FilePipe.Create(path, options))
            {
                using FilePipeReader source = FilePipe.OpenRead(
                    upload.DataPath);
                await source.CopyToAsync(copy, cancellationToken);
                file = await RenameUploadAsync(copy, path, upload, digest, cancellationToken);
            }

            File.Delete(upload.DataPath);
        }

        await upload.WriteResultAsync(file);
    }

    private async ValueTask<StoredFile> RenameUploadAsync(
        FilePipeWriter file, string path, LocalUpload upload, Sha256Digest? digest, CancellationToken cancellationToken)
    {
        ThrowIfLinkFollowed(file, path, upload.Name);
        await file.FlushAsync(cancellationToken);
        return await PublishFileAsync(
            file, upload.Name, upload.Record.ToPrecondition(), digest, upload.Reservation, upload, cancellationToken);
    }

    /// <summary>Renames a finished file to its name if the precondition holds, and describes the result.</summary>
    /// <param name="file">All its bytes are written.</param>
    /// <param name="name">Its name.</param>
    /// <param name="precondition">Checked atomically with the rename, as far as requests to this store go.</param>
    /// <param name="digest">Its digest, if known.</param>
    /// <param name="reservation">What was reserved for it.</param>
    /// <param name="upload">The upload that it was, whose state file says beforehand what is about to happen; null for none.</param>
    /// <param name="cancellationToken">Until the publication begins.</param>
    internal async ValueTask<StoredFile> PublishFileAsync(
        FilePipeWriter file,
        TransferName name,
        WritePrecondition precondition,
        Sha256Digest? digest,
        Reservation reservation,
        LocalUpload? upload,
        CancellationToken cancellationToken)
    {
        SemaphoreSlim entered = await Locks.EnterAsync(name, cancellationToken);
        try
        {
            await CheckAsync(name, precondition, cancellationToken);
            long length = file.Position;
            using SafeFileHandle? open = Native ? FileReopen.TryOpen(file.Handle) : null;
            long? stamp = _watch.Stamp(file.Handle);
            if (upload is not null)
            {
                await upload.WriteIntentAsync(length, stamp ?? 0, digest);
            }

            // By the folder that is held open: somebody may delete it meanwhile, and what was in it is subtracted there.
            long replaced = Options.MaxTotalBytes is null ? 0 : FolderWalk.LengthOf(file.TargetPath);
            await file.CommitAsync(cancellationToken);
            bool isThere = replaced == 0 || open is null || TryLook(name) == _tree.Look(open);
            reservation.Publish(length, isThere ? replaced : 0);
            using SafeFileHandle? found = open is null ? _tree.TryOpenFile(name) : null;
            return Describe(open ?? found ?? throw Errors.NoFile(name), name, length, stamp, digest);
        }
        finally
        {
            entered.Release();
        }
    }

    private StoredFile Describe(
        SafeFileHandle open, TransferName name, long length, long? stamp, Sha256Digest? digest)
    {
        FileFacts facts = _tree.Look(open);
        if (facts.Length != length || facts.Modified != stamp)
        {
            // It was changed again already; or unused reserved space was released, which counts as a modification.
            return VersionWatch.Unsettled(facts, name) with { Sha256 = digest };
        }

        _watch.Published(facts);
        if (digest is { } known)
        {
            _digests.Write(name, facts, known);
        }

        return facts.ToFile(name, digest);
    }

    /// <summary>
    /// Whether a rename was refused because of its target's file system. The portable writer copies then, which fails because
    /// the upload is open.
    /// </summary>
    private bool IsOtherFileSystem(FilePipeError error) =>
        error == FilePipeError.CrossDevice || (!Native && error == FilePipeError.Sharing);

    private LocalUploadWriter Append(LocalUpload upload, TakeoverLock.Holder holder, long offset)
    {
        long? length = upload.Record.Length;
        Limits.CheckDevice(upload.Name, length - offset ?? 0);
        FilePipeWriter file = OpenData(upload);
        try
        {
            LimitedBody limited = Limit(file, upload.Name, length, upload.Reservation);
            return new LocalUploadWriter(this, upload, holder, file, limited, reserved: length is not null);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>Opens the upload's data to append to it. Never committed under the name that is given here.</summary>
    private FilePipeWriter OpenData(LocalUpload upload) => FilePipe.Resume(
        upload.DataPath, upload.DataPath + ".whole", new FileWriteOptions { Durability = Options.Durability });

    private LocalUpload FindUpload(UploadId id) => TryFindUpload(id) ?? throw Errors.NoUpload(id);

    private LocalUpload? TryFindUpload(UploadId id) => Load(id) is { HasExpired: false, IsGone: false } upload ? upload : null;

    private LocalUpload? Load(UploadId id) =>
        id.Value is not null && _uploads.TryGetValue(id, out LocalUpload? upload) ? upload : null;

    private void Remove(LocalUpload upload)
    {
        upload.IsGone = true;

        // The folder first: a search for expired uploads would take one without an upload for a damaged one.
        TryDeleteFolder(upload.Folder);
        _uploads.TryRemove(upload.Id, out _);
        upload.Reservation.ReleaseReservation();
        upload.ReleaseCount();
        upload.DropDigest();
    }

    /// <returns>False if it was gone already, or is left to the next search for expired uploads.</returns>
    private static bool TryDeleteFolder(string folder)
    {
        try
        {
            Directory.Delete(folder, recursive: true);
            return true;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }
}
