namespace Millrace.Transfer.S3;

/// <summary>One multipart upload, created with its first part. Thread-safe.</summary>
/// <param name="bucket">The bucket.</param>
/// <param name="key">The key of the object that it becomes.</param>
/// <param name="version">The object's future <see cref="FileMetadata.Version"/>.</param>
/// <param name="modified">When the file was last changed, if its writer specified it; null for the time of publication.</param>
/// <param name="uploadId">The one that exists; null for none.</param>
/// <param name="like">The object whose metadata it gets; null for none.</param>
/// <param name="isExecutable">Whether the file's owner may run it.</param>
internal sealed class Multipart(
    Bucket bucket, string key, string version, FileTime? modified = null, string? uploadId = null, GetObjectMetadataResponse? like = null,
    bool isExecutable = false)
{
    /// <summary>The largest object that one request copies.</summary>
    public const long MaxCopyBytes = 5L << 30;

    private readonly Lock _lock = new();
    private Task<string>? _creating;

    public string Key => key;

    public string Version => version;

    public FileTime? Modified => modified;

    public bool IsExecutable => isExecutable;

    public string? UploadId { get; private set; } = uploadId;

    public async ValueTask<string> CreateAsync(CancellationToken cancellationToken)
    {
        if (UploadId is { } known)
        {
            return known;
        }

        Task<string> creating;
        lock (_lock)
        {
            // One that failed is tried again by the next part.
            creating = _creating = _creating is { IsFaulted: false, IsCanceled: false } ? _creating : RequestAsync();
        }

        return await creating.WaitAsync(cancellationToken);
    }

    /// <returns>The part's tag, which has to be there still at the end.</returns>
    public async ValueTask<string> SendAsync(int number, PartBuffer part, CancellationToken cancellationToken)
    {
        var request = new UploadPartRequest
        {
            BucketName = bucket.Name,
            Key = key,
            UploadId = await CreateAsync(cancellationToken),
            PartNumber = number,
            PartSize = part.Length,
            InputStream = new PartStream(part),
            DisablePayloadSigning = bucket.IsEncrypted,
            UseChunkEncoding = false,
        };
        UploadPartResponse response = await bucket.Client.UploadPartAsync(request, cancellationToken);
        return FileMetadata.Unquote(response.ETag);
    }

    /// <summary>Has the bucket copy bytes of one version of an object as a part.</summary>
    /// <returns>The part's tag.</returns>
    public async ValueTask<string> CopyAsync(int number, S3FileReader source, ByteRange range, CancellationToken cancellationToken)
    {
        string id = await CreateAsync(cancellationToken);
        try
        {
            CopyPartResponse response = await bucket.Client.CopyPartAsync(
                new CopyPartRequest
                {
                    SourceBucket = bucket.Name,
                    SourceKey = source.Key,
                    DestinationBucket = bucket.Name,
                    DestinationKey = key,
                    UploadId = id,
                    PartNumber = number,
                    FirstByte = range.Offset,
                    LastByte = range.End - 1,
                    ETagToMatch = [source.File.Tag.Value],
                },
                cancellationToken);
            return FileMetadata.Unquote(response.ETag);
        }
        catch (Exception exception) when (S3Errors.IsRefused(exception))
        {
            // A service without such copies, or a policy against them: the next attempt sends the bytes.
            bucket.CopiesParts = false;
            throw;
        }
    }

    /// <summary>Publishes the object.</summary>
    /// <param name="tags">Those of all parts.</param>
    /// <param name="condition">Passed on, for services that obey it.</param>
    /// <param name="cancellationToken">Ends the request; see <see cref="ChangeToken"/>.</param>
    public Task CompleteAsync(
        IReadOnlyList<string> tags, WritePrecondition condition, CancellationToken cancellationToken) =>
        bucket.Client.CompleteMultipartUploadAsync(
            new CompleteMultipartUploadRequest
            {
                BucketName = bucket.Name,
                Key = key,
                UploadId = UploadId,
                PartETags = [.. tags.Select(static (tag, i) => new PartETag(i + 1, tag))],
                IfNoneMatch = condition.CreateNew ? "*" : null,
                IfMatch = condition.Match is [var only] ? only.Value : null,
            },
            cancellationToken);

    /// <summary>Deletes it and its parts, if there is one, or will be one soon. Never throws: the upkeep deletes what stays.</summary>
    public async ValueTask AbortAsync()
    {
        Task<string>? creating;
        lock (_lock)
        {
            creating = _creating;
        }

        if (creating is not null)
        {
            // Who called for it may have given up before the bucket answered.
            await ((Task)creating).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        if (UploadId is { } id)
        {
            try
            {
                await bucket.AbortAsync(key, id, CancellationToken.None);
            }
            catch (TransferException)
            {
                // The caller has a better reason to report.
            }
        }
    }

    /// <summary>Adds which version it is, and when it was changed.</summary>
    public void Describe(MetadataCollection metadata)
    {
        metadata[FileMetadata.Version] = version;
        if (modified is { } time)
        {
            metadata[FileMetadata.Modified] = time.ToString();
        }

        if (isExecutable)
        {
            metadata[FileMetadata.Executable] = "1";
        }
    }

    private async Task<string> RequestAsync()
    {
        var request = new InitiateMultipartUploadRequest { BucketName = bucket.Name, Key = key };
        if (like is not null)
        {
            FileMetadata.Copy(like, request.Headers, request.Metadata);
        }

        Describe(request.Metadata);
        return UploadId = (await bucket.Client.InitiateMultipartUploadAsync(request)).UploadId;
    }
}
