namespace Millrace.Transfer.Server.Tests.Stores;

/// <summary>What happens to deleted and replaced files when the store keeps them.</summary>
public sealed class TrashTests : ContractTest
{
    private static readonly TransferName A = TransferName.Parse("folder/a");
    private readonly ManualClock _clock = new();

    [Theory]
    [EveryStore]
    public async Task Deleted_file_can_be_restored(bool portable)
    {
        IFileStore store = Open(Keeping(portable)).OnBehalfOf("anna");
        await Files.WriteAsync("folder/a", "one"u8.ToArray());
        Assert.True(await store.DeleteAsync(A, default, default));
        Assert.Empty(Files.VisibleFiles());
        TrashEntry entry = Assert.Single((await store.Trash!.ListAsync(default, default)).Entries);
        Assert.Equal((A, false, 3L, "anna", false), (entry.Name, entry.IsFolder, entry.Bytes, entry.DeletedBy, entry.IsReplaced));
        Assert.Equal(A, await store.Trash.RestoreAsync(entry.Id, default, default));
        Assert.Equal("one", await File.ReadAllTextAsync(Files.PathOf("folder/a")));
        Assert.Empty((await store.Trash.ListAsync(default, default)).Entries);
        TransferException gone = await Assert.ThrowsAsync<TransferException>(
            async () => await store.Trash.RestoreAsync(entry.Id, default, default));
        Assert.Equal(TransferError.NotFound, gone.Error);
    }

    [Theory]
    [EveryStore]
    public async Task Replaced_version_is_kept_by_puts_and_moves(bool portable)
    {
        IFileStore store = Open(Keeping(portable));
        await store.PutAsync("folder/a", "one");
        await store.PutAsync("folder/a", "two");
        await store.PutAsync("folder/b", "three");
        await store.MoveAsync(TransferName.Parse("folder/b"), A, new MoveOptions { Replace = true }, default);
        IReadOnlyList<TrashEntry> entries = (await store.Trash!.ListAsync(default, default)).Entries;
        Assert.Equal([true, true], entries.Select(entry => entry.IsReplaced));
        Assert.Equal([A, A], entries.Select(entry => entry.Name));
        Assert.Equal("three", await File.ReadAllTextAsync(Files.PathOf("folder/a")));
        List<string> kept = [];
        foreach (TrashEntry entry in entries)
        {
            TransferException taken = await Assert.ThrowsAsync<TransferException>(
                async () => await store.Trash.RestoreAsync(entry.Id, default, default));
            Assert.Equal(TransferError.AlreadyExists, taken.Error);
            TransferName name = TransferName.Parse($"back/{entry.Id}");
            await store.Trash.RestoreAsync(entry.Id, name, default);
            kept.Add(await File.ReadAllTextAsync(Files.PathOf(name.Value)));
        }

        Assert.Equal(["one", "two"], kept.Order(StringComparer.Ordinal));
    }

    [Theory]
    [EveryStore]
    public async Task Empty_folder_is_kept_and_a_replaced_file_without_content_is_not(bool portable)
    {
        IFileStore store = Open(Keeping(portable));
        await store.CreateFolderAsync(TransferName.Parse("empty"), default);
        Assert.True(await store.DeleteFolderAsync(TransferName.Parse("empty"), default, default));
        await store.PutAsync("a", "");
        await store.PutAsync("a", "one");
        TrashEntry entry = Assert.Single((await store.Trash!.ListAsync(default, default)).Entries);
        Assert.Equal((TransferName.Parse("empty"), true, 0L), (entry.Name, entry.IsFolder, entry.Bytes));
        await store.Trash.RestoreAsync(entry.Id, default, default);
        Assert.True(await store.FolderExistsAsync(TransferName.Parse("empty"), default));
    }

    [Theory]
    [EveryStore]
    public async Task Store_without_its_trash_deletes_for_good(bool portable)
    {
        IFileStore whole = Open(Keeping(portable));
        foreach (IFileStore store in (IFileStore[])
            [
                whole.WithoutTrash(), whole.WithoutTrash().OnBehalfOf("anna"), whole.OnBehalfOf("anna").Within(TransferName.Parse("folder")).WithoutTrash(),
                whole.Hiding([".*"]).WithoutTrash().Within(TransferName.Parse("folder")),
            ])
        {
            await whole.PutAsync("folder/a", "one");
            await whole.PutAsync("folder/deep/b", "two");
            Assert.True(await store.DeleteAsync(A, default, default));
            Assert.True(await store.DeleteFolderAsync(TransferName.Parse("folder/deep"), default, default));
            Assert.Empty((await whole.Trash!.ListAsync(default, default)).Entries);
        }

        await whole.PutAsync("folder/a", "one");
        Assert.True(await whole.DeleteAsync(A, default, default));
        Assert.Single((await whole.Trash!.ListAsync(default, default)).Entries);
    }

    [Theory]
    [EveryStore]
    public async Task Folder_is_kept_and_restored_as_a_whole(bool portable)
    {
        IFileStore store = Open(Keeping(portable));
        await Files.WriteAsync("folder/a", "one"u8.ToArray());
        await Files.WriteAsync("folder/deep/b", "four"u8.ToArray());
        Assert.True(await store.DeleteFolderAsync(TransferName.Parse("folder"), default, default));
        Assert.Empty(Files.VisibleFiles());
        TrashEntry entry = Assert.Single((await store.Trash!.ListAsync(default, default)).Entries);
        Assert.Equal(("folder", true, 7L), (entry.Name.Value, entry.IsFolder, entry.Bytes));
        await store.Trash.RestoreAsync(entry.Id, TransferName.Parse("other"), default);
        Assert.Equal(["other/a", "other/deep/b"], Files.VisibleFiles());
        Assert.Equal("four", await File.ReadAllTextAsync(Files.PathOf("other/deep/b")));
    }

    [Theory]
    [EveryStore]
    public async Task Pages_have_every_entry_of_a_folder_once(bool portable)
    {
        IFileStore store = Open(Keeping(portable));
        foreach (string name in (string[])["folder/a", "folder/b", "folder/c", "folderless", "x/folder"])
        {
            await Files.WriteAsync(name, "1"u8.ToArray());
            await store.DeleteAsync(TransferName.Parse(name), default, default);
        }

        List<string> names = [];
        var options = new ListTrashOptions { Prefix = TransferName.Parse("folder"), PageSize = 2 };
        TrashPage page;
        do
        {
            page = await store.Trash!.ListAsync(options, default);
            names.AddRange(page.Entries.Select(entry => entry.Name.Value));
            options = options with { After = page.Next };
        }
        while (page.Next is not null);
        Assert.Equal(["folder/a", "folder/b", "folder/c"], names.Order(StringComparer.Ordinal));
    }

    [Theory]
    [EveryStore]
    public async Task Oldest_entries_give_way_to_new_files(bool portable)
    {
        LocalFileStoreOptions options = Keeping(portable);
        options.MaxTotalBytes = 10_000;
        IFileStore store = Open(options);
        await store.PutAsync("a", new string('x', 4000));
        await store.DeleteAsync(TransferName.Parse("a"), default, default);
        _clock.Advance(TimeSpan.FromSeconds(1));
        await Task.Delay(TestedStore.IsBucket ? 10 : 0);
        await store.PutAsync("b", new string('x', 4000));
        await store.DeleteAsync(TransferName.Parse("b"), default, default);
        await store.PutAsync("c", new string('x', 4500));
        Assert.Equal(["b"], (await store.Trash!.ListAsync(default, default)).Entries.Select(entry => entry.Name.Value));
        TransferException full = await Assert.ThrowsAsync<TransferException>(async () => await store.PutAsync("d", new string('x', 7000)));
        Assert.Equal(TransferError.NoSpace, full.Error);
    }

    [Fact]
    [NeedsLocalFolder]
    public async Task Entries_expire_by_age_and_by_size()
    {
        LocalFileStoreOptions options = Keeping(portable: false);
        options.MaxTrashBytes = 5000;
        var store = (LocalFileStore)Open(options);
        foreach (string name in (string[])["a", "b", "c"])
        {
            await store.PutAsync(name, new string('x', 2000));
            await store.DeleteAsync(TransferName.Parse(name), default, default);
            _clock.Advance(TimeSpan.FromMinutes(1));
        }

        store.Core.Trash!.Expire(default);
        Assert.Equal(["c", "b"], (await store.Trash!.ListAsync(default, default)).Entries.Select(entry => entry.Name.Value));
        _clock.Advance(TimeSpan.FromMinutes(58));
        store.Core.Trash.Expire(default);
        Assert.Equal(["c"], (await store.Trash.ListAsync(default, default)).Entries.Select(entry => entry.Name.Value));
        _clock.Advance(TimeSpan.FromMinutes(5));
        store.Core.Trash.Expire(default);
        Assert.Empty((await store.Trash.ListAsync(default, default)).Entries);
        Assert.Empty(Directory.GetDirectories(Path.Combine(store.Root, ".millrace", "trash")));
    }

    [Fact]
    [NeedsLocalFolder]
    public async Task Remains_of_a_killed_process_are_no_entries()
    {
        string file = await Files.WriteAsync("folder/a", "one"u8.ToArray());
        string trash = Path.Combine(Files.Root, ".millrace", "trash");
        LocalFileStoreOptions options = Keeping(portable: false);
        IAsyncDisposable first = Open(options, out IFileStore store);
        await using (first)
        {
            using StoreFolder folder = ((LocalFileStore)store).Core.OpenOwn(Path.GetDirectoryName(file)!);

            // It dies before the new version is renamed over the old one.
            Assert.NotNull(((LocalFileStore)store).Core.Trash!.TryKeep(folder, "a", A, caller: null));
        }

        // Or before anything was moved.
        string empty = Path.Combine(trash, "000000000001" + new string('0', 20));
        Directory.CreateDirectory(empty);
        Assert.Equal(2, Directory.GetDirectories(trash).Length);
        _clock.Advance(TimeSpan.FromSeconds(1));
        var again = (LocalFileStore)Open(options);
        again.Core.Trash!.Recover();
        Assert.Empty(Directory.GetDirectories(trash));
        Assert.Equal("one", await File.ReadAllTextAsync(file));
    }

    [Theory]
    [EveryStore]
    public async Task Nothing_is_kept_by_default(bool portable)
    {
        IFileStore store = Open(portable);
        Assert.Null(store.Trash);
        await Files.WriteAsync("folder/a", "one"u8.ToArray());
        await store.DeleteAsync(A, default, default);
        Assert.Same(store, store.OnBehalfOf("anna"));
    }

    private LocalFileStoreOptions Keeping(bool portable) => new()
    {
        Portable = portable,
        TrashLifetime = TimeSpan.FromHours(1),
        TimeProvider = TestedStore.IsBucket ? TimeProvider.System : _clock,
    };
}
