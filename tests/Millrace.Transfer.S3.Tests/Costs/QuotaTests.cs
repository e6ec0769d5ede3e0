namespace Millrace.Transfer.S3.Tests.Costs;

/// <summary><see cref="S3FileStoreOptions.MaxTotalBytes"/> holds for everything that makes bytes, and for no more than these.</summary>
public sealed class QuotaTests : BucketTest
{
    private const int Mega = 1 << 20;

    /// <summary>For what the store keeps in the bucket itself, which counts.</summary>
    private const int Slack = 64 * 1024;

    [NeedsFact(Need.Ceph)]
    public async Task Moving_needs_no_room()
    {
        await using S3FileStore store = Open(configure: static options => options.MaxTotalBytes = (3 * Mega) + Slack);
        await CountedAsync(store, (3 * Mega) + Slack);
        await store.PutAsync("a", new byte[2 * Mega]);

        await store.MoveAsync("a".Name(), "b".Name(), new MoveOptions { Replace = false }, default);
        await store.MoveAsync("b".Name(), "c".Name(), new MoveOptions { Replace = true }, default);

        Assert.Equal(["before", "c"], await Bucket.VisibleAsync());
        await RefusedAsync(() => store.PutAsync("d", new byte[2 * Mega]));
        await store.PutAsync("d", new byte[Mega]);
    }

    [NeedsFact(Need.Ceph)]
    public async Task Joined_parts_count_and_a_join_that_fails_gives_back_no_more_than_it_took()
    {
        await using S3FileStore store = Open(configure: static options => options.MaxTotalBytes = (31 * Mega) + Slack);
        await CountedAsync(store, (31 * Mega) + Slack);
        UploadStatus part = await store.StartUploadAsync(new StartUploadOptions { Length = 6 * Mega }, default);
        await store.AppendAsync(part.Id, 0, new byte[6 * Mega]);

        UploadStatus wrong = await store.JoinUploadsAsync(
            new StartUploadOptions { Name = "a".Name(), Expected = Sha256Digest.Compute("other"u8) }, [part.Id, part.Id], default);
        await Assert.ThrowsAsync<TransferException>(async () => await store.CompleteUploadAsync(wrong.Id, null, default));
        UploadStatus whole = await store.JoinUploadsAsync(
            new StartUploadOptions { Name = "a".Name() }, [part.Id, part.Id], default);

        await RefusedAsync(() => store.PutAsync("b", new byte[14 * Mega]));
        await store.CompleteUploadAsync(whole.Id, null, default);
        await RefusedAsync(() => store.PutAsync("b", new byte[14 * Mega]));
        await store.PutAsync("b", new byte[13 * Mega]);
    }

    [NeedsFact(Need.Ceph)]
    public async Task Unfinished_uploads_count_although_the_bucket_lists_no_parts()
    {
        var counted = new CountedClient();
        using IAmazonS3 client = Bucket.Server.Connect(config => config.HttpClientFactory = counted);
        await using S3FileStore store = Open(client, static options =>
        {
            options.MaxTotalBytes = (40 * Mega) + Slack;
            options.EmptyUploadLifetime = TimeSpan.FromSeconds(4);
        });
        await CountedAsync(store, (40 * Mega) + Slack);
        UploadStatus upload = await store.StartUploadAsync(new StartUploadOptions { Name = "a".Name(), Length = 20 * Mega }, default);
        await store.AppendAsync(upload.Id, 0, new byte[17 * Mega]);
        await using StoredFileWriter writer = await store.CreateAsync("b".Name(), new CreateFileOptions { Length = 18 * Mega }, default);
        await StoreCalls.WriteAsync(writer.Body, new byte[17 * Mega]);
        await CountedAgainAsync(counted);

        await RefusedAsync(async () =>
        {
            await using StoredFileWriter third = await store.CreateAsync("c".Name(), new CreateFileOptions { Length = 7 * Mega }, default);
        });
        await store.PutAsync("c", new byte[5 * Mega]);
    }

    public override async Task InitializeAsync()
    {
        await base.InitializeAsync();
        await Bucket.PutAsync("before", new byte[100]);
    }

    /// <summary>Waits until the store has counted what was there before it.</summary>
    private static async Task CountedAsync(S3FileStore store, long limit)
    {
        // Waits for the expiry before the count.
        await store.ExpireUploadsAsync(default);
        await Bounded.UntilAsync(async () =>
        {
            try
            {
                UploadStatus fits = await store.StartUploadAsync(new StartUploadOptions { Name = "a".Name(), Length = limit }, default);
                await store.AbortUploadAsync(fits.Id, default);
                return false;
            }
            catch (TransferException exception) when (exception.Error == TransferError.NoSpace)
            {
                return true;
            }
        });
    }

    /// <summary>Waits until the store has counted the whole bucket once more, from the beginning.</summary>
    private static Task CountedAgainAsync(CountedClient client)
    {
        client.Forget();
        return Bounded.UntilAsync(() => client.Requests.Count(static request =>
            request.Contains("list-type=2", StringComparison.Ordinal) && !request.Contains("millrace", StringComparison.Ordinal)) >= 2);
    }

    private static async Task RefusedAsync(Func<Task> act) =>
        Assert.Equal(TransferError.NoSpace, (await Assert.ThrowsAsync<TransferException>(act)).Error);
}
