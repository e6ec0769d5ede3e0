using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Transfer.Server;

/// <summary>Files.</summary>
public sealed partial class LocalFileStore
{
    /// <inheritdoc/>
    public async ValueTask<StoredFile?> FindAsync(
        TransferName name, DigestNeed digest, CancellationToken cancellationToken)
    {
        using SafeFileHandle? handle = name.IsRoot ? null : _tree.TryOpenFile(name);
        return handle is null
            ? null
            : (await DescribeAsync(handle, name, digest, cancellationToken).ConfigureAwait(false)).File;
    }

    /// <inheritdoc/>
    public async ValueTask<StoredFileReader> OpenReadAsync(
        TransferName name, DigestNeed digest, CancellationToken cancellationToken)
    {
        SafeFileHandle handle = (name.IsRoot ? null : _tree.TryOpenFile(name)) ?? throw StoreErrors.NoFile(name);
        try
        {
            (StoredFile file, FileFacts facts) =
                await DescribeAsync(handle, name, digest, cancellationToken).ConfigureAwait(false);
            return new LocalFileReader(_tree, handle, facts, file, _load, Options.Portable);
        }
        catch
        {
            handle.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    /// <remarks>
    /// <see cref="StoredFileWriter.Body"/> is a <see cref="FilePipeWriter"/> where the length is known, so that bytes can
    /// come to it without passing through this process.
    /// </remarks>
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

        await CheckAsync(name, options.Precondition, cancellationToken).ConfigureAwait(false);
        long taken = options.Length ?? 0;
        await Limits.TakeAsync(name, taken, cancellationToken).ConfigureAwait(false);
        try
        {
            return Create(name, options, taken);
        }
        catch
        {
            Limits.Release(taken);
            throw;
        }
    }

    /// <inheritdoc/>
    /// <remarks>A link is deleted itself, and only where it leads to a file of the store.</remarks>
    public async ValueTask<bool> DeleteAsync(
        TransferName name, WritePrecondition precondition, CancellationToken cancellationToken)
    {
        ThrowIfRoot(name);
        SemaphoreSlim entered = await Locks.EnterAsync(name, cancellationToken).ConfigureAwait(false);
        try
        {
            await CheckAsync(name, precondition, cancellationToken).ConfigureAwait(false);
            return Delete(name);
        }
        catch (Exception exception)
            when (exception is IOException and not TransferException or UnauthorizedAccessException)
        {
            throw exception.HResult == NotEmpty
                ? StoreErrors.NotEmpty(name)
                : StoreErrors.Translate(exception, "delete", name);
        }
        finally
        {
            entered.Release();
        }
    }

    /// <summary>ENOTEMPTY of asm-generic/errno.h.</summary>
    private const int NotEmpty = 39;

    /// <summary>Gives a finished file its name, if the precondition holds, and finds out what it is then.</summary>
    /// <param name="file">The file; its bytes are all written.</param>
    /// <param name="name">Its name.</param>
    /// <param name="precondition">Checked in one step with it, as far as this store's own requests go.</param>
    /// <param name="digest">Its digest, when it is known.</param>
    /// <param name="taken">What was taken of the store's whole for it; asked when it is published.</param>
    /// <param name="about">Told the time that it will bear, before; null when nobody wants to know.</param>
    /// <param name="cancellationToken">Until it begins to be published.</param>
    internal async ValueTask<StoredFile> PublishAsync(
        FilePipeWriter file,
        TransferName name,
        WritePrecondition precondition,
        Sha256Digest? digest,
        Func<long> taken,
        Func<long, ValueTask>? about,
        CancellationToken cancellationToken)
    {
        SemaphoreSlim entered = await Locks.EnterAsync(name, cancellationToken).ConfigureAwait(false);
        try
        {
            StoredFile? present = await CheckAsync(name, precondition, cancellationToken).ConfigureAwait(false);
            long length = file.Position;
            using SafeFileHandle? open = Native ? FileReopen.TryOpen(file.Handle) : null;
            long? stamp = _watch.Stamp(file.Handle);
            if (about is not null)
            {
                await about(stamp ?? 0).ConfigureAwait(false);
            }

            await file.CommitAsync(cancellationToken).ConfigureAwait(false);
            Limits.Publish(taken(), length, present?.Length ?? 0);
            using SafeFileHandle? found = open is null ? _tree.TryOpenFile(name) : null;
            return Describe(open ?? found ?? throw StoreErrors.NoFile(name), name, length, stamp, digest);
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
            // Somebody was at it already; or what had been reserved was given back, which counts as a modification.
            return VersionWatch.Unsettled(facts, name) with { Sha256 = digest };
        }

        _watch.Published(facts);
        if (digest is { } known)
        {
            _digests.Write(name, facts, known);
        }

        return facts.ToFile(name, digest);
    }

    private LocalFileWriter Create(TransferName name, CreateFileOptions options, long taken)
    {
        StoreFolder folder = _tree.TryOpenFolderOf(
            name, create: true, follow: !options.Precondition.CreateNew, out string fileName)!;
        FilePipeWriter? file = null;
        try
        {
            Limits.CheckDevice(name, options.Length ?? 0);
            string path = folder.PathOf(fileName);
            file = FilePipe.Create(
                path,
                new FileWriteOptions
                {
                    CreateNew = options.Precondition.CreateNew,
                    PreallocationSize = options.Length ?? 0,
                    Durability = Options.Durability,
                    Portable = Options.Portable,
                });
            ThrowIfOffsetMismatch(file, path, name);
            LimitedBody? limited = Limit(file, name, options.Length);
            return new LocalFileWriter(this, name, options, folder, file, limited, taken);
        }
        catch (Exception exception)
        {
            file?.Dispose();
            folder.Dispose();
            if (exception is FilePipeException)
            {
                throw StoreErrors.Translate(exception, "create", name);
            }

            throw;
        }
    }

    /// <summary>A link that came under the name after it was looked at would have been followed, wherever it leads.</summary>
    private static void ThrowIfOffsetMismatch(FilePipeWriter file, string path, TransferName name)
    {
        if (!string.Equals(file.TargetPath, Path.GetFullPath(path), StringComparison.Ordinal))
        {
            throw StoreErrors.LeadsOut(name);
        }
    }

    /// <summary>Null where nothing has to be counted.</summary>
    private LimitedBody? Limit(FilePipeWriter file, TransferName name, long? length) =>
        length is null
            ? Limits.AppliesToUnknownLength ? new LimitedBody(file, Limits, name, takes: true) : null
            : !Native && Limits.AppliesToAll ? new LimitedBody(file, Limits, name, takes: false) : null;

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

        File.Delete(folder.PathOf(fileName));
        folder.Flush();
        if (!isLink)
        {
            Limits.Delete(facts.Length);
        }

        _digests.Remove(name);
        return true;
    }

    /// <summary>Throws when a precondition is not met.</summary>
    /// <returns>What is there, where somebody needs to know.</returns>
    private async ValueTask<StoredFile?> CheckAsync(
        TransferName name, WritePrecondition precondition, CancellationToken cancellationToken)
    {
        if (precondition.IsNone && Options.MaxTotalBytes is null)
        {
            return null;
        }

        StoredFile? present = await FindAsync(name, DigestNeed.IfKnown, cancellationToken).ConfigureAwait(false);
        precondition.ThrowIfNotMet(name, present);
        return present;
    }

    private async ValueTask<(StoredFile File, FileFacts Facts)> DescribeAsync(
        SafeFileHandle handle, TransferName name, DigestNeed need, CancellationToken cancellationToken)
    {
        if (await _watch.LookAsync(handle, cancellationToken).ConfigureAwait(false) is not { } facts)
        {
            FileFacts now = _tree.Look(handle);
            return need == DigestNeed.Always
                ? throw StoreErrors.KeepsChanging(name)
                : (VersionWatch.Unsettled(now, name), now);
        }

        Sha256Digest? digest = _digests.TryRead(name, facts);
        if (digest is null && need != DigestNeed.IfKnown)
        {
            if (need == DigestNeed.Always || facts.Length <= Options.CheapDigestBytes)
            {
                digest = await ComputeAsync(handle, name, facts, need, cancellationToken).ConfigureAwait(false);
            }
            else
            {
                _work.ComputeLater(name, facts);
            }
        }

        return (facts.ToFile(name, digest), facts);
    }

    private async ValueTask<Sha256Digest?> ComputeAsync(
        SafeFileHandle handle, TransferName name, FileFacts facts, DigestNeed need, CancellationToken cancellationToken)
    {
        Sha256Digest? digest = await _work.ComputeAsync(name, facts, cancellationToken).ConfigureAwait(false);
        if (digest is not null || need != DigestNeed.Always)
        {
            return digest;
        }

        // The name has another version by now; this one is still open here.
        digest = await DigestWork.HashAsync(handle, facts.Length, Options.Portable, cancellationToken)
            .ConfigureAwait(false);
        FileFacts after = _tree.Look(handle);
        return after.Length == facts.Length && after.Modified == facts.Modified
            ? digest
            : throw StoreErrors.KeepsChanging(name);
    }

    private static void ThrowIfRoot(TransferName name)
    {
        if (name.IsRoot)
        {
            throw StoreErrors.IsFolder(name);
        }
    }
}
