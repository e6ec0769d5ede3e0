namespace Millrace.Transfer.Server.Tests.Stores;

/// <summary>How requests share an upload: each keeps it from its first step to its last, and the last one wins.</summary>
public sealed class UploadRequestTests : ContractTest
{
    [Fact]
    public async Task Steps_of_one_request_take_the_upload_once()
    {
        IFileStore store = Open();
        UploadStatus status = await store.StartAsync("a", null);
        await using (StoredUpload upload = await store.OpenUploadAsync(status.Id, default))
        {
            await upload.TakeOverAsync(default);
            await upload.SetLengthAsync(6, default);
            await AppendAsync(upload, 0, "abc");
            await AppendAsync(upload, 3, "def");
            Assert.True(upload.Status.IsComplete);
            StoredFile file = await upload.CompleteAsync(Sha256Digest.Compute("abcdef"u8), default);
            Assert.Equal(file, upload.Status.Published);
        }

        Assert.Equal("abcdef", await store.GetAsync("a"));
        if (store is LocalFileStore local)
        {
            Assert.Equal(1, local.Core.Counts.Taken);
        }
    }

    [Fact]
    public async Task Request_between_two_steps_does_not_block_the_next_one()
    {
        IFileStore store = Open();
        UploadStatus status = await store.StartAsync("a", 6);
        await using StoredUpload first = await store.OpenUploadAsync(status.Id, default);
        await AppendAsync(first, 0, "abc");

        await using StoredUpload second = await store.OpenUploadAsync(status.Id, default);
        await second.TakeOverAsync(default).AsTask().Soon();
        Assert.Equal(3, second.Status.Offset);
        await AppendAsync(second, 3, "d");

        // The first takes it back, and learns the new offset.
        await first.AppendAsync(3, discardable: false, default).FailsAsync(TransferError.OffsetMismatch);
        Assert.Equal(4, first.Status.Offset);
        await AppendAsync(first, 4, "ef");
        await second.CompleteAsync(null, default).AsTask().Soon();
        Assert.Equal(second.Status.Published, await first.CompleteAsync(null, default));
        Assert.Equal("abcdef", await store.GetAsync("a"));
    }

    [Fact]
    public async Task Request_that_appends_is_stopped_and_lets_go_with_its_writer()
    {
        IFileStore store = Open();
        UploadStatus status = await store.StartAsync("a", 6);
        await using StoredUpload first = await store.OpenUploadAsync(status.Id, default);
        UploadWriter writer = await first.AppendAsync(0, discardable: false, default);
        await writer.Output.WriteAsync("abc"u8.ToArray());

        await using StoredUpload second = await store.OpenUploadAsync(status.Id, default);
        Task taking = second.TakeOverAsync(default).AsTask();
        await Bounded.UntilAsync(() => writer.Superseded.IsCancellationRequested);
        Assert.False(taking.IsCompleted);
        await writer.DisposeAsync();
        await taking.Soon();
        Assert.Equal(3, second.Status.Offset);
    }

    [Fact]
    public async Task Deleted_upload_is_gone_for_every_request()
    {
        IFileStore store = Open();
        UploadStatus status = await store.StartAsync("a", 3);
        await using StoredUpload first = await store.OpenUploadAsync(status.Id, default);
        await AppendAsync(first, 0, "abc");
        await using StoredUpload second = await store.OpenUploadAsync(status.Id, default);

        Assert.True(await second.DeleteAsync(default));
        Assert.False(await second.DeleteAsync(default));
        await second.CompleteAsync(null, default).FailsAsync(TransferError.NotFound);
        await first.CompleteAsync(null, default).FailsAsync(TransferError.NotFound);
        Assert.False(await first.DeleteAsync(default));
        Assert.Empty(Files.VisibleFiles());
    }

    [Fact]
    public async Task Upload_with_the_wrong_digest_is_gone_for_its_own_request()
    {
        IFileStore store = Open();
        UploadStatus status = await store.StartAsync("a", 3);
        await using StoredUpload upload = await store.OpenUploadAsync(status.Id, default);
        await AppendAsync(upload, 0, "abc");
        await upload.CompleteAsync(Sha256Digest.Compute("x"u8), default).FailsAsync(TransferError.DigestMismatch);
        await upload.CompleteAsync(null, default).FailsAsync(TransferError.NotFound);
        Assert.Null(await store.Uploads.FindAsync(status.Id, default));
    }

    [Fact]
    public async Task Only_one_of_many_requests_appends_at_an_offset()
    {
        IFileStore store = Open();
        UploadStatus status = await store.StartAsync("a", 8);
        int appended = 0;
        await Task.WhenAll(Enumerable.Range(0, 16).Select(i => Task.Run(async () =>
        {
            await using StoredUpload upload = await store.OpenUploadAsync(status.Id, default);
            while (upload.Status.Offset < 8)
            {
                try
                {
                    await upload.TakeOverAsync(default);
                    await AppendAsync(upload, upload.Status.Offset, $"{upload.Status.Offset}");
                    Interlocked.Increment(ref appended);
                }
                catch (TransferException exception) when (
                    exception.Error is TransferError.OffsetMismatch or TransferError.UploadComplete or TransferError.Superseded)
                {
                    // Another one was first; its bytes show when this takes the upload over again.
                }
            }
        })));
        Assert.Equal(8, appended);
        await store.CompleteUploadAsync(status.Id, null, default);
        Assert.Equal("01234567", await store.GetAsync("a"));
    }

    private static async Task AppendAsync(StoredUpload upload, long offset, string content)
    {
        await using UploadWriter writer = await upload.AppendAsync(offset, discardable: false, default);
        await writer.Output.WriteAsync(Encoding.UTF8.GetBytes(content));
        await writer.SaveAsync(default);
    }
}
