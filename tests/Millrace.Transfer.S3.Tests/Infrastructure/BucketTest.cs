namespace Millrace.Transfer.S3.Tests.Infrastructure;

/// <summary>Every test has its own bucket and folder.</summary>
public abstract class BucketTest : IAsyncLifetime
{
    private TestBucket? _bucket;

    internal TestBucket Bucket => _bucket!;

    protected TemporaryFolder Folder { get; } = new();

    /// <summary>Where the bucket is; null for the server that all tests share.</summary>
    private protected virtual Task<CephServer?> ServerAsync() => Task.FromResult<CephServer?>(null);

    public virtual async Task InitializeAsync() => _bucket = await TestBucket.CreateAsync(await ServerAsync());

    public virtual async Task DisposeAsync()
    {
        await Bucket.DisposeAsync();
        Folder.Dispose();
    }

    /// <summary>Opens a store of the bucket.</summary>
    private protected S3FileStore Open(IAmazonS3? client = null, Action<S3FileStoreOptions>? configure = null)
    {
        var options = new S3FileStoreOptions { Bucket = Bucket.Name, Client = client ?? Bucket.Client };
        configure?.Invoke(options);
        return new S3FileStore(options);
    }

    private protected Task<ServedBucket> ServeAsync(params string[] arguments) =>
        ServedBucket.StartAsync(Folder.Path, Bucket.Name, Bucket.Server.Address, arguments);

    /// <summary>Writes a file of random bytes.</summary>
    /// <returns>Its SHA-256 in hexadecimals.</returns>
    protected string Write(string name, int length, int seed = 7)
    {
        byte[] content = Content.Random(length, seed);
        Folder.Write(name, content);
        return Convert.ToHexStringLower(SHA256.HashData(content));
    }

    protected string DigestOf(string name)
    {
        using FileStream file = File.OpenRead(Folder[name]);
        return Convert.ToHexStringLower(SHA256.HashData(file));
    }
}
