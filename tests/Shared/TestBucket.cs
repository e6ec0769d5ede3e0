using Amazon.Runtime;
using Amazon.S3;
using Amazon.S3.Model;
using Millrace.Transfer.S3;

namespace Millrace.Testing;

/// <summary>A bucket for one test, which is deleted with everything in it.</summary>
internal sealed class TestBucket : IAsyncDisposable
{
    private TestBucket(CephServer server)
    {
        Server = server;
        Client = server.Connect();
    }

    public string Name { get; } = "test-" + Guid.NewGuid().ToString("N");

    public CephServer Server { get; }

    public IAmazonS3 Client { get; }

    /// <param name="server">Where; null for the one that all tests share.</param>
    public static async Task<TestBucket> CreateAsync(CephServer? server = null)
    {
        var bucket = new TestBucket(server ?? await CephServer.Shared);
        await bucket.Client.PutBucketAsync(bucket.Name);
        return bucket;
    }

    public async Task PutAsync(string key, ReadOnlyMemory<byte> content)
    {
        using var stream = new MemoryStream(content.ToArray());
        await Client.PutObjectAsync(new PutObjectRequest { BucketName = Name, Key = key, InputStream = stream });
    }

    /// <summary>Copies an object to a file, with its time.</summary>
    /// <returns>False when there is none.</returns>
    public async Task<bool> TryCopyToAsync(string key, string path)
    {
        try
        {
            using GetObjectResponse response = await Client.GetObjectAsync(Name, key);
            await response.WriteResponseStreamToFileAsync(path, append: false, CancellationToken.None);
            File.SetLastWriteTimeUtc(path, response.LastModified!.Value.ToUniversalTime());
            return true;
        }
        catch (AmazonS3Exception exception) when (exception.StatusCode == System.Net.HttpStatusCode.NotFound)
        {
            return false;
        }
    }

    /// <summary>Keys that begin so, sorted.</summary>
    public async Task<IReadOnlyList<string>> KeysAsync(string prefix = "")
    {
        var keys = new List<string>();
        var request = new ListObjectsV2Request { BucketName = Name, Prefix = prefix };
        do
        {
            ListObjectsV2Response page = await Client.ListObjectsV2Async(request);
            keys.AddRange((page.S3Objects ?? []).Select(item => item.Key));
            request.ContinuationToken = page.NextContinuationToken;
        }
        while (request.ContinuationToken is not null);
        keys.Sort(StringComparer.Ordinal);
        return keys;
    }

    /// <summary>Files that clients see.</summary>
    public async Task<IReadOnlyList<string>> VisibleAsync() =>
        [.. (await KeysAsync()).Where(static key => !key.Split('/').Contains(".millrace") && !key.EndsWith('/'))];

    /// <summary>Keys of multipart uploads that were neither completed nor aborted.</summary>
    public async Task<IReadOnlyList<string>> OpenUploadsAsync() =>
        [.. (await UploadsAsync()).Select(upload => upload.Key)];

    public async ValueTask DisposeAsync()
    {
        await Bounded.UntilAsync(TryDeleteAsync);
        Client.Dispose();
    }

    /// <remarks>A request that a disposed store canceled may write an object meanwhile.</remarks>
    private async Task<bool> TryDeleteAsync()
    {
        foreach (string[] keys in (await KeysAsync()).Chunk(1000))
        {
            await Client.DeleteObjectsAsync(
                new DeleteObjectsRequest { BucketName = Name, Objects = [.. keys.Select(key => new KeyVersion { Key = key })] });
        }

        foreach (MultipartUpload upload in await UploadsAsync())
        {
            await Client.AbortMultipartUploadAsync(Name, upload.Key, upload.UploadId);
        }

        try
        {
            await Client.DeleteBucketAsync(Name);
            return true;
        }
        catch (AmazonS3Exception exception) when (exception.StatusCode == System.Net.HttpStatusCode.Conflict)
        {
            return false;
        }
    }

    private async Task<List<MultipartUpload>> UploadsAsync() =>
        (await Client.ListMultipartUploadsAsync(new ListMultipartUploadsRequest { BucketName = Name })).MultipartUploads ?? [];
}

/// <summary>Connects the SDK to a server for tests.</summary>
internal static class CephClients
{
    public static IAmazonS3 Connect(this CephServer server, Action<AmazonS3Config>? configure = null) =>
        server.Connect(CephServer.AccessKey, CephServer.SecretKey, configure);

    public static IAmazonS3 Connect(this CephServer server, string accessKey, string secretKey, Action<AmazonS3Config>? configure = null)
    {
        var config = new AmazonS3Config
        {
            ServiceURL = server.Address.AbsoluteUri,
            ForcePathStyle = true,
            AuthenticationRegion = "us-east-1",
            RequestChecksumCalculation = RequestChecksumCalculation.WHEN_REQUIRED,
            ResponseChecksumValidation = ResponseChecksumValidation.WHEN_REQUIRED,
            HttpClientFactory = new S3HttpClientFactory(),
        };
        configure?.Invoke(config);
        return new AmazonS3Client(new BasicAWSCredentials(accessKey, secretKey), config);
    }
}
