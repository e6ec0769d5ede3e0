using Amazon.Runtime;

namespace Millrace.Transfer.S3;

/// <summary>
/// Keeps files in an S3 bucket, under their names as keys. Any number of servers can use the same bucket and prefix at once: what
/// they have to agree on is in the bucket. Thread-safe.
/// </summary>
/// <remarks>docs/s3.md lists the operations that an object store cannot do, and how they are refused.</remarks>
public sealed partial class S3FileStore : IFileStore, IAsyncDisposable
{
    private readonly Bucket _bucket;
    private readonly Keys _keys;
    private readonly PartMemory _memory;
    private readonly DigestStore _digests;
    private readonly Publisher _publisher;
    private readonly ServerClock _clock;
    private readonly Quota _quota;
    private readonly UploadRegistry _uploads;
    private readonly AbsentKeys _absent = new();
    private readonly CancellationTokenSource _end = new();
    private readonly Task _upkeep;
    private readonly bool _ownsClient;
    private int _disposed;

    /// <summary>Creates a store over a bucket that exists; <see cref="CheckAsync"/> says whether it can be used.</summary>
    /// <param name="options">Not to be changed afterwards.</param>
    /// <exception cref="ArgumentException">The bucket is empty, or the prefix is not a valid name.</exception>
    public S3FileStore(S3FileStoreOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentException.ThrowIfNullOrEmpty(options.Bucket, nameof(options));
        string prefix = options.Prefix.Trim('/');
        if (prefix.Length > 0 && !TransferName.TryParse(prefix, out _))
        {
            throw new ArgumentException($"'{options.Prefix}' is not a valid prefix; use the name of a folder.", nameof(options));
        }

        Options = options;
        _ownsClient = options.Client is null;
        _bucket = new Bucket(options.Client ?? CreateClient(options), options.Bucket);
        _keys = new Keys(prefix);
        _memory = new PartMemory(options.MemoryBytes);
        _clock = new ServerClock(_bucket, _keys, options.Clock);
        _digests = new DigestStore(_bucket, _keys, options);
        _publisher = new Publisher(_bucket, _keys, _digests, _clock, _absent);
        _quota = new Quota(options.MaxTotalBytes);
        _uploads = new UploadRegistry(_bucket, _keys, _clock, options);
        _upkeep = Task.Run(UpkeepAsync);
    }

    /// <summary>The options.</summary>
    public S3FileStoreOptions Options { get; }

    /// <inheritdoc/>
    public long? MaxFileBytes => Options.MaxFileBytes;

    /// <inheritdoc/>
    public bool CanMoveFolders => false;

    /// <summary>Bytes that a file can have at all: 10,000 parts.</summary>
    private long Limit => Math.Min(Options.MaxFileBytes ?? long.MaxValue, PartPlan.MaxParts * PartPlan.MaxPartBytes(Options));

    /// <inheritdoc/>
    /// <remarks>A bucket has no links, so there is nothing to confine.</remarks>
    public IFileStore Within(TransferName prefix) => this;

    /// <summary>Asks whether the bucket can be used: reads it, writes to it, and tries a conditional write.</summary>
    /// <exception cref="TransferException">
    /// The bucket does not exist, access to it is refused, the service cannot be reached, its clock and this one differ too much, or it
    /// ignores <c>If-None-Match: *</c>, without which several servers cannot work together. The message says which.
    /// </exception>
    public async Task CheckAsync(CancellationToken cancellationToken = default)
    {
        await FolderExistsAsync(default, cancellationToken);
        await _bucket.TryCreateAsync(_keys.Probe, default, cancellationToken);
        if (await _bucket.TryCreateAsync(_keys.Probe, default, cancellationToken))
        {
            throw new TransferException(
                TransferError.Failed,
                "The object store ignores 'If-None-Match: *', so that several servers could corrupt each other's uploads. Use another one.");
        }
    }

    /// <summary>Stops the background work. Dispose readers and writers before. A client that was passed stays open.</summary>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0)
        {
            return;
        }

        await _end.CancelAsync();
        await _upkeep.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await _digests.DisposeAsync();
        if (_ownsClient)
        {
            _bucket.Client.Dispose();
        }

        _end.Dispose();
    }

    internal static AmazonS3Client CreateClient(S3FileStoreOptions options)
    {
        var config = new AmazonS3Config
        {
            ForcePathStyle = options.PathStyle,
            RequestChecksumCalculation = RequestChecksumCalculation.WHEN_REQUIRED,
            ResponseChecksumValidation = ResponseChecksumValidation.WHEN_REQUIRED,
            RetryMode = RequestRetryMode.Standard,
            MaxErrorRetry = 4,

            // A part of 128 MiB at 4 Mbit/s.
            Timeout = TimeSpan.FromMinutes(5),
        };
        if (options.Endpoint is { } endpoint)
        {
            config.ServiceURL = endpoint.ToString();
            config.AuthenticationRegion = options.Region ?? "us-east-1";
        }
        else if (options.Region is { } region)
        {
            config.RegionEndpoint = Amazon.RegionEndpoint.GetBySystemName(region);
        }

        return new AmazonS3Client(config);
    }
}
