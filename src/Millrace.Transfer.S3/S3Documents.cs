namespace Millrace.Transfer.S3;

/// <summary>The documents of a store in a bucket: an object each, replaced by conditional writes, as all servers of the bucket see them.</summary>
internal sealed class S3Documents(Bucket bucket, Keys keys) : IStoreDocuments
{
    public bool IsShared => true;

    public async ValueTask<StoreDocument?> ReadAsync(string key, CancellationToken cancellationToken)
    {
        try
        {
            using GetObjectResponse response = await bucket.Client.GetObjectAsync(
                new GetObjectRequest { BucketName = bucket.Name, Key = keys.OfDocument(key) }, cancellationToken);
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

    public ValueTask<string?> TryWriteAsync(
        string key, ReadOnlyMemory<byte> content, string? version, bool isDurable, CancellationToken cancellationToken) =>
        bucket.TryReplaceAsync(keys.OfDocument(key), content, version, cancellationToken);

    public ValueTask DeleteAsync(string key, CancellationToken cancellationToken) =>
        bucket.DeleteAsync(keys.OfDocument(key), cancellationToken);

    public async IAsyncEnumerable<string> ListAsync(
        string prefix, [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken cancellationToken)
    {
        string root = keys.OfDocument("");
        await foreach (S3Object found in bucket.ListAllAsync(root + prefix, cancellationToken))
        {
            yield return found.Key[root.Length..];
        }
    }
}
