using System.Runtime.CompilerServices;

namespace Millrace.Transfer.Server;

/// <summary>Documents in a folder that only its owner may read, a file each; one lock for all of them.</summary>
internal sealed class LocalRecords : IRecordStore, IDisposable
{
    private const string Suffix = ".json";
    private const UnixFileMode OwnerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    private readonly string _folder;

    /// <summary>Requests of this process wait here: the lock of the system is asked for at intervals.</summary>
    private readonly SemaphoreSlim _turn = new(1, 1);

    /// <param name="root">The folder of a store.</param>
    /// <param name="statePath"><see cref="LocalFileStoreOptions.StatePath"/>.</param>
    public LocalRecords(string root, string? statePath) => _folder = Path.Combine(StateFolder.Of(root, statePath), "links");

    public ValueTask<StoredRecord?> ReadAsync(string name, CancellationToken cancellationToken)
    {
        byte[]? content = Read(name);
        return ValueTask.FromResult(content is null ? null : new StoredRecord(content, TagOf(content)));
    }

    public async ValueTask<bool> TryReplaceAsync(
        string name, ReadOnlyMemory<byte> content, string? tag, CancellationToken cancellationToken)
    {
        using FileLock held = await HoldAsync(cancellationToken);
        try
        {
            byte[]? present = Read(name);
            if ((present is null ? null : TagOf(present)) != tag)
            {
                return false;
            }

            await using FilePipeWriter writer = FilePipe.Create(PathOf(name), new FileWriteOptions { UnixCreateMode = OwnerOnly });
            await writer.WriteAsync(content, CancellationToken.None);
            await writer.CommitAsync(CancellationToken.None);
            return true;
        }
        finally
        {
            _turn.Release();
        }
    }

    public async ValueTask<bool> DeleteAsync(string name, CancellationToken cancellationToken)
    {
        using FileLock held = await HoldAsync(cancellationToken);
        try
        {
            bool isThere = File.Exists(PathOf(name));
            File.Delete(PathOf(name));
            return isThere;
        }
        catch (UnauthorizedAccessException exception)
        {
            throw Unusable(exception);
        }
        finally
        {
            _turn.Release();
        }
    }

    public async IAsyncEnumerable<string> ListAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        if (!Directory.Exists(_folder))
        {
            yield break;
        }

        await Task.CompletedTask;
        foreach (string path in Directory.EnumerateFiles(_folder, "*" + Suffix))
        {
            string name = Path.GetFileNameWithoutExtension(path);
            if (IsName(name))
            {
                yield return name;
            }
        }
    }

    public void Dispose() => _turn.Dispose();

    private static bool IsName(string name) =>
        name.Length is > 0 and <= IRecordStore.MaxNameLength && name.All(static c => char.IsAsciiLetterLower(c) || char.IsAsciiDigit(c));

    private static string TagOf(byte[] content) => Convert.ToHexStringLower(SHA256.HashData(content));

    private string PathOf(string name) => IsName(name)
        ? Path.Combine(_folder, name + Suffix)
        : throw new ArgumentException($"'{name}' is not the name of a document.", nameof(name));

    private byte[]? Read(string name)
    {
        string path = PathOf(name);
        try
        {
            return File.ReadAllBytes(path);
        }
        catch (Exception exception) when (exception is FileNotFoundException or DirectoryNotFoundException)
        {
            return null;
        }
        catch (UnauthorizedAccessException exception)
        {
            throw Unusable(exception);
        }
    }

    private async ValueTask<FileLock> HoldAsync(CancellationToken cancellationToken)
    {
        await _turn.WaitAsync(cancellationToken);
        try
        {
            if (OperatingSystem.IsWindows())
            {
                Directory.CreateDirectory(_folder);
            }
            else
            {
                Directory.CreateDirectory(_folder, OwnerOnly | UnixFileMode.UserExecute);
            }

            return await FileLock.TakeAsync(Path.Combine(_folder, "lock"), cancellationToken);
        }
        catch (UnauthorizedAccessException exception)
        {
            _turn.Release();
            throw Unusable(exception);
        }
        catch
        {
            _turn.Release();
            throw;
        }
    }

    private TransferException Unusable(Exception exception) => new(
        TransferError.Failed,
        $"The links in '{_folder}' cannot be read or changed: {exception.Message} Run this as the user who owns the folder.",
        innerException: exception);
}
