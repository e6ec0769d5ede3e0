using System.Net;

namespace Millrace.Transfer.S3.Tests.Faults;

/// <summary>Nothing but a saved upload keeps its parts in the bucket, where they cost money and no list of files shows them.</summary>
public sealed class UnfinishedPartsTests : BucketTest
{
    private const int Mega = 1 << 20;

    private static readonly byte[] FirstPart = new byte[9 * Mega];

    [NeedsTheory(Need.Ceph), InlineData(true), InlineData(false)]
    public async Task Request_that_ends_while_its_parts_are_being_begun_leaves_none(bool isUpload)
    {
        var begun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var goesOn = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var held = new CountedClient
        {
            Hold = request =>
            {
                if (request.RequestUri!.Query != "?uploads")
                {
                    return Task.CompletedTask;
                }

                begun.TrySetResult();
                return goesOn.Task.Soon();
            },
        };
        using IAmazonS3 client = Bucket.Server.Connect(config => config.HttpClientFactory = held);
        await using S3FileStore store = Open(client);
        ValueTask ending;
        if (isUpload)
        {
            UploadStatus upload = await store.StartUploadAsync(new StartUploadOptions { Name = "a".Name(), Length = 20 * Mega }, default);
            UploadWriter writer = await store.AppendUploadAsync(upload.Id, 0, discardable: true, default);
            await StoreCalls.WriteAsync(writer.Output, FirstPart);
            await begun.Task.Soon();
            await writer.DiscardAsync();
            ending = writer.DisposeAsync();
        }
        else
        {
            StoredFileWriter writer = await store.CreateAsync("a".Name(), new CreateFileOptions { Length = 20 * Mega }, default);
            await StoreCalls.WriteAsync(writer.Output, FirstPart);
            await begun.Task.Soon();
            ending = writer.DisposeAsync();
        }

        goesOn.SetResult();
        await ending.Soon();
        Assert.Contains(held.Requests, static request => request.StartsWith("DELETE", StringComparison.Ordinal) && request.Contains("uploadId=", StringComparison.Ordinal));
        Assert.Empty(await Bucket.OpenUploadsAsync());
    }

    [NeedsTheory(Need.Ceph), InlineData(true), InlineData(false)]
    public async Task Upload_whose_first_part_is_refused_leaves_none(bool isJoined)
    {
        var refusing = new CountedClient
        {
            Answer = static request => request.RequestUri!.Query.Contains("partNumber=", StringComparison.Ordinal)
                ? new HttpResponseMessage(HttpStatusCode.Forbidden) { Content = new StringContent("<Error><Code>AccessDenied</Code></Error>") }
                : null,
        };
        using IAmazonS3 client = Bucket.Server.Connect(config => config.HttpClientFactory = refusing);
        await using S3FileStore store = Open(client, static options => options.PartBytes = 5 * Mega);
        if (isJoined)
        {
            List<UploadId> parts = await StartPartsAsync(store, 4 * Mega);
            await Assert.ThrowsAsync<TransferException>(
                async () => await store.JoinUploadsAsync(new StartUploadOptions { Name = "a".Name() }, parts, default));
        }
        else
        {
            UploadStatus upload = await store.StartUploadAsync(new StartUploadOptions { Name = "a".Name(), Length = 20 * Mega }, default);
            await Assert.ThrowsAsync<TransferException>(() => store.AppendAsync(upload.Id, 0, FirstPart));
        }

        Assert.Contains(refusing.Requests, static request => request.EndsWith("?uploads", StringComparison.Ordinal));
        Assert.Empty(await Bucket.OpenUploadsAsync());
    }

    [NeedsTheory(Need.Ceph), InlineData(true), InlineData(false)]
    public async Task Parts_that_cannot_be_deleted_do_not_hide_why_they_are_of_no_use(bool isJoined)
    {
        await Bucket.PutAsync("b", FirstPart);
        var refusing = new CountedClient
        {
            Answer = static request => !request.RequestUri!.Query.Contains("uploadId=", StringComparison.Ordinal) ? null
                : request.Method == HttpMethod.Delete
                    ? new HttpResponseMessage(HttpStatusCode.Forbidden) { Content = new StringContent("<Error><Code>AccessDenied</Code></Error>") }
                    : new HttpResponseMessage(HttpStatusCode.BadRequest) { Content = new StringContent("<Error><Code>InvalidRequest</Code></Error>") },
        };
        using IAmazonS3 client = Bucket.Server.Connect(config => config.HttpClientFactory = refusing);
        await using S3FileStore store = Open(client, static options => options.PartBytes = 5 * Mega);
        List<UploadId> parts = isJoined ? await StartPartsAsync(store, 4 * Mega) : [];
        TransferException refusal = await Assert.ThrowsAsync<TransferException>(async () => _ = isJoined
            ? (await store.JoinUploadsAsync(new StartUploadOptions { Name = "a".Name() }, parts, default)).Name
            : (await store.CopyAsync("b".Name(), "a".Name(), default, default)).Name);
        Assert.Equal(TransferError.Failed, refusal.Error);
        Assert.Contains(refusing.Requests, static request => request.StartsWith("DELETE", StringComparison.Ordinal) && request.Contains("uploadId=", StringComparison.Ordinal));
    }

    [NeedsFact(Need.Ceph)]
    public async Task Upload_that_starts_over_leaves_no_parts_of_before()
    {
        await using S3FileStore store = Open(configure: static options => options.PartBytes = 5 * Mega);
        UploadStatus upload = await store.StartUploadAsync(new StartUploadOptions { Name = "a".Name(), Length = 9 * Mega }, default);
        await store.AppendAsync(upload.Id, 0, FirstPart);
        MultipartUpload open = Assert.Single((await Bucket.Client.ListMultipartUploadsAsync(
            new ListMultipartUploadsRequest { BucketName = Bucket.Name })).MultipartUploads);
        using var other = new MemoryStream(new byte[6 * Mega]);
        await Bucket.Client.UploadPartAsync(new UploadPartRequest
        {
            BucketName = Bucket.Name,
            Key = open.Key,
            UploadId = open.UploadId,
            PartNumber = 1,
            InputStream = other,
        });
        TransferException refusal = await Assert.ThrowsAsync<TransferException>(
            async () => await store.CompleteUploadAsync(upload.Id, null, default));
        Assert.Equal(TransferError.OffsetMismatch, refusal.Error);
        Assert.Empty(await Bucket.OpenUploadsAsync());
    }

    [NeedsFact(Need.Ceph)]
    public async Task Upload_that_another_server_deletes_before_it_is_saved_leaves_nothing()
    {
        var begun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var goesOn = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var held = new CountedClient
        {
            // So that no part is saved before.
            Hold = request =>
            {
                if (!request.RequestUri!.Query.Contains("partNumber=", StringComparison.Ordinal))
                {
                    return Task.CompletedTask;
                }

                begun.TrySetResult();
                return goesOn.Task.Soon();
            },
        };
        using IAmazonS3 client = Bucket.Server.Connect(config => config.HttpClientFactory = held);
        await using S3FileStore store = Open(client, static options => options.PartBytes = 5 * Mega);
        await using S3FileStore other = Open();
        UploadStatus upload = await store.StartUploadAsync(new StartUploadOptions { Name = "a".Name(), Length = 20 * Mega }, default);
        await using (UploadWriter writer = await store.AppendUploadAsync(upload.Id, 0, discardable: false, default))
        {
            await StoreCalls.WriteAsync(writer.Output, FirstPart);
            await begun.Task.Soon();
            await other.AbortUploadAsync(upload.Id, default);
            goesOn.SetResult();
            TransferException refusal = await Assert.ThrowsAsync<TransferException>(async () => await writer.SaveAsync(default));
            Assert.Equal(TransferError.NotFound, refusal.Error);
        }

        Assert.Empty(await Bucket.OpenUploadsAsync());
        Assert.Empty(await Bucket.KeysAsync(".millrace/uploads/"));
    }

    private static async Task<List<UploadId>> StartPartsAsync(S3FileStore store, int length)
    {
        var parts = new List<UploadId>();
        for (int i = 0; i < 2; i++)
        {
            UploadStatus part = await store.StartUploadAsync(new StartUploadOptions { Length = length }, default);
            await store.AppendAsync(part.Id, 0, new byte[length]);
            parts.Add(part.Id);
        }

        return parts;
    }

    [NeedsFact(Need.Ceph)]
    public async Task Join_whose_copy_is_refused_does_not_read_its_parts_to_the_end()
    {
        var never = new TaskCompletionSource();
        var refusing = new CountedClient
        {
            Answer = static request => request.Method == HttpMethod.Put && request.RequestUri!.Query.Contains("partNumber=", StringComparison.Ordinal)
                && request.Headers.Contains("x-amz-copy-source")
                    ? new HttpResponseMessage(HttpStatusCode.BadRequest) { Content = new StringContent("<Error><Code>InvalidRequest</Code></Error>") }
                    : null,
            Hold = request => request.Method == HttpMethod.Get && request.RequestUri!.AbsolutePath.EndsWith("/data", StringComparison.Ordinal)
                ? never.Task
                : Task.CompletedTask,
        };
        using IAmazonS3 client = Bucket.Server.Connect(config => config.HttpClientFactory = refusing);
        await using S3FileStore store = Open(client);
        List<UploadId> parts = await StartPartsAsync(store, 9 * Mega);
        TransferException refusal = await Assert.ThrowsAsync<TransferException>(
            () => store.JoinUploadsAsync(new StartUploadOptions { Name = "a".Name() }, parts, default).Soon());
        Assert.Equal(TransferError.Failed, refusal.Error);
        Assert.Empty(await Bucket.OpenUploadsAsync());
    }

    [NeedsFact(Need.Ceph)]
    public async Task Join_that_cannot_begin_leaves_no_upload()
    {
        string? whole = null;
        int starts = 0;
        var refusing = new CountedClient();
        using IAmazonS3 client = Bucket.Server.Connect(config => config.HttpClientFactory = refusing);
        await using S3FileStore store = Open(client);
        List<UploadId> parts = await StartPartsAsync(store, 10);
        refusing.Answer = request =>
        {
            string path = request.RequestUri!.AbsolutePath;
            if (request.Method == HttpMethod.Put && path.EndsWith("/start", StringComparison.Ordinal) && ++starts == 1)
            {
                whole = path.Split('/')[^2];
            }
            else if (whole is not null && request.RequestUri.Query.Contains(whole, StringComparison.Ordinal))
            {
                whole = null;
                return new HttpResponseMessage(HttpStatusCode.Forbidden) { Content = new StringContent("<Error><Code>AccessDenied</Code></Error>") };
            }

            return null;
        };
        await Assert.ThrowsAsync<TransferException>(
            async () => await store.JoinUploadsAsync(new StartUploadOptions { Name = "a".Name() }, parts, default));
        Assert.Equal(1, starts);
        Assert.Equal(
            parts.Select(static part => part.Value).Order(StringComparer.Ordinal),
            (await Bucket.KeysAsync(".millrace/uploads/")).Select(static key => key.Split('/')[2]).Distinct());
    }
}
