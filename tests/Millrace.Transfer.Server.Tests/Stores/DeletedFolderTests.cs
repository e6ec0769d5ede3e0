using static Millrace.Transfer.Server.Tests.Stores.StoreExtensions;

namespace Millrace.Transfer.Server.Tests.Stores;

/// <summary>Folders whose names are longer than the system takes at once, and folders that are deleted while others write to them.</summary>
public sealed class DeletedFolderTests : StoreTest
{
    [Theory, EveryStore]
    public async Task Folder_is_not_moved_to_where_a_name_in_it_gets_too_long(bool portable)
    {
        LocalFileStore store = Open(portable);
        string part = new('a', 250);
        string deep = string.Join('/', part, part, part, part);
        await store.PutAsync($"one/{deep}/file", "1");
        await store.PutAsync("two/x/file", "2");
        await store.CreateFolderAsync("two/empty".Name(), default);

        await store.MoveAsync("two", $"one/{deep}/{new string('b', 10)}").FailsAsync(TransferError.InvalidName);
        await store.MoveAsync("two/empty", $"one/{deep}/{new string('b', 16)}");
        await store.MoveAsync("one", new string('b', 17)).FailsAsync(TransferError.InvalidName);
        await store.MoveAsync("one", "o");
        await store.MoveAsync("two", $"o/{deep}/b");
        Assert.Equal("2", await store.GetAsync($"o/{deep}/b/x/file"));
    }

    [Theory, EveryStore]
    public async Task Paths_longer_than_the_system_takes_are_counted_and_deleted(bool portable)
    {
        Nest("deep", levels: 8);
        Directory.CreateDirectory(Folder["kept"]);
        Directory.CreateSymbolicLink(Folder["deep/link"], "../kept");
        File.WriteAllText(Folder["kept/file"], "kept");
        LocalFileStore store = Open(new LocalFileStoreOptions { Portable = portable, MaxTotalBytes = 100 });
        await store.PutAsync("a", new string('a', 30));
        if (!portable)
        {
            // The framework reaches no file whose path is so long.
            Assert.Equal(30 + 4 + (8 * 5), store.Core.Limits.Used);
            await store.PutAsync("b", new string('b', 27)).FailsAsync(TransferError.NoSpace);
        }

        Assert.True(await store.DeleteFolderAsync("deep".Name(), default, default));
        Assert.Empty(Directory.GetFileSystemEntries(Folder[".millrace/removed"]));
        Assert.Equal(["a", "kept"], Folder.VisibleNames());
        await store.PutAsync("b", new string('b', 66));
        Assert.Equal("kept", await store.GetAsync("kept/file"));
    }

    [Theory, EveryStore]
    public async Task Deleted_folder_of_a_killed_process_is_deleted_however_long_its_paths_are(bool portable)
    {
        Directory.CreateDirectory(Folder[".millrace/removed"]);
        Nest(".millrace/removed/deep", levels: 8);
        LocalFileStore store = Open(new LocalFileStoreOptions { Portable = portable, MaxTotalBytes = 100 });
        await Bounded.UntilAsync(() => !Directory.Exists(Folder[".millrace/removed/deep"]));
        await Bounded.UntilAsync(() => store.Core.Limits.Used == 0);
        await store.PutAsync("a", new string('a', 100));
    }

    [Theory, EveryStore]
    public async Task Folder_with_another_store_in_it_is_not_deleted_however_deep_that_is(bool portable)
    {
        LocalFileStore store = Open(portable);
        string part = new('a', 250);
        string deep = string.Join('/', part, part, part, part);
        foreach (string folder in new[] { "near/.millrace", "far/x/y/.MILLRACE", $"deeper/{deep}/bbbbbbbbbbbbbbbbbbbbbbb/.millrace" })
        {
            Directory.CreateDirectory(Folder[folder]);
            string name = folder.Split('/')[0];
            await store.DeleteFolderAsync(name.Name(), default, default).AsTask().FailsAsync(TransferError.InvalidRequest);
            Assert.True(Directory.Exists(Folder[folder]));
            Directory.Move(Folder[folder], Folder[$"{folder}1"]);
            Directory.Delete(Folder[$"{folder}1"]);
            Assert.True(await store.DeleteFolderAsync(name.Name(), default, default));
        }
    }

    [NeedsFact(Need.Mount)]
    public async Task Folder_on_another_file_system_is_deleted_however_long_its_paths_are()
    {
        using var disk = MountedDisk.InMemory(1 << 20, Folder["disk"]);
        Nest("disk/deep", levels: 8);
        LocalFileStore store = Open();
        Assert.True(await store.DeleteFolderAsync("disk/deep".Name(), default, default));
        Assert.Empty(disk.Names);
    }

    [NeedsTheory(Need.Mount | Need.Ext4), EveryStore]
    public async Task What_cannot_be_deleted_stops_nothing_else(bool portable)
    {
        using MountedDisk disk = MountedDisk.Formatted("ext4", 16 << 20);
        await using var store = new LocalFileStore(disk.Path, new LocalFileStoreOptions { Portable = portable, MaxTotalBytes = 100, FreeSpaceToLeave = 0 });
        foreach (string name in new[] { "a", "b", "c", "sub/d" })
        {
            await store.PutAsync($"folder/{name}", "1234");
        }

        Shell.Run("chattr", "+i", disk["folder/b"]);
        try
        {
            Assert.True(await store.DeleteFolderAsync("folder".Name(), default, default));
            Assert.Equal(4, store.Core.Limits.Used);
        }
        finally
        {
            Shell.Run("chattr", "-R", "-i", disk[".millrace/removed"]);
        }
    }

    [Theory, EveryStore]
    public async Task Total_is_right_after_files_were_published_while_their_folder_was_deleted(bool portable)
    {
        LocalFileStore store = Open(new LocalFileStoreOptions { Portable = portable, MaxTotalBytes = 1_000_000, Durability = Durability.None });
        using var stop = new CancellationTokenSource();
        Task[] writers = [.. Enumerable.Range(0, 4).Select(writer => Task.Run(async () =>
        {
            for (int i = 0; !stop.IsCancellationRequested; i++)
            {
                await TryAsync(() => store.PutAsync($"folder/{writer}/{i % 20}", new string('x', 10 + (i % 7))));
                await TryAsync(() => store.DeleteAsync($"folder/{writer}/{(i + 5) % 20}".Name(), default, default).AsTask());
            }
        }))];
        for (int i = 0; i < 200; i++)
        {
            await TryAsync(() => store.DeleteFolderAsync((i % 3 == 0 ? "folder" : $"folder/{i % 4}").Name(), default, default).AsTask());
        }

        await stop.CancelAsync();
        await Task.WhenAll(writers);
        Assert.Empty(Directory.GetFileSystemEntries(Folder[".millrace/removed"]));
        long there = Directory.Exists(Folder["folder"])
            ? Directory.EnumerateFiles(Folder["folder"], "*", SearchOption.AllDirectories).Sum(static file => new FileInfo(file).Length)
            : 0;

        // Too much is forgotten by the next count; too little would let more in than is allowed.
        Assert.InRange(store.Core.Limits.Used, there, portable ? long.MaxValue : there + 500);
    }

    private static async Task TryAsync(Func<Task> work)
    {
        try
        {
            await work();
        }
        catch (TransferException)
        {
            // Another process was faster.
        }
    }

    /// <summary>Moves folders into each other: each level has a name of 1,000 bytes and a file of 5 bytes.</summary>
    private void Nest(string name, int levels)
    {
        string parts = string.Join('/', Enumerable.Repeat(new string('p', 249), 4));
        string beside = Path.GetDirectoryName(Folder[name])!;
        for (int i = 0; i < levels; i++)
        {
            string outer = Directory.CreateDirectory(Path.Combine(beside, $"nest{i}", parts)).FullName;
            File.WriteAllText(Path.Combine(outer, "file"), "12345");
            if (i > 0)
            {
                Directory.Move(Path.Combine(beside, $"nest{i - 1}"), Path.Combine(outer, "inner"));
            }
        }

        Directory.Move(Path.Combine(beside, $"nest{levels - 1}"), Folder[name]);
    }
}
