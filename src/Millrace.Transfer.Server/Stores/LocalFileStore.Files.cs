using Microsoft.Win32.SafeHandles;

namespace Millrace.Transfer.Server;

/// <summary>Files.</summary>
public sealed partial class LocalFileStore
{
    /// <inheritdoc/>
    public async ValueTask<StoredFile?> FindAsync(
        TransferName name, DigestNeed digest, CancellationToken cancellationToken)
    {
        using SafeFileHandle? handle = name.IsRoot ? null : _tree.TryOpenFile(name);
        return handle is null ? null : await DescribeAsync(handle, name, digest, cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public async ValueTask<StoredFileReader> OpenReadAsync(
        TransferName name, DigestNeed digest, CancellationToken cancellationToken)
    {
        SafeFileHandle handle = (name.IsRoot ? null : _tree.TryOpenFile(name)) ?? throw StoreErrors.NoFile(name);
        try
        {
            StoredFile file = await DescribeAsync(handle, name, digest, cancellationToken).ConfigureAwait(false);
            return new LocalFileReader(handle, file, Options.Portable);
        }
        catch
        {
            handle.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public ValueTask<StoredFileWriter> CreateAsync(
        TransferName name, CreateFileOptions options, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        ThrowIfRoot(name);
        options.Precondition.ThrowIfNotMet(name, Find(name));
        StoreFolder folder = _tree.TryOpenFolderOf(name, create: true, out string fileName)!;
        try
        {
            FilePipeWriter body = FilePipe.Create(
                folder.PathOf(fileName),
                new FileWriteOptions
                {
                    MustBeNew = options.Precondition.MustNotExist,
                    PreallocationSize = options.Length ?? 0,
                    Durability = Options.Durability,
                    Portable = Options.Portable,
                });
            return new ValueTask<StoredFileWriter>(new LocalFileWriter(this, name, options, folder, body));
        }
        catch (FilePipeException exception)
        {
            folder.Dispose();
            throw StoreErrors.Translate(exception, "create", name);
        }
    }

    /// <inheritdoc/>
    public async ValueTask<bool> DeleteAsync(
        TransferName name, WritePrecondition precondition, CancellationToken cancellationToken)
    {
        ThrowIfRoot(name);
        SemaphoreSlim entered = await Locks.EnterAsync(name, cancellationToken).ConfigureAwait(false);
        try
        {
            precondition.ThrowIfNotMet(name, Find(name));
            using StoreFolder? folder = _tree.TryOpenFolderOf(name, create: false, out string fileName);
            if (folder is null || !folder.TryLook(fileName, out _, out bool isFolder, out _))
            {
                return false;
            }

            if (isFolder)
            {
                Directory.Delete(folder.PathOf(fileName));
            }
            else
            {
                File.Delete(folder.PathOf(fileName));
            }

            folder.Flush();
            return true;
        }
        catch (Exception exception)
            when (exception is IOException and not TransferException or UnauthorizedAccessException)
        {
            throw StoreErrors.Translate(exception, "delete", name);
        }
        finally
        {
            entered.Release();
        }
    }

    /// <summary>What has a name now, without a digest.</summary>
    internal StoredFile? Find(TransferName name)
    {
        using SafeFileHandle? handle = _tree.TryOpenFile(name);
        return handle is null ? null : _tree.Look(handle).ToFile(name, digest: null);
    }

    private async ValueTask<StoredFile> DescribeAsync(
        SafeFileHandle handle, TransferName name, DigestNeed need, CancellationToken cancellationToken)
    {
        FileFacts facts = _tree.Look(handle);
        Sha256Digest? digest = null;
        if (need == DigestNeed.Always || (need == DigestNeed.IfCheap && facts.Length <= Options.CheapDigestBytes))
        {
            digest = await HashAsync(handle, cancellationToken).ConfigureAwait(false);
        }

        return facts.ToFile(name, digest);
    }

    private async ValueTask<Sha256Digest> HashAsync(SafeFileHandle handle, CancellationToken cancellationToken)
    {
        using var hash = System.Security.Cryptography.IncrementalHash.CreateHash(
            System.Security.Cryptography.HashAlgorithmName.SHA256);
        using FilePipeReader reader = FilePipe.OpenRead(
            handle, new FileReadOptions { LeaveOpen = true, Portable = Options.Portable });
        while (true)
        {
            System.IO.Pipelines.ReadResult result = await reader.ReadAsync(cancellationToken).ConfigureAwait(false);
            hash.AppendData(result.Buffer.FirstSpan);
            reader.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                byte[] bytes = hash.GetHashAndReset();
                return new Sha256Digest(bytes);
            }
        }
    }

    private static void ThrowIfRoot(TransferName name)
    {
        if (name.IsRoot)
        {
            throw StoreErrors.IsFolder(name);
        }
    }
}
