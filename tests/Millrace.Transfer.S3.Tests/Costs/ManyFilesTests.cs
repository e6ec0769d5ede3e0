namespace Millrace.Transfer.S3.Tests.Costs;

/// <summary>Listings and files of sizes that only ./test --soak makes in full. Alone: it reads how large the process's heap is.</summary>
[CollectionDefinition(nameof(ManyFilesTests), DisableParallelization = true)]
[Collection(nameof(ManyFilesTests))]
public sealed class ManyFilesTests : BucketTest
{
    private const int PageSize = 1000;

    [NeedsFact(Need.Ceph)]
    public async Task Every_file_is_listed_once_in_flat_memory()
    {
        int count = Soak.Times(3_000, 100_000);
        await Parallel.ForAsync(0, count, new ParallelOptions { MaxDegreeOfParallelism = 32 }, async (i, _) =>
            await Bucket.PutAsync($"f/{i:000000}", default));
        var counted = new CountedClient();
        using IAmazonS3 client = Bucket.Server.Connect(config => config.HttpClientFactory = counted);
        await using S3FileStore store = Open(client);
        var options = new ListFilesOptions { Folder = "f".Name(), PageSize = PageSize };
        long mostBytes = 0;
        int seen = 0;
        while (true)
        {
            FilePage page = await store.ListAsync(options, default);
            Assert.All(page.Entries, entry => Assert.Equal($"f/{seen++:000000}", entry.Name.Value));
            if (page.Next.IsRoot)
            {
                break;
            }

            options = options with { After = page.Next };
            mostBytes = Math.Max(mostBytes, GC.GetTotalMemory(forceFullCollection: true));
            if (seen == PageSize)
            {
                mostBytes = 0;
            }
        }

        Assert.Equal(count, seen);

        // One request for each page, whose number is linear, and at most one to learn that there is no more.
        Assert.InRange(counted.Requests.Count(request => request.Contains("prefix=f%2F", StringComparison.Ordinal)), count / PageSize, (count / PageSize) + 2);
        Assert.InRange(mostBytes, 0, 64 << 20);
    }
}
