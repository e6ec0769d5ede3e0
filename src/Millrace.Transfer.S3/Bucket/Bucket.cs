namespace Millrace.Transfer.S3;

/// <summary>The requests to one bucket. Failures are <see cref="TransferException"/>s, except for those that callers decide about.</summary>
internal sealed class Bucket(IAmazonS3 client, string name)
{
    public IAmazonS3 Client => client;

    public string Name => name;

    /// <summary>Whether the service copies parts of objects, as far as that is known.</summary>
    public bool CopiesParts { get; set; } = true;

    /// <summary>Whether the connection protects the bytes, so that requests need not be signed with a digest of them.</summary>
    public bool IsEncrypted => client.Config.ServiceURL?.StartsWith("http:", StringComparison.OrdinalIgnoreCase) is not true && !client.Config.UseHttp;

    /// <returns>Null when there is no such object.</returns>
    public async ValueTask<GetObjectMetadataResponse?> HeadAsync(string key, CancellationToken cancellationToken)
    {
        try
        {
            return await client.GetObjectMetadataAsync(
                new GetObjectMetadataRequest { BucketName = name, Key = key }, cancellationToken);
        }
        catch (Exception exception) when (S3Errors.IsNotFound(exception))
        {
            return null;
        }
        catch (Exception exception) when (S3Errors.IsOfStore(exception))
        {
            throw S3Errors.Translate(exception);
        }
    }

    /// <summary>Reads a small object.</summary>
    /// <returns>Null when there is no such object.</returns>
    public async ValueTask<byte[]?> ReadAsync(string key, CancellationToken cancellationToken) =>
        (await ReadDocumentAsync(key, cancellationToken)) is { } found ? found.Content.ToArray() : null;

    /// <summary>Reads a small object, and the version of it.</summary>
    /// <returns>Null when there is no such object.</returns>
    public async ValueTask<StoreDocument?> ReadDocumentAsync(string key, CancellationToken cancellationToken)
    {
        try
        {
            using GetObjectResponse response = await client.GetObjectAsync(
                new GetObjectRequest { BucketName = name, Key = key }, cancellationToken);
            byte[] content = new byte[response.ContentLength];
            await response.ResponseStream.ReadExactlyAsync(content, cancellationToken);
            return new StoreDocument(content, FileMetadata.Unquote(response.ETag));
        }
        catch (Exception exception) when (S3Errors.IsNotFound(exception))
        {
            return null;
        }
        catch (Exception exception) when (S3Errors.IsOfStore(exception))
        {
            throw S3Errors.Translate(exception);
        }
    }

    /// <summary>Writes a small object.</summary>
    public async ValueTask WriteAsync(string key, ReadOnlyMemory<byte> content, CancellationToken cancellationToken)
    {
        try
        {
            await PutAsync(key, content, isNew: false, tag: null, write: null, cancellationToken);
        }
        catch (Exception exception) when (S3Errors.IsOfStore(exception))
        {
            throw S3Errors.Translate(exception);
        }
    }

    /// <summary>Writes a small object if there is none: of any number of writers, one succeeds.</summary>
    public async ValueTask<bool> TryCreateAsync(string key, ReadOnlyMemory<byte> content, CancellationToken cancellationToken) =>
        await TryReplaceAsync(key, content, tag: null, cancellationToken) is not null;

    /// <summary>Writes a small object in the place of one version of it.</summary>
    /// <param name="key">The object.</param>
    /// <param name="content">Its new bytes.</param>
    /// <param name="tag">The version, without quotes; null if there must be no object.</param>
    /// <param name="cancellationToken">Ends the request.</param>
    /// <returns>The tag of the new version; null if another version is there. A service that ignores <c>If-Match</c> replaces any.</returns>
    public async ValueTask<string?> TryReplaceAsync(
        string key, ReadOnlyMemory<byte> content, string? tag, CancellationToken cancellationToken)
    {
        string write = RandomNumberGenerator.GetHexString(16, lowercase: true);
        try
        {
            return FileMetadata.Unquote((await PutAsync(key, content, isNew: tag is null, tag, write, cancellationToken)).ETag);
        }
        catch (Exception exception) when (S3Errors.IsConditionFailed(exception))
        {
            // The SDK repeats a request whose response was lost, and then finds what it has written.
            return await HeadAsync(key, cancellationToken) is { } head && head.Metadata[FileMetadata.Write] == write ? FileMetadata.Unquote(head.ETag) : null;
        }
        catch (Exception exception) when (S3Errors.IsOfStore(exception))
        {
            throw S3Errors.Translate(exception);
        }
    }

    /// <summary>The request for an object of the bytes of a part; null for none.</summary>
    public PutObjectRequest PutRequest(string key, PartBuffer? content) => new()
    {
        BucketName = name,
        Key = key,
        InputStream = content is null ? new MemoryStream() : new PartStream(content),
        DisablePayloadSigning = IsEncrypted,
        UseChunkEncoding = false,
    };

    /// <summary>Writes an object of the bytes of a part.</summary>
    public async ValueTask PutPartAsync(string key, PartBuffer content, CancellationToken cancellationToken)
    {
        try
        {
            await client.PutObjectAsync(PutRequest(key, content), cancellationToken);
        }
        catch (Exception exception) when (S3Errors.IsOfStore(exception))
        {
            throw S3Errors.Translate(exception);
        }
    }

    /// <summary>Deletes an object, if there is one.</summary>
    public async ValueTask DeleteAsync(string key, CancellationToken cancellationToken)
    {
        try
        {
            await client.DeleteObjectAsync(new DeleteObjectRequest { BucketName = name, Key = key }, cancellationToken);
        }
        catch (Exception exception) when (S3Errors.IsNotFound(exception))
        {
            // Some services say so.
        }
        catch (Exception exception) when (S3Errors.IsOfStore(exception))
        {
            throw S3Errors.Translate(exception);
        }
    }

    /// <summary>One page of keys.</summary>
    public async ValueTask<ListObjectsV2Response> ListAsync(ListObjectsV2Request request, CancellationToken cancellationToken)
    {
        try
        {
            request.BucketName = name;

            // The control characters of foreign keys cannot be in XML.
            request.Encoding = EncodingType.Url;
            ListObjectsV2Response response = await client.ListObjectsV2Async(request, cancellationToken);
            response.S3Objects ??= [];
            foreach (S3Object found in response.S3Objects)
            {
                found.Key = Decode(found.Key, response.Encoding);
            }

            response.CommonPrefixes = [.. (response.CommonPrefixes ?? []).Select(prefix => Decode(prefix, response.Encoding))];
            return response;
        }
        catch (Exception exception) when (S3Errors.IsOfStore(exception))
        {
            throw S3Errors.Translate(exception);
        }
    }

    /// <summary>All objects whose keys begin with a prefix, in the order of their keys.</summary>
    public async IAsyncEnumerable<S3Object> ListAllAsync(
        string prefix, [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken cancellationToken)
    {
        string? token = null;
        do
        {
            ListObjectsV2Response page = await ListAsync(
                new ListObjectsV2Request { Prefix = prefix, ContinuationToken = token }, cancellationToken);
            foreach (S3Object found in page.S3Objects)
            {
                yield return found;
            }

            token = page.IsTruncated is true ? page.NextContinuationToken : null;
        }
        while (token is not null);
    }

    /// <summary>Ends a multipart upload without a file.</summary>
    public async ValueTask AbortAsync(string key, string uploadId, CancellationToken cancellationToken)
    {
        try
        {
            await client.AbortMultipartUploadAsync(
                new AbortMultipartUploadRequest { BucketName = name, Key = key, UploadId = uploadId }, cancellationToken);
        }
        catch (Exception exception) when (S3Errors.IsNotFound(exception))
        {
            // It is complete, or gone.
        }
        catch (Exception exception) when (S3Errors.IsOfStore(exception))
        {
            throw S3Errors.Translate(exception);
        }
    }

    /// <summary>Decodes the key or prefix of a listing, if the service reports that it has encoded it: like a form.</summary>
    public static string Decode(string key, EncodingType? encoding) =>
        encoding == EncodingType.Url ? Uri.UnescapeDataString(key.Replace('+', ' ')) : key;

    private async ValueTask<PutObjectResponse> PutAsync(
        string key, ReadOnlyMemory<byte> content, bool isNew, string? tag, string? write, CancellationToken cancellationToken)
    {
        using var stream = new MemoryStream(content.ToArray(), writable: false);
        var request = new PutObjectRequest
        {
            BucketName = name,
            Key = key,
            InputStream = stream,
            IfNoneMatch = isNew ? "*" : null,
            IfMatch = tag,
        };
        if (write is not null)
        {
            request.Metadata[FileMetadata.Write] = write;
        }

        return await client.PutObjectAsync(request, cancellationToken);
    }
}
