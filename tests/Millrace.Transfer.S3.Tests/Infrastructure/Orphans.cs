namespace Millrace.Transfer.S3.Tests.Infrastructure;

/// <summary>What uploads leave in a bucket.</summary>
internal static class Orphans
{
    /// <summary>Expires abandoned uploads and asserts that neither their objects nor parts remain.</summary>
    public static async Task ExpireAsync(IAmazonS3 client, string bucket)
    {
        await using var store = new S3FileStore(new S3FileStoreOptions
        {
            Bucket = bucket,
            Client = client,
            UploadLifetime = TimeSpan.FromSeconds(2),
            EmptyUploadLifetime = TimeSpan.FromSeconds(1),
        });
        await Bounded.UntilAsync(async () =>
        {
            await store.ExpireUploadsAsync(default);
            ListMultipartUploadsResponse open = await client.ListMultipartUploadsAsync(new ListMultipartUploadsRequest { BucketName = bucket });
            ListObjectsV2Response left = await client.ListObjectsV2Async(
                new ListObjectsV2Request { BucketName = bucket, Prefix = ".millrace/uploads/" });
            return (open.MultipartUploads?.Count ?? 0) == 0 && (left.S3Objects?.Count ?? 0) == 0;
        });
    }
}
