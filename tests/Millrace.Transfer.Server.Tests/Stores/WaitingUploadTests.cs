using static Millrace.Transfer.Server.Tests.Stores.StoreExtensions;

namespace Millrace.Transfer.Server.Tests.Stores;

/// <summary>Uploads that wait for their client are few, cost little, and do not wait long for their first byte.</summary>
public sealed class WaitingUploadTests : ContractTest
{
    [Theory, EveryStore]
    public async Task Each_caller_and_all_together_have_a_limit(bool portable)
    {
        IFileStore store = Open(new LocalFileStoreOptions { Portable = portable, MaxUploadsPerCaller = 2, MaxUploads = 3 });
        UploadStatus first = await StartAsync(store, "one");
        await StartAsync(store, "one");

        TransferException refused = await Assert.ThrowsAsync<TransferException>(() => StartAsync(store, "one"));
        Assert.Equal(TransferError.TooManyTransfers, refused.Error);
        Assert.True(refused.RetryAfter > TimeSpan.Zero);

        await StartAsync(store, "two");
        Assert.Equal(TransferError.TooManyTransfers, await FailsAsync(() => StartAsync(store, "three")));
        Assert.Equal(3, Files.CountUploads());

        await store.AbortUploadAsync(first.Id, default);
        await StartAsync(store, "three");
    }

    [Theory, EveryStore]
    public async Task Published_uploads_and_joined_parts_do_not_count(bool portable)
    {
        IFileStore store = Open(new LocalFileStoreOptions { Portable = portable, MaxUploads = 3 });
        for (int i = 0; i < 5; i++)
        {
            UploadStatus upload = await store.StartAsync("a", 1);
            await store.AppendAsync(upload.Id, 0, "x");
            await store.CompleteUploadAsync(upload.Id, null, default);
        }

        for (int i = 0; i < 5; i++)
        {
            UploadStatus part = await store.StartAsync(null, 1);
            await store.AppendAsync(part.Id, 0, "x");
            UploadStatus whole = await store.JoinUploadsAsync(
                new StartUploadOptions { Name = "b".Name() }, [part.Id, part.Id], default);
            await store.CompleteUploadAsync(whole.Id, null, default);
        }

        Assert.Equal("xx", await store.GetAsync("b"));

        // The oldest of them are forgotten before the next one starts.
        await store.StartAsync("c", 1);
        Assert.InRange(Files.CountUploads(), 2, 3);
    }

    [Theory, EveryStore]
    public async Task Joined_parts_do_not_count_after_an_expiry_either(bool portable)
    {
        IFileStore store = Open(new LocalFileStoreOptions { Portable = portable, MaxUploadsPerCaller = 2 });
        UploadStatus part = await store.StartAsync(null, 1);
        await store.AppendAsync(part.Id, 0, "x");
        UploadStatus whole = await store.JoinUploadsAsync(new StartUploadOptions { Name = "a".Name() }, [part.Id, part.Id], default);

        Assert.Equal(0, await store.ExpireUploadsAsync(default));
        await store.StartAsync("b", 1);

        Assert.Equal(TransferError.TooManyTransfers, await FailsAsync(async () => await store.StartAsync("c", 1)));
        await store.CompleteUploadAsync(whole.Id, null, default);
        Assert.Equal("xx", await store.GetAsync("a"));
    }

    [Theory, EveryStore]
    [NeedsLocalFolder]
    public async Task Uploads_that_fail_to_start_or_expire_do_not_count(bool portable)
    {
        var clock = new ManualClock();
        IFileStore store = Open(new LocalFileStoreOptions { Portable = portable, TimeProvider = clock, MaxUploads = 1 });
        for (int i = 0; i < 3; i++)
        {
            Assert.Equal(TransferError.InvalidRequest, await FailsAsync(async () => await store.JoinUploadsAsync(
                new StartUploadOptions { Name = "a".Name(), Metadata = new string('x', 5000) }, [], default)));
            await store.StartAsync("a", 1);
            clock.Advance(TimeSpan.FromMinutes(11));
            await store.ExpireUploadsAsync(default);
            await Bounded.UntilAsync(() => Files.CountUploads() == 0);
        }
    }

    [Theory, EveryStore]
    public async Task Uploads_of_an_earlier_process_count(bool portable)
    {
        var options = new LocalFileStoreOptions { Portable = portable, MaxUploadsPerCaller = 1 };
        UploadStatus upload;
        await using (Open(options, out IFileStore store))
        {
            upload = await StartAsync(store, "one");
        }

        IFileStore again = Open(options);
        Assert.Equal(TransferError.TooManyTransfers, await FailsAsync(() => StartAsync(again, "one")));
        await StartAsync(again, "two");
        await again.AppendAsync(upload.Id, 0, "x");
        await again.CompleteUploadAsync(upload.Id, null, default);
        await StartAsync(again, "one");
    }

    [Theory, EveryStore]
    [NeedsLocalFolder]
    public async Task Upload_without_a_byte_expires_within_minutes(bool portable)
    {
        var clock = new ManualClock();
        IFileStore store = Open(new LocalFileStoreOptions { Portable = portable, TimeProvider = clock });
        UploadStatus empty = await store.StartAsync("a", null);
        UploadStatus begun = await store.StartAsync("b", 2);
        await store.AppendAsync(begun.Id, 0, "x");
        UploadStatus nothing = await store.StartAsync("c", 0);
        Assert.Equal(clock.Now + TimeSpan.FromMinutes(10), empty.Expires);

        // Requests that bring nothing do not keep it.
        clock.Advance(TimeSpan.FromMinutes(9));
        await store.AppendAsync(empty.Id, 0, "");
        await store.SetUploadLengthAsync(empty.Id, 5, default);
        await using (UploadWriter writer = await store.AppendUploadAsync(empty.Id, 0, discardable: true, default))
        {
            await writer.Output.WriteAsync("wrong"u8.ToArray());
            await writer.DiscardAsync();
        }

        Assert.NotNull(await store.FindUploadAsync(empty.Id, takeOver: true, default));
        clock.Advance(TimeSpan.FromMinutes(2));

        Assert.Null(await store.FindUploadAsync(empty.Id, takeOver: true, default));
        Assert.NotNull(await store.FindUploadAsync(begun.Id, takeOver: true, default));
        Assert.NotNull(await store.FindUploadAsync(nothing.Id, takeOver: true, default));
        await ((LocalFileStore)store).ExpiresAsync(1);
        Assert.Equal(2, Files.CountUploads());
    }

    [Theory, EveryStore]
    [NeedsLocalFolder]
    public async Task Upload_that_is_receiving_does_not_expire(bool portable)
    {
        var clock = new ManualClock();
        IFileStore store = Open(new LocalFileStoreOptions { Portable = portable, TimeProvider = clock });
        UploadStatus upload = await store.StartAsync("a", 1);
        await using UploadWriter writer = await store.AppendUploadAsync(upload.Id, 0, discardable: false, default);
        clock.Advance(TimeSpan.FromDays(2));

        await ((LocalFileStore)store).ExpiresAsync(0);
        Assert.NotNull(await store.FindUploadAsync(upload.Id, takeOver: false, default));
    }

    [Theory, EveryStore]
    [NeedsLocalFolder]
    public async Task Metadata_of_a_waiting_upload_is_in_its_file_alone(bool portable)
    {
        IFileStore store = Open(portable);
        UploadStatus upload = await store.StartUploadAsync(
            new StartUploadOptions { Name = "a".Name(), Length = 2, Metadata = "before" }, default);
        string state = Files.PathOf($".millrace/uploads/{upload.Id}/state");

        // State that is not in memory is read again: after its start, and after each request that held it.
        File.WriteAllText(state, File.ReadAllText(state).Replace("before", "started", StringComparison.Ordinal));
        Assert.Equal("started", (await store.FindUploadAsync(upload.Id, takeOver: true, default))!.Metadata);
        Assert.Equal("started", (await store.AppendAsync(upload.Id, 0, "x")).Metadata);
        File.WriteAllText(state, File.ReadAllText(state).Replace("started", "appended", StringComparison.Ordinal));
        Assert.Equal("appended", (await store.FindUploadAsync(upload.Id, takeOver: false, default))!.Metadata);
    }

    [Theory, EveryStore]
    [NeedsLocalFolder]
    public async Task Upload_whose_state_was_removed_is_not_found(bool portable)
    {
        IFileStore store = Open(portable);
        UploadStatus upload = await store.StartAsync("a", 1);
        File.Delete(Files.PathOf($".millrace/uploads/{upload.Id}/state"));

        await store.AppendAsync(upload.Id, 0, "x").FailsAsync(TransferError.NotFound);
        Assert.Null(await store.FindUploadAsync(upload.Id, takeOver: false, default));
        Assert.Null(await store.FindUploadAsync(upload.Id, takeOver: true, default));
    }

    private static async Task<UploadStatus> StartAsync(IFileStore store, string owner) =>
        await store.StartUploadAsync(new StartUploadOptions { Name = "a".Name(), Length = 1, Owner = owner }, default);
}
