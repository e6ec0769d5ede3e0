using System.Runtime.CompilerServices;

namespace Millrace.Transfer.Server;

/// <summary>The documents of a <see cref="LocalFileStore"/>: files below a folder that no client sees. Thread-safe.</summary>
/// <remarks>A version is the hash of the content: only this process writes here.</remarks>
internal sealed class LocalDocuments(string folder, Durability durability) : IStoreDocuments, IDisposable
{
    /// <summary>The file in the folder of a key: a key may be the beginning of another one, and no part of a key is this.</summary>
    private const string FileName = NameRules.HiddenFolder;

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
            if (Read(path)?.Version != version)
            {
                return null;
            }

            Directory.CreateDirectory(Path.GetDirectoryName(path)!);
            await using FilePipeWriter file = FilePipe.Create(path, new FileWriteOptions { Durability = isDurable ? durability : Durability.None });
            await file.WriteAsync(content, CancellationToken.None);
            await file.CommitAsync(CancellationToken.None);
            return VersionOf(content.Span);
        }
        catch (Exception exception)
            when (exception is IOException and not TransferException or UnauthorizedAccessException)
        {
            throw Errors.Translate(exception, "keep what a client has set for", default);
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
            File.Delete(PathOf(key));
        }
        catch (DirectoryNotFoundException)
        {
            // There is none.
        }
        catch (Exception exception)
            when (exception is IOException and not TransferException or UnauthorizedAccessException)
        {
            throw Errors.Translate(exception, "remove what a client has set for", default);
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
            throw Errors.Translate(exception, "read what a client has set for", default);
        }
    }

    private string PathOf(string key) => Path.Combine(folder, key, FileName);

    private static string VersionOf(ReadOnlySpan<byte> content) => Convert.ToHexStringLower(SHA256.HashData(content));
}
