using System.Runtime.CompilerServices;

namespace Millrace.Transfer.Server;

/// <summary>The documents of a <see cref="LocalFileStore"/>: files below a folder that no client sees, for their owner only. Thread-safe.</summary>
/// <remarks>
/// A version is the hash of the content. Programs beside the server write here, too, so a lock of the system is held while a version is
/// compared and replaced.
/// </remarks>
internal sealed class LocalDocuments(string folder, Durability durability) : IStoreDocuments, IDisposable
{
    /// <summary>The file in the folder of a key: a key may be the beginning of another one, and no part of a key is this.</summary>
    private const string FileName = NameRules.HiddenFolder;

    private const UnixFileMode OwnerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    /// <summary>Requests of this process wait here: the lock of the system is asked for at intervals.</summary>
    private readonly SemaphoreSlim _writing = new(1, 1);

    public bool IsShared => false;

    public ValueTask<StoreDocument?> ReadAsync(string key, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        return new(Read(PathOf(key)));
    }

    public async ValueTask<string?> TryWriteAsync(
        string key, ReadOnlyMemory<byte> content, string? version, bool isDurable, CancellationToken cancellationToken)
    {
        string path = PathOf(key);
        await _writing.WaitAsync(cancellationToken);
        try
        {
            using FileLock held = await LockAsync(cancellationToken);
            if (Read(path)?.Version != version)
            {
                return null;
            }

            string next = VersionOf(content.Span);
            if (next == version && !isDurable)
            {
                return next;
            }

            CreateFolder(Path.GetDirectoryName(path)!);
            await using FilePipeWriter file = FilePipe.Create(
                path, new FileWriteOptions { Durability = isDurable ? durability : Durability.None, UnixCreateMode = OwnerOnly });
            await file.WriteAsync(content, CancellationToken.None);
            await file.CommitAsync(CancellationToken.None);
            return next;
        }
        catch (Exception exception)
            when (exception is IOException and not TransferException or UnauthorizedAccessException)
        {
            throw Unusable(exception);
        }
        finally
        {
            _writing.Release();
        }
    }

    public async ValueTask DeleteAsync(string key, CancellationToken cancellationToken)
    {
        await _writing.WaitAsync(cancellationToken);
        try
        {
            using FileLock held = await LockAsync(cancellationToken);
            File.Delete(PathOf(key));
        }
        catch (DirectoryNotFoundException)
        {
            // There is none.
        }
        catch (Exception exception)
            when (exception is IOException and not TransferException or UnauthorizedAccessException)
        {
            throw Unusable(exception);
        }
        finally
        {
            _writing.Release();
        }
    }

    public async IAsyncEnumerable<string> ListAsync(
        string prefix, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        string root = Path.Combine(folder, prefix.TrimEnd('/'));
        if (!Directory.Exists(root))
        {
            yield break;
        }

        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        foreach (string path in Directory.EnumerateFiles(root, FileName, SearchOption.AllDirectories))
        {
            cancellationToken.ThrowIfCancellationRequested();
            yield return Path.GetRelativePath(folder, Path.GetDirectoryName(path)!).Replace('\\', '/');
        }
    }

    public void Dispose() => _writing.Dispose();

    private static StoreDocument? Read(string path)
    {
        try
        {
            byte[] content = File.ReadAllBytes(path);
            return new StoreDocument(content, VersionOf(content));
        }
        catch (Exception exception) when (exception is FileNotFoundException or DirectoryNotFoundException or PathTooLongException)
        {
            return null;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw Unusable(exception);
        }
    }

    private static TransferException Unusable(Exception exception) => exception is UnauthorizedAccessException
        ? new TransferException(
            TransferError.Failed,
            $"Locks, properties and links in '{NameRules.HiddenFolder}' cannot be read or changed. Run this as the user who owns the folder.",
            innerException: exception)
        : Errors.Translate(exception, "keep locks, properties and links in", default);

    private static void CreateFolder(string path)
    {
        if (OperatingSystem.IsWindows())
        {
            Directory.CreateDirectory(path);
        }
        else
        {
            Directory.CreateDirectory(path, OwnerOnly | UnixFileMode.UserExecute);
        }
    }

    private ValueTask<FileLock> LockAsync(CancellationToken cancellationToken)
    {
        CreateFolder(folder);
        return FileLock.TakeAsync(Path.Combine(folder, "documents.lock"), cancellationToken);
    }

    private string PathOf(string key) => Path.Combine(folder, key, FileName);

    private static string VersionOf(ReadOnlySpan<byte> content) => Convert.ToHexStringLower(SHA256.HashData(content));
}
