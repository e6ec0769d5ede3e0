namespace Millrace.Transfer.S3;

/// <summary>The bucket of an <see cref="S3FileStore"/>, and what this server knows and holds of it. Thread-safe.</summary>
internal sealed class S3Store : IAsyncDisposable
{
    private readonly bool _ownsClient;

    public S3Store(S3FileStoreOptions options, string prefix)
    {
        Options = options;
        _ownsClient = options.Client is null;
        Bucket = new Bucket(options.Client ?? S3FileStore.CreateClient(options), options.Bucket);
        Keys = new Keys(prefix, options.Names);
        Memory = new PartMemory(options.MemoryBytes);
        Clock = new ServerClock(Bucket, Keys, options.TimeProvider);
        Digests = new DigestStore(Bucket, Keys, options);
        Quota = new Quota(options.MaxTotalBytes);
        Trash = options.TrashLifetime is { } lifetime ? new S3Trash(this, lifetime) : null;
    }

    public S3FileStoreOptions Options { get; }

    public Bucket Bucket { get; }

    public Keys Keys { get; }

    public PartMemory Memory { get; }

    public ServerClock Clock { get; }

    public DigestStore Digests { get; }

    public Quota Quota { get; }

    /// <summary>Null if deleted files are not kept.</summary>
    public S3Trash? Trash { get; }

    public AbsentKeys Absent { get; } = new();

    /// <summary>Bytes that a file can have at all: 10,000 parts.</summary>
    public long MaxBytes => Math.Min(Options.MaxFileBytes ?? long.MaxValue, PartPlan.MaxParts * PartPlan.MaxPartBytes(Options));

    public void CheckLength(TransferName name, long length)
    {
        if (length > MaxBytes)
        {
            throw Errors.TooLarge(name, MaxBytes);
        }
    }

    /// <summary>Reads the first bytes of an object.</summary>
    /// <param name="tail">Where they go.</param>
    /// <param name="key">The object.</param>
    /// <param name="tag">The only version to read, without quotes; null for any.</param>
    /// <param name="bytes">How many.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public async ValueTask FillAsync(PartBuffer tail, string key, string? tag, long bytes, CancellationToken cancellationToken)
    {
        try
        {
            using GetObjectResponse response = await Bucket.Client.GetObjectAsync(
                new GetObjectRequest { BucketName = Bucket.Name, Key = key, EtagToMatch = tag }, cancellationToken);
            while (tail.Length < bytes)
            {
                Memory<byte> room = tail.GetMemory();
                int count = (int)Math.Min(room.Length, bytes - tail.Length);
                await response.ResponseStream.ReadExactlyAsync(room[..count], cancellationToken);
                tail.Advance(count);
            }
        }
        catch (Exception exception) when (S3Errors.IsOfStore(exception))
        {
            throw S3Errors.Translate(exception);
        }
    }

    public async ValueTask DisposeAsync()
    {
        await Digests.DisposeAsync();
        if (_ownsClient)
        {
            Bucket.Client.Dispose();
        }
    }
}
