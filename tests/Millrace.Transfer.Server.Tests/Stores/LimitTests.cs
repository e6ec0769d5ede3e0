using static Millrace.Transfer.Server.Tests.Stores.StoreExtensions;

namespace Millrace.Transfer.Server.Tests.Stores;

/// <summary>Files that do not fit are refused, at once if their length is known, and leave no partial files.</summary>
public sealed class LimitTests : StoreTest
{
    [Theory, EveryStore]
    public async Task File_announced_as_too_large_is_refused_at_once(bool portable)
    {
        LocalFileStore store = Open(new LocalFileStoreOptions { Portable = portable, MaxFileBytes = 10 });
        await store.PutAsync("a", "0123456789");
        await store.PutAsync("b", "0123456789x").FailsAsync(TransferError.TooLarge);
        await store.StartAsync("b", 11).FailsAsync(TransferError.TooLarge);
        Assert.Equal(["a"], Folder.VisibleNames());
    }

    [Theory, EveryStore]
    public async Task File_of_unknown_length_is_refused_when_it_becomes_too_large(bool portable)
    {
        LocalFileStore store = Open(new LocalFileStoreOptions { Portable = portable, MaxFileBytes = 1_500_000 });
        await using (StoredFileWriter writer = await store.CreateAsync("a".Name(), default, default))
        {
            await writer.Output.WriteAsync(new byte[1_500_000]);
            Assert.Equal(TransferError.TooLarge, await FailsAsync(async () => await writer.Output.WriteAsync(new byte[1])));
        }

        Assert.Empty(Folder.VisibleNames());
    }

    [Theory, EveryStore]
    public async Task More_bytes_than_announced_are_refused_at_publication(bool portable)
    {
        LocalFileStore store = Open(new LocalFileStoreOptions { Portable = portable, MaxFileBytes = 10 });
        await using StoredFileWriter writer =
            await store.CreateAsync("a".Name(), new CreateFileOptions { Length = 5 }, default);
        Assert.Equal(
            TransferError.TooLarge,
            await FailsAsync(async () =>
            {
                await writer.Output.WriteAsync(new byte[11]);
                await writer.CommitAsync(null, default);
            }));
        Assert.Null(await store.FindAsync("a"));
    }

    [Theory, EveryStore]
    public async Task Store_accepts_no_more_than_its_total(bool portable)
    {
        File.WriteAllBytes(Folder["before"], new byte[40]);
        LocalFileStore store = Open(new LocalFileStoreOptions { Portable = portable, MaxTotalBytes = 100 });
        await store.PutAsync("a", new string('x', 50));
        await store.PutAsync("b", new string('x', 11)).FailsAsync(TransferError.NoSpace);
        await store.StartAsync("b", 11).FailsAsync(TransferError.NoSpace);
        await store.PutAsync("b", new string('x', 10));

        await store.DeleteAsync("a".Name(), default, default);
        await store.PutAsync("c", new string('x', 50));
        Assert.Equal(100, store.Core.Limits.Used);
    }

    [Theory, EveryStore]
    public async Task Received_bytes_count_until_they_are_released(bool portable)
    {
        LocalFileStore store = Open(new LocalFileStoreOptions { Portable = portable, MaxTotalBytes = 100 });
        await using (StoredFileWriter writer = await store.CreateAsync("a".Name(), new CreateFileOptions { Length = 60 }, default))
        {
            await writer.Output.WriteAsync(new byte[60]);
            await store.StartAsync("b", 41).FailsAsync(TransferError.NoSpace);
        }

        UploadStatus upload = await store.StartAsync("b", 100);
        await store.AppendAsync(upload.Id, 0, new string('x', 80));
        await store.PutAsync("c", new string('x', 21)).FailsAsync(TransferError.NoSpace);
        await store.AbortUploadAsync(upload.Id, default);
        await store.PutAsync("c", new string('x', 100));
        Assert.Equal(100, store.Core.Limits.Used);
    }

    [Theory, EveryStore]
    public async Task Of_two_files_that_do_not_both_fit_only_one_is_refused(bool portable)
    {
        LocalFileStore store = Open(new LocalFileStoreOptions { Portable = portable, MaxTotalBytes = 100 });
        await using (StoredFileWriter first = await store.CreateAsync("a".Name(), default, default))
        await using (StoredFileWriter second = await store.CreateAsync("b".Name(), default, default))
        {
            await first.Output.WriteAsync(new byte[50]);
            await second.Output.WriteAsync(new byte[50]);
            Assert.Equal(TransferError.NoSpace, await FailsAsync(async () => await first.Output.WriteAsync(new byte[10])));
            await second.Output.WriteAsync(new byte[50]);
            await second.CommitAsync(null, default);
        }

        Assert.Equal(100, store.Core.Limits.Used);
        await store.DeleteAsync("b".Name(), default, default);
        UploadStatus kept = await store.StartAsync("c", null);
        await store.AppendAsync(kept.Id, 0, new string('x', 30));
        UploadStatus other = await store.StartAsync("d", null);
        await using (UploadWriter first = await store.AppendUploadAsync(kept.Id, 30, discardable: true, default))
        await using (UploadWriter second = await store.AppendUploadAsync(other.Id, 0, discardable: true, default))
        {
            await first.Output.WriteAsync(new byte[30]);
            await second.Output.WriteAsync(new byte[40]);
            Assert.Equal(TransferError.NoSpace, await FailsAsync(async () => await first.Output.WriteAsync(new byte[10])));
            await second.Output.WriteAsync(new byte[30]);
            await second.SaveAsync(default);
        }

        Assert.Equal(100, store.Core.Limits.Used);
    }

    [Theory, EveryStore]
    public async Task Replaced_file_is_subtracted_from_the_total(bool portable)
    {
        LocalFileStore store = Open(new LocalFileStoreOptions { Portable = portable, MaxTotalBytes = 100 });
        for (int i = 0; i < 5; i++)
        {
            await store.PutAsync("a", new string('x', 40 + i));
        }

        Assert.Equal(44, store.Core.Limits.Used);
    }

    [Theory, EveryStore]
    public async Task Bytes_of_unknown_length_are_counted_as_they_arrive(bool portable)
    {
        LocalFileStore store = Open(new LocalFileStoreOptions { Portable = portable, MaxTotalBytes = 3_000_000 });
        UploadStatus upload = await store.StartAsync("a", null);
        await using (UploadWriter writer = await store.AppendUploadAsync(upload.Id, 0, discardable: false, default))
        {
            await writer.Output.WriteAsync(new byte[2_000_000]);
            Assert.Equal(TransferError.NoSpace, await FailsAsync(async () => await writer.Output.WriteAsync(new byte[2_000_000])));
        }

        Assert.Equal(2_000_000, store.Core.Limits.Used);
        await store.AbortUploadAsync(upload.Id, default);
        Assert.Equal(0, store.Core.Limits.Used);
    }

    [Theory, EveryStore]
    public async Task Uploads_of_an_earlier_process_are_counted(bool portable)
    {
        var options = new LocalFileStoreOptions { Portable = portable, MaxTotalBytes = 100 };
        await using (LocalFileStore store = Open(options))
        {
            UploadStatus upload = await store.StartAsync("a", 100);
            await store.AppendAsync(upload.Id, 0, new string('x', 60));
        }

        LocalFileStore again = Open(options);
        await again.StartAsync("b", 41).FailsAsync(TransferError.NoSpace);
        Assert.Equal(60, again.Core.Limits.Used);
    }

    [Theory, EveryStore]
    public async Task Announced_bytes_take_nothing_of_the_total(bool portable)
    {
        LocalFileStore store = Open(new LocalFileStoreOptions { Portable = portable, MaxTotalBytes = 100 });
        UploadStatus first = await store.StartAsync("a", 100);
        UploadStatus second = await store.StartAsync("b", null);
        await store.SetUploadLengthAsync(second.Id, 100, default);
        await using StoredFileWriter silent = await store.CreateAsync("c".Name(), new CreateFileOptions { Length = 100 }, default);
        Assert.Equal(0, store.Core.Limits.Used);

        await store.PutAsync("d", new string('x', 60));
        await store.StartAsync("e", 41).FailsAsync(TransferError.NoSpace);
        await store.AppendAsync(first.Id, 0, new string('x', 40)).FailsAsync(TransferError.NoSpace);
        Assert.Equal(60, store.Core.Limits.Used);
    }

    [Theory, EveryStore]
    public async Task Uploads_that_do_not_both_fit_do_not_refuse_each_other_for_long(bool portable)
    {
        LocalFileStore store = Open(new LocalFileStoreOptions { Portable = portable, MaxTotalBytes = 100 });
        UploadStatus first = await store.StartAsync("a", 80);
        UploadStatus second = await store.StartAsync("b", 70);
        await using (UploadWriter a = await store.AppendUploadAsync(first.Id, 0, discardable: false, default))
        await using (UploadWriter b = await store.AppendUploadAsync(second.Id, 0, discardable: false, default))
        {
            await a.Output.WriteAsync(new byte[50]);
            await b.Output.WriteAsync(new byte[45]);
        }

        // The one that is further stays.
        await store.AppendAsync(first.Id, 50, new string('a', 30)).FailsAsync(TransferError.NoSpace);
        Assert.NotNull(await store.Uploads.FindAsync(first.Id, default));
        await store.AppendAsync(second.Id, 45, new string('b', 25)).FailsAsync(TransferError.NoSpace);
        Assert.Null(await store.Uploads.FindAsync(second.Id, default));
        Assert.Equal(50, store.Core.Limits.Used);
        await store.AppendAsync(first.Id, 50, new string('a', 30));
        await store.CompleteUploadAsync(first.Id, null, default);
        Assert.Equal(80, store.Core.Limits.Used);
    }

    [Theory, EveryStore]
    public async Task Upload_whose_room_another_one_has_taken_meanwhile_gives_its_own_to_it(bool portable)
    {
        LocalFileStore store = Open(new LocalFileStoreOptions { Portable = portable, MaxTotalBytes = 100 });
        UploadStatus first = await store.StartAsync("a", 80);
        UploadStatus second = await store.StartAsync("b", 70);
        await using (UploadWriter b = await store.AppendUploadAsync(second.Id, 0, discardable: false, default))
        {
            await using (UploadWriter a = await store.AppendUploadAsync(first.Id, 0, discardable: false, default))
            {
                await b.Output.WriteAsync(new byte[40]);
                await a.Output.WriteAsync(new byte[50]);
            }

            Assert.Equal(TransferError.NoSpace, await FailsAsync(async () => await b.Output.WriteAsync(new byte[30])));
        }

        Assert.Null(await store.Uploads.FindAsync(second.Id, default));
        await store.AppendAsync(first.Id, 50, new string('a', 30));
        await store.CompleteUploadAsync(first.Id, null, default);
        Assert.Equal(80, store.Core.Limits.Used);
    }

    [Theory, EveryStore]
    public async Task Upload_stays_if_no_other_one_could_use_its_room(bool portable)
    {
        LocalFileStore store = Open(new LocalFileStoreOptions { Portable = portable, MaxTotalBytes = 100 });
        UploadStatus small = await store.StartAsync("a", 20);
        UploadStatus upload = await store.StartAsync("b", 60);
        await store.AppendAsync(small.Id, 0, "aa");
        await store.AppendAsync(upload.Id, 0, new string('b', 45));
        await store.PutAsync("c", new string('c', 50));
        await store.AppendAsync(upload.Id, 45, new string('b', 15)).FailsAsync(TransferError.NoSpace);
        Assert.Equal(45, (await store.Uploads.FindAsync(upload.Id, default))!.Status.Offset);
        await store.DeleteAsync("c".Name(), default, default);
        await store.AppendAsync(upload.Id, 45, new string('b', 15));
        await store.CompleteUploadAsync(upload.Id, null, default);
    }

    [Theory, EveryStore]
    public async Task Upload_stays_if_the_others_would_not_fit_without_it(bool portable)
    {
        LocalFileStore store = Open(new LocalFileStoreOptions { Portable = portable, MaxTotalBytes = 100 });
        UploadStatus large = await store.StartAsync("a", 80);
        UploadStatus whole = await store.StartAsync("b", 30);
        UploadStatus upload = await store.StartAsync("c", 30);
        await store.AppendAsync(large.Id, 0, new string('a', 40));
        await store.AppendAsync(whole.Id, 0, new string('b', 30));
        await store.AppendAsync(upload.Id, 0, new string('c', 15));
        await store.PutAsync("d", new string('d', 10));

        // The one that has all its bytes never gives way, so that the long one lacks room even without this one.
        await store.AppendAsync(upload.Id, 15, new string('c', 15)).FailsAsync(TransferError.NoSpace);

        Assert.Equal(15, (await store.Uploads.FindAsync(upload.Id, default))!.Status.Offset);
    }

    [Theory, EveryStore]
    public async Task Discarded_bytes_are_not_charged(bool portable)
    {
        LocalFileStore store = Open(new LocalFileStoreOptions { Portable = portable, MaxTotalBytes = 100 });
        UploadStatus upload = await store.StartAsync("a", null);
        for (int i = 0; i < 5; i++)
        {
            await using UploadWriter writer = await store.AppendUploadAsync(upload.Id, 0, discardable: true, default);
            await writer.Output.WriteAsync(new byte[60]);
            await writer.DiscardAsync();
        }

        Assert.Equal(0, store.Core.Limits.Used);
        await store.AppendAsync(upload.Id, 0, new string('x', 100));
        Assert.Equal(100, store.Core.Limits.Used);
    }

    [NeedsFact(Need.Mount)]
    public async Task Announced_bytes_hold_no_more_of_the_device_than_a_step()
    {
        using var disk = MountedDisk.InMemory(300 * 1024 * 1024, Folder["disk"]);
        await using var store = new LocalFileStore(disk.Path, new LocalFileStoreOptions { FreeSpaceToLeave = 0 });
        var writers = new List<UploadWriter>();
        for (int i = 0; i < 3; i++)
        {
            UploadStatus upload = await store.StartAsync($"{i}", 250 * 1024 * 1024);
            writers.Add(await store.AppendUploadAsync(upload.Id, 0, discardable: false, default));
            await writers[^1].Output.WriteAsync(new byte[1]);
            await writers[^1].SaveAsync(default);
        }

        foreach (UploadWriter writer in writers)
        {
            await writer.DisposeAsync();
        }

        Assert.InRange(new DriveInfo(disk.Path).AvailableFreeSpace, 299L * 1024 * 1024, 300L * 1024 * 1024);
    }

    [Theory, EveryStore]
    public async Task Required_free_space_of_the_device_is_kept(bool portable)
    {
        LocalFileStore store = Open(new LocalFileStoreOptions { Portable = portable, FreeSpaceToLeave = long.MaxValue / 2 });
        await store.PutAsync("a", "1").FailsAsync(TransferError.NoSpace);
        await store.CreateAsync("a".Name(), default, default).FailsAsync(TransferError.NoSpace);
        await store.StartAsync("a", 1).FailsAsync(TransferError.NoSpace);
        Assert.Empty(Folder.VisibleNames());
    }

    [NeedsFact(Need.Mount)]
    public async Task Full_device_publishes_nothing_and_the_store_continues()
    {
        using var disk = MountedDisk.InMemory(4 * 1024 * 1024, Folder["disk"]);
        foreach (bool portable in new[] { false, true })
        {
            await using var store = new LocalFileStore(
                disk.Path, new LocalFileStoreOptions { Portable = portable, FreeSpaceToLeave = 0 });
            foreach (long? length in new long?[] { null, 6_000_000 })
            {
                Assert.Equal(TransferError.NoSpace, await FillAsync(store, length));
            }

            UploadStatus upload = await store.StartAsync("upload", null);
            await FillAsync(store, upload.Id);
            UploadStatus? left = await store.FindUploadAsync(upload.Id, takeOver: true, default);
            Assert.InRange(left!.Offset, 1_000_000, 5_000_000);

            await store.AbortUploadAsync(upload.Id, default);
            Assert.Empty((await store.ListAsync(new ListFilesOptions { Recursive = true }, default)).Entries);
            await store.PutAsync("small", "fits");
            Assert.Equal("fits", await store.GetAsync("small"));
            await store.DeleteAsync("small".Name(), default, default);
        }
    }

    private static async Task<TransferError> FillAsync(LocalFileStore store, long? length)
    {
        try
        {
            await using StoredFileWriter writer =
                await store.CreateAsync("a".Name(), new CreateFileOptions { Length = length }, default);
            for (int i = 0; i < 6; i++)
            {
                await writer.Output.WriteAsync(new byte[1_000_000]);
            }

            await writer.CommitAsync(null, default);
            Assert.Fail("There was room.");
            return default;
        }
        catch (FilePipeException exception)
        {
            return Errors.Translate(exception).Error;
        }
        catch (TransferException exception)
        {
            return exception.Error;
        }
    }

    private static async Task FillAsync(LocalFileStore store, UploadId id)
    {
        await using UploadWriter writer = await store.AppendUploadAsync(id, 0, discardable: false, default);
        FilePipeException full = await Assert.ThrowsAsync<FilePipeException>(async () =>
        {
            for (int i = 0; i < 6; i++)
            {
                await writer.Output.WriteAsync(new byte[1_000_000]);
            }

            await writer.Output.FlushAsync();
        });
        TransferException error = Errors.Translate(full);
        Assert.Equal(TransferError.NoSpace, error.Error);
        Assert.DoesNotContain("/", error.Message, StringComparison.Ordinal);
    }
}
