using System.Net;

namespace Millrace.Transfer.S3.Tests.Costs;

/// <summary><see cref="S3FileStoreOptions.MaxTotalBytes"/> holds for everything that makes bytes, and for no more than these.</summary>
public sealed class QuotaTests : BucketTest
{
    private const int Mega = 1 << 20;

    /// <summary>For the store's own objects in the bucket, which count.</summary>
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
    public async Task Join_that_fails_while_parts_are_sent_again_gives_its_bytes_back()
    {
        var refusing = new CountedClient
        {
            Answer = static request => request.RequestUri!.Query.Contains("partNumber=", StringComparison.Ordinal)
                ? new HttpResponseMessage(HttpStatusCode.Forbidden) { Content = new StringContent("<Error><Code>AccessDenied</Code></Error>") }
                : null,
        };
        using IAmazonS3 client = Bucket.Server.Connect(config => config.HttpClientFactory = refusing);
        await using S3FileStore store = Open(client, static options =>
        {
            options.MaxTotalBytes = 20 * Mega;
            options.PartBytes = 5 * Mega;
        });
        await CountedAsync(store, 20 * Mega);
        UploadStatus part = await store.StartUploadAsync(new StartUploadOptions { Length = 4 * Mega }, default);
        await store.AppendAsync(part.Id, 0, new byte[4 * Mega]);
        await Assert.ThrowsAsync<TransferException>(
            async () => await store.JoinUploadsAsync(new StartUploadOptions { Name = "a".Name() }, [part.Id, part.Id], default));

        // Nothing counts the bucket again when the length is not known before.
        refusing.Answer = null;
        await using StoredFileWriter writer = await store.CreateAsync("b".Name(), default, default);
        await StoreCalls.WriteAsync(writer.Output, new byte[15 * Mega]);
    }

    [NeedsFact(Need.Ceph)]
    public async Task Uploads_that_do_not_both_fit_do_not_refuse_each_other_for_long()
    {
        await using S3FileStore store = Open(configure: static options => options.MaxTotalBytes = (31 * Mega) + Slack);
        await CountedAsync(store, (31 * Mega) + Slack);
        UploadStatus first = await store.StartUploadAsync(new StartUploadOptions { Name = "a".Name(), Length = 24 * Mega }, default);
        UploadStatus second = await store.StartUploadAsync(new StartUploadOptions { Name = "b".Name(), Length = 20 * Mega }, default);
        await using (UploadWriter a = await store.AppendUploadAsync(first.Id, 0, discardable: false, default))
        await using (UploadWriter b = await store.AppendUploadAsync(second.Id, 0, discardable: false, default))
        {
            await StoreCalls.WriteAsync(a.Output, new byte[14 * Mega]);
            await StoreCalls.WriteAsync(b.Output, new byte[12 * Mega]);
        }

        // The one that is further stays.
        await RefusedAsync(() => store.AppendAsync(first.Id, 14 * Mega, new byte[10 * Mega]));
        Assert.NotNull(await store.Uploads.FindAsync(first.Id, default));
        await RefusedAsync(() => store.AppendAsync(second.Id, 12 * Mega, new byte[8 * Mega]));
        Assert.Null(await store.Uploads.FindAsync(second.Id, default));
        await store.AppendAsync(first.Id, 14 * Mega, new byte[10 * Mega]);
        await store.CompleteUploadAsync(first.Id, null, default);
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
        await StoreCalls.WriteAsync(writer.Output, new byte[17 * Mega]);
        await CountedAgainAsync(counted);

        await RefusedAsync(async () =>
        {
            await using StoredFileWriter third = await store.CreateAsync("c".Name(), new CreateFileOptions { Length = 7 * Mega }, default);
        });
        await store.PutAsync("c", new byte[5 * Mega]);
    }

    [NeedsFact(Need.Ceph)]
    public async Task Files_deleted_several_times_at_once_give_their_room_back_once()
    {
        await using S3FileStore store = Open(configure: static options => options.MaxTotalBytes = (4 * Mega) + Slack);
        foreach (int i in Enumerable.Range(0, 3))
        {
            await store.PutAsync($"a{i}", new byte[Mega]);
        }

        await Parallel.ForAsync(0, 24, async (i, _) => await store.DeleteAsync($"a{i % 3}".Name(), default, default));
        await store.PutAsync("b", new byte[3 * Mega]);

        await RefusedAsync(() => store.PutAsync("c", new byte[2 * Mega]));
        Assert.Equal(["b", "before"], await Bucket.VisibleAsync());
    }

    [NeedsFact(Need.Ceph)]
    public async Task Files_replaced_several_times_at_once_give_their_room_back_once()
    {
        await using S3FileStore store = Open(configure: static options => options.MaxTotalBytes = (6 * Mega) + Slack);
        await store.PutAsync("a", new byte[Mega]);
        await store.PutAsync("to", new byte[3 * Mega]);
        await Parallel.ForAsync(0, 8, async (_, _) =>
        {
            try
            {
                await store.MoveAsync("a".Name(), "to".Name(), new MoveOptions { Replace = true }, default);
            }
            catch (TransferException)
            {
                // Another one was faster.
            }
        });
        await store.PutAsync("d", new byte[5 * Mega]);

        await RefusedAsync(() => store.PutAsync("e", new byte[Mega]));
        Assert.Equal(["before", "d", "to"], await Bucket.VisibleAsync());
    }

    [NeedsFact(Need.Ceph)]
    public async Task Files_and_uploads_of_another_server_give_no_room_that_they_did_not_take()
    {
        static void Configure(S3FileStoreOptions options) => options.MaxTotalBytes = (9 * Mega) + Slack;
        await using S3FileStore one = Open(configure: Configure);
        await using S3FileStore other = Open(configure: Configure);
        await CountedAsync(other, (9 * Mega) + Slack);
        await one.PutAsync("a", new byte[3 * Mega]);
        await one.PutAsync("folder/b", new byte[3 * Mega]);
        UploadStatus upload = await one.StartUploadAsync(new StartUploadOptions { Name = "c".Name(), Length = 3 * Mega }, default);
        await one.AppendAsync(upload.Id, 0, new byte[2 * Mega]);

        Assert.True(await other.DeleteAsync("a".Name(), default, default));
        Assert.True(await other.DeleteFolderAsync("folder".Name(), default, default));
        Assert.True(await other.AbortUploadAsync(upload.Id, default));
        await other.PutAsync("d", new byte[9 * Mega]);

        await RefusedAsync(() => other.PutAsync("e", new byte[Mega]));
    }

    [NeedsFact(Need.Ceph)]
    public async Task Nothing_is_accepted_before_the_bucket_was_counted()
    {
        await Bucket.PutAsync("old", new byte[3 * Mega]);
        await using S3FileStore store = Open(configure: static options => options.MaxTotalBytes = (4 * Mega) + Slack);
        await RefusedAsync(() => store.PutAsync("a", new byte[2 * Mega]));
        await store.DeleteAsync("old".Name(), default, default);
        await store.PutAsync("a", new byte[4 * Mega]);
    }

    [NeedsFact(Need.Ceph)]
    public async Task Of_two_files_that_do_not_both_fit_only_one_is_refused()
    {
        await using S3FileStore store = Open(configure: static options => options.MaxTotalBytes = (10 * Mega) + Slack);
        await using (StoredFileWriter first = await store.CreateAsync("a".Name(), default, default))
        await using (StoredFileWriter second = await store.CreateAsync("b".Name(), default, default))
        {
            await first.Output.WriteAsync(new byte[5 * Mega]);
            await second.Output.WriteAsync(new byte[5 * Mega]);
            await RefusedAsync(async () => await first.Output.WriteAsync(new byte[Mega]));
            await second.Output.WriteAsync(new byte[5 * Mega]);
            await second.CommitAsync(null, default);
        }

        await RefusedAsync(() => store.PutAsync("c", new byte[Mega]));
    }

    public override async Task InitializeAsync()
    {
        await base.InitializeAsync();
        await Bucket.PutAsync("before", new byte[100]);
    }

    /// <summary>Waits until the store has counted the earlier objects.</summary>
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
