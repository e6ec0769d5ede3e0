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
        long before = 0;
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

            // More than after the first page: what other tests have left in the process is in both.
            long bytes = GC.GetTotalMemory(forceFullCollection: true);
            before = seen == PageSize ? bytes : before;
            mostBytes = Math.Max(mostBytes, bytes - before);
        }

        Assert.Equal(count, seen);

        // One request for each page, whose number is linear, and at most one to learn that there is no more.
        Assert.InRange(counted.Requests.Count(request => request.Contains("prefix=f%2F", StringComparison.Ordinal)), count / PageSize, (count / PageSize) + 2);
        Assert.InRange(mostBytes, 0, 8 << 20);
    }
}
