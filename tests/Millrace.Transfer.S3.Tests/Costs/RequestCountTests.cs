namespace Millrace.Transfer.S3.Tests.Costs;

/// <summary>What a small file costs in requests, which services charge for.</summary>
public sealed class RequestCountTests : BucketTest
{
    private static readonly byte[] Small = [.. Enumerable.Range(0, 4096).Select(static i => (byte)i)];

    [NeedsFact(Need.Ceph)]
    public async Task Small_file_takes_three_requests_to_put_two_to_get_and_one_to_find()
    {
        var counted = new CountedClient();
        using IAmazonS3 client = Bucket.Server.Connect(config => config.HttpClientFactory = counted);
        await using S3FileStore store = Open(client);
        await store.CheckAsync();

        // Waits for the one in the background.
        await store.ExpireUploadsAsync(default);
        counted.Forget();

        await store.PutAsync("a/b", Small);
        Assert.InRange(counted.Requests.Count, 1, 3);

        counted.Forget();
        Assert.Equal(Small, await store.GetAsync("a/b"));
        Assert.InRange(counted.Requests.Count, 1, 2);

        counted.Forget();
        StoredFile? found = await store.FindAsync("a/b".Name(), DigestNeed.Always, default);
        Assert.Equal(Sha256Digest.Compute(Small), found!.Sha256);
        Assert.Single(counted.Requests);
    }

    [NeedsFact(Need.Ceph)]
    public async Task A_page_of_a_listing_takes_one_request()
    {
        for (int i = 0; i < 30; i++)
        {
            await Bucket.PutAsync($"f/{i:00}", default);
        }

        var counted = new CountedClient();
        using IAmazonS3 client = Bucket.Server.Connect(config => config.HttpClientFactory = counted);
        await using S3FileStore store = Open(client);
        await store.ExpireUploadsAsync(default);
        var options = new ListFilesOptions { Folder = "f".Name(), PageSize = 10 };
        int pages = 0;
        for (; ; pages++)
        {
            counted.Forget();
            FilePage page = await store.ListAsync(options, default);
            Assert.Single(counted.Requests, request => request.Contains("prefix=f%2F", StringComparison.Ordinal));
            if (page.Next.IsRoot)
            {
                break;
            }

            options = options with { After = page.Next };
        }

        Assert.InRange(pages, 2, 3);
    }
}
