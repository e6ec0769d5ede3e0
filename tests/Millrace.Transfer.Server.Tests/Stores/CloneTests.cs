namespace Millrace.Transfer.Server.Tests.Stores;

/// <summary>A whole folder gets a new version in one step.</summary>
public sealed class CloneTests : StoreTest
{
    [Theory, EveryStore]
    public async Task Clone_has_the_same_files_and_takes_the_folders_place(bool portable)
    {
        LocalFileStore store = Open(portable);
        StoredFile one = await store.PutAsync("f/one", "1");
        await store.PutAsync("f/sub/two", "2");
        ClonedFolder clone = await CloneAsync(store);
        Assert.True(clone.IsNew);
        Assert.Equal($"f.next-{clone.Tag.Value}", clone.Name.Value);
        Assert.Equal(one.Modified, (await store.FindAsync($"{clone.Name}/one"))!.Modified);
        ClonedFolder again = await CloneAsync(store);
        Assert.Equal(clone with { IsNew = false }, again);

        StoredFile three = await store.PutAsync($"{clone.Name}/three", "3");
        await store.PutAsync($"{clone.Name}/one", "new");
        Assert.Equal("1", await store.GetAsync("f/one"));
        await ExchangeAsync(store, clone);
        await store.Core.Work.Moves;

        Assert.Equal(["new", "2", "3"], [await store.GetAsync("f/one"), await store.GetAsync("f/sub/two"), await store.GetAsync("f/three")]);
        Assert.Equal("1", await store.GetAsync($"{clone.Name}/one"));
        Assert.Null(await store.FindAsync($"{clone.Name}/three"));
        Assert.Equal(three.Sha256, (await store.FindAsync("f/three"))!.Sha256);
        FilePage page = await store.ListAsync(new ListFilesOptions { Folder = "f".Name() }, default);
        Assert.Equal(["f/one", "f/sub", "f/three"], page.Entries.Select(static entry => entry.Name.Value));
    }

    [Theory, EveryStore]
    public async Task Changes_by_others_after_the_clone_prevent_the_exchange(bool portable)
    {
        LocalFileStore store = Open(portable);
        await store.PutAsync("f/a", "1");
        await store.PutAsync("f/b", "1");
        foreach (Func<Task> change in (Func<Task>[])
            [
                () => store.PutAsync("f/a", "2"),
                () => store.PutAsync("f/sub/c", "3"),
                async () => await store.MoveAsync("f/b", "f/d"),
                async () => await store.DeleteAsync("f/a".Name(), default, default),
                async () => await store.CreateFolderAsync("f/empty".Name(), default),
                () => File.WriteAllTextAsync(Folder["f/by hand"], "4"),
            ])
        {
            ClonedFolder clone = await CloneAsync(store);
            await change();
            await ExchangeAsync(store, clone).FailsAsync(TransferError.PreconditionFailed);
            ClonedFolder next = await CloneAsync(store);
            Assert.NotEqual(clone.Name, next.Name);
            await ExchangeAsync(store, next);
            await store.DeleteFolderAsync(next.Name, default, default);
            await store.DeleteFolderAsync(clone.Name, default, default);
        }

        Assert.Equal("4", await store.GetAsync("f/by hand"));
        Assert.Equal("3", await store.GetAsync("f/sub/c"));
    }

    [Theory, EveryStore]
    public async Task Pending_uploads_survive_and_no_write_ends_in_the_earlier_version(bool portable)
    {
        LocalFileStore store = Open(portable);
        await store.PutAsync("f/sub/a", "1");
        UploadStatus upload = await store.StartAsync("f/sub/b", 6);
        await store.AppendAsync(upload.Id, 0, "abc");
        await using StoredFileWriter writer = await store.CreateAsync("f/sub/c".Name(), new CreateFileOptions(), default);
        await using StoredFileWriter elsewhere = await store.CreateAsync("g/d".Name(), new CreateFileOptions(), default);
        ClonedFolder clone = await CloneAsync(store);
        await ExchangeAsync(store, clone);

        await store.AppendAsync(upload.Id, 3, "def");
        await store.CompleteUploadAsync(upload.Id, null, default);
        Assert.Equal("abcdef", await store.GetAsync("f/sub/b"));
        await elsewhere.CommitAsync(null, default);
        Assert.NotNull(await store.FindAsync("g/d"));
        if (store.Core.Native)
        {
            Assert.Equal(TransferError.Unavailable, await StoreExtensions.FailsAsync(async () => await writer.CommitAsync(null, default)));
        }

        Assert.Null(await store.FindAsync("f/sub/c"));
        Assert.Null(await store.FindAsync($"{clone.Name}/sub/b"));
    }

    [Theory, EveryStore]
    public async Task Exchange_and_many_writers_lose_nothing(bool portable)
    {
        LocalFileStore store = Open(portable);
        await store.PutAsync("f/0/0", "start");
        using var stop = new CancellationTokenSource();
        int written = 0;
        Task[] writers =
        [
            .. Enumerable.Range(0, 4).Select(writer => Task.Run(async () =>
            {
                for (int i = 0; i < 60; i++)
                {
                    try
                    {
                        await store.PutAsync($"f/{writer}/{i}", $"{i}");
                        Interlocked.Increment(ref written);
                    }
                    catch (TransferException exception) when (exception.Error is TransferError.Unavailable or TransferError.NotFound)
                    {
                        i--;
                    }
                    catch (Exception) when (portable)
                    {
                        // Three renames: the folder is missing for a moment.
                        i--;
                    }
                }
            })),
        ];
        Task all = Task.WhenAll(writers);
        int exchanged = 0;
        for (int i = 0; i < 2_000 && (!all.IsCompleted || exchanged == 0); i++)
        {
            try
            {
                ClonedFolder clone = await CloneAsync(store);
                await ExchangeAsync(store, clone);
                exchanged++;
                await store.DeleteFolderAsync(clone.Name, default, default);
            }
            catch (TransferException)
            {
                // Another client wrote meanwhile.
            }
        }

        await all;
        Assert.Equal(240, written);
        Assert.True(exchanged > 0);
        for (int writer = 0; writer < 4; writer++)
        {
            for (int i = 0; i < 60; i++)
            {
                Assert.Equal($"{i}", await store.GetAsync($"f/{writer}/{i}"));
            }
        }
    }

    [Theory, EveryStore]
    public async Task What_cannot_be_cloned_is_refused_and_leaves_nothing(bool portable)
    {
        LocalFileStore store = Open(portable);
        await CloneAsync(store).FailsAsync(TransferError.NotFound);
        await store.PutAsync("f/a", "1");
        await ((IFolderClones)store).CloneFolderAsync("f".Name(), "f/in it".Name(), default).FailsAsync(TransferError.InvalidRequest);
        await ((IFolderClones)store).CloneFolderAsync("f".Name(), "missing/f".Name(), default).FailsAsync(TransferError.NotFound);
        await StoreExtensions.FailsAsync(async () => await ((IFolderClones)store).ExchangeFoldersAsync("f".Name(), "g".Name(), default, default));
        Directory.CreateDirectory(Folder["f/sub/.millrace"]);
        await CloneAsync(store).FailsAsync(TransferError.InvalidRequest);
        Assert.Equal(["f"], Folder.VisibleNames());
        Assert.False(Directory.Exists(store.Core.RemovedPath) && Directory.EnumerateFileSystemEntries(store.Core.RemovedPath).Any());
    }

    private static Task<ClonedFolder> CloneAsync(LocalFileStore store) =>
        ((IFolderClones)store).CloneFolderAsync("f".Name(), "f.next-".Name(), default).AsTask();

    private static Task ExchangeAsync(LocalFileStore store, ClonedFolder clone) => ((IFolderClones)store)
        .ExchangeFoldersAsync("f".Name(), clone.Name, new WritePrecondition { Match = [clone.Tag] }, default).AsTask();
}
