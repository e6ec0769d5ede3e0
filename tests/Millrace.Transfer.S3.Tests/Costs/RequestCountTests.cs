namespace Millrace.Transfer.S3.Tests.Costs;

/// <summary>The requests that a small file costs, which services charge for.</summary>
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

        await SettleAsync(counted);

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

    [NeedsTheory(Need.Ceph)]
    [InlineData(false, 1)]
    [InlineData(true, 0)]
    public async Task Precondition_that_the_caller_has_checked_costs_no_request(bool isChecked, int requests)
    {
        var counted = new CountedClient();
        using IAmazonS3 client = Bucket.Server.Connect(config => config.HttpClientFactory = counted);
        await using S3FileStore store = Open(client);

        await SettleAsync(counted);

        await using StoredFileWriter writer = await store.CreateAsync(
            "a".Name(),
            new CreateFileOptions { Precondition = new WritePrecondition { CreateNew = true }, IsPreconditionChecked = isChecked },
            default);
        Assert.Equal(requests, counted.Requests.Count);
        await Bucket.PutAsync("a", Small);
        Assert.Equal(
            TransferError.AlreadyExists,
            (await Assert.ThrowsAsync<TransferException>(async () => await writer.CommitAsync(null, default))).Error);
    }

    [NeedsFact(Need.Ceph)]
    public async Task Only_a_few_large_files_are_read_at_once_for_their_digests()
    {
        const int Reading = 4, Asked = 7;
        for (int i = 0; i < Asked; i++)
        {
            await Bucket.PutAsync($"{i}", Small);
        }

        int begun = 0;
        using var answered = new ManualResetEventSlim();
        var waiting = new CountedClient
        {
            Answer = request =>
            {
                if (request.Method == HttpMethod.Get && request.Headers.Range is not null)
                {
                    Interlocked.Increment(ref begun);
                    answered.Wait(TimeSpan.FromMinutes(2));
                }

                return null;
            },
        };
        using IAmazonS3 client = Bucket.Server.Connect(config => config.HttpClientFactory = waiting);
        await using S3FileStore store = Open(client, static options => options.CheapDigestBytes = 10);
        Task<StoredFile?>[] asked =
        [
            .. Enumerable.Range(0, Asked)
                .Select(i => Task.Run(async () => await store.FindAsync($"{i}".Name(), DigestNeed.Always, default))),
        ];
        await Bounded.UntilAsync(() => Volatile.Read(ref begun) == Reading);
        await Task.Delay(TimeSpan.FromSeconds(1));
        Assert.Equal(Reading, Volatile.Read(ref begun));

        answered.Set();
        Assert.All(await Task.WhenAll(asked), static file => Assert.Equal(Sha256Digest.Compute(Small), file!.Sha256));
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

    /// <summary>Waits for the background work of a new store; its last request lists the claims.</summary>
    private static async Task SettleAsync(CountedClient counted)
    {
        for (int turn = 0; !counted.Requests.Any(static request => request.Contains("claims", StringComparison.Ordinal)); turn++)
        {
            Assert.InRange(turn, 0, 6000);
            await Task.Delay(10);
        }

        counted.Forget();
    }
}
