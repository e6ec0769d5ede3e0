using Millrace.Transfer.S3;

namespace Millrace.Transfer.Server.Tests.Infrastructure;

/// <summary>The storage of the stores and servers under test: a folder, or, with <c>MILLRACE_STORE=s3</c>, a bucket.</summary>
public sealed class TestedStore : IAsyncDisposable
{
    private const string Uploads = NameRules.HiddenFolder + "/uploads/";

    private readonly bool _ownsRoot;
    private readonly TestBucket? _bucket;
    private readonly List<IFileStore> _stores = [];

    private TestedStore(string? root, TestBucket? bucket)
    {
        _ownsRoot = root is null;
        _bucket = bucket;
        Root = root ?? Directory.CreateTempSubdirectory("millrace-store-").FullName;
    }

    /// <summary>Whether it is a bucket. Tests that need a folder have <see cref="NeedsLocalFolderAttribute"/>.</summary>
    public static bool IsBucket { get; } = Environment.GetEnvironmentVariable("MILLRACE_STORE") == "s3";

    /// <summary>The folder, or where <see cref="PathOf"/> puts copies.</summary>
    public string Root { get; }

    /// <param name="root">A folder that remains; null for a new one, or a new bucket.</param>
    public static async Task<TestedStore> CreateAsync(string? root = null) =>
        new(root, IsBucket && root is null ? await TestBucket.CreateAsync() : null);

    /// <summary>Opens a store, which is disposed with this at the latest.</summary>
    public IFileStore Open(LocalFileStoreOptions? options = null)
    {
        options ??= new LocalFileStoreOptions();
        IFileStore store = _bucket is null ? new LocalFileStore(Root, options) : new S3FileStore(new S3FileStoreOptions
        {
            Bucket = _bucket.Name,
            Client = _bucket.Client,
            Names = options.Names,
            MaxFileBytes = options.MaxFileBytes,
            MaxTotalBytes = options.MaxTotalBytes,
            TrashLifetime = options.TrashLifetime,
            MaxTrashBytes = options.MaxTrashBytes,
            MaxUploadsPerCaller = options.MaxUploadsPerCaller,
            MaxUploads = options.MaxUploads,
            UploadLifetime = options.UploadLifetime,
            EmptyUploadLifetime = options.EmptyUploadLifetime,
            CheapDigestBytes = options.CheapDigestBytes,
            TimeProvider = options.TimeProvider,
        });
        _stores.Add(store);
        return store;
    }

    /// <summary>A path at which the file's content is: for a bucket that of a copy, as the file is now.</summary>
    public string PathOf(string name)
    {
        string path = Path.Combine(Root, name);
        if (_bucket is not null)
        {
            Directory.CreateDirectory(Path.GetDirectoryName(path)!);
            if (!Task.Run(() => _bucket.TryCopyToAsync(name, path)).GetAwaiter().GetResult())
            {
                File.Delete(path);
            }
        }

        return path;
    }

    /// <summary>Asserts that a file is the published one: with its time where the store knows it when it publishes.</summary>
    public static void AssertIsPublished(StoredFile published, StoredFile? found)
    {
        Assert.NotNull(found);
        Assert.Equal(IsBucket ? published with { Modified = found.Modified } : published, found);
    }

    /// <summary>Puts a file there without the store.</summary>
    /// <returns>See <see cref="PathOf"/>.</returns>
    public async Task<string> WriteAsync(string name, ReadOnlyMemory<byte> content)
    {
        if (_bucket is not null)
        {
            await _bucket.PutAsync(name, content);
            return PathOf(name);
        }

        string path = Path.Combine(Root, name);
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        await File.WriteAllBytesAsync(path, content);
        return path;
    }

    /// <summary>Files that a client could see.</summary>
    public IReadOnlyList<string> VisibleFiles() => _bucket is not null
        ? Task.Run(_bucket.VisibleAsync).GetAwaiter().GetResult()
        : [.. Directory.EnumerateFiles(Root, "*", SearchOption.AllDirectories)
            .Select(path => Path.GetRelativePath(Root, path).Replace('\\', '/'))
            .Where(name => !name.Split('/').Any(part => part.StartsWith(".millrace", StringComparison.Ordinal)))
            .Order(StringComparer.Ordinal)];

    /// <summary>Files and folders at the top that a client could see.</summary>
    public string[] VisibleNames() => _bucket is not null
        ? [.. VisibleFiles().Select(name => name.Split('/')[0]).Distinct(StringComparer.Ordinal)]
        : [.. Directory.GetFileSystemEntries(Root).Select(path => Path.GetFileName(path))
            .Where(name => name != NameRules.HiddenFolder).Order(StringComparer.Ordinal)];

    /// <summary>The unpublished parts of uploads and of files that were being written.</summary>
    public IReadOnlyList<string> Leftovers() => _bucket is not null
        ? Task.Run(() => _bucket.KeysAsync(Uploads)).GetAwaiter().GetResult()
        : [.. Directory.EnumerateFiles(Root, "*", SearchOption.AllDirectories)
            .Select(path => Path.GetRelativePath(Root, path))
            .Where(static name => name.StartsWith(Uploads, StringComparison.Ordinal)
                || Path.GetFileName(name).StartsWith(NameRules.HiddenFolder, StringComparison.Ordinal))];

    /// <summary>Uploads of which the store has kept anything.</summary>
    public int CountUploads() => _bucket is not null
        ? Leftovers().Select(static key => key[Uploads.Length..].Split('/')[0]).Distinct(StringComparer.Ordinal).Count()
        : Directory.GetFileSystemEntries(Path.Combine(Root, Uploads)).Length;

    public async ValueTask DisposeAsync()
    {
        foreach (IFileStore store in _stores)
        {
            await ((IAsyncDisposable)store).DisposeAsync();
        }

        if (_bucket is not null)
        {
            await _bucket.DisposeAsync();
        }

        if (_ownsRoot)
        {
            Directory.Delete(Root, recursive: true);
        }
    }
}
