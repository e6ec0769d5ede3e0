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
            var parts = new List<UploadId>();
            for (int i = 0; i < 2; i++)
            {
                UploadStatus part = await store.StartUploadAsync(new StartUploadOptions { Length = 4 * Mega }, default);
                await store.AppendAsync(part.Id, 0, new byte[4 * Mega]);
                parts.Add(part.Id);
            }

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
}
