namespace Millrace.Transfer.Server.Tests.Stores;

/// <summary>A store that hides some names.</summary>
public sealed class HidingTests : ContractTest
{
    private static readonly TransferName[] HiddenNames = [.. ((string[])[".env", "folder/.git/config", "folder/x.tmp", "folder/X.TMP"]).Select(TransferName.Parse)];

    [Theory]
    [EveryStore]
    public async Task Hidden_names_are_neither_found_nor_listed(bool portable)
    {
        IFileStore store = await OpenAsync(portable);
        foreach (TransferName name in HiddenNames)
        {
            Assert.Null(await store.FindAsync(name, DigestNeed.IfKnown, default));
            await RefusesAsync(TransferError.NotFound, async () => await store.OpenReadAsync(name, DigestNeed.IfKnown, default));
            Assert.False(await store.DeleteAsync(name, default, default));
            await RefusesAsync(TransferError.NotFound, async () => await store.CopyAsync(name, TransferName.Parse("copy"), default, default));
            await RefusesAsync(TransferError.NotFound, async () => await store.MoveAsync(name, TransferName.Parse("moved"), default, default));
        }

        Assert.False(await store.FolderExistsAsync(TransferName.Parse("folder/.git"), default));
        await RefusesAsync(
            TransferError.NotFound, async () => await store.ListAsync(new ListFilesOptions { Folder = TransferName.Parse("folder/.git") }, default));
        Assert.Equal(["folder/a", "folder/b.tmpx"], await NamesAsync(store, new ListFilesOptions { Recursive = true }));
        Assert.Equal(["folder/a", "folder/b.tmpx"], await NamesAsync(store, new ListFilesOptions { Folder = TransferName.Parse("folder"), PageSize = 1 }));
        Assert.Equal(["folder"], await NamesAsync(store, default));
        Assert.Same(store, store.OnBehalfOf("anna"));
        Assert.Null(await store.Within(TransferName.Parse("folder")).FindAsync(HiddenNames[2], DigestNeed.IfKnown, default));
    }

    [Theory]
    [EveryStore]
    public async Task Nothing_is_created_or_replaced_under_a_hidden_name(bool portable)
    {
        IFileStore store = await OpenAsync(portable);
        foreach (TransferName name in HiddenNames)
        {
            await RefusesAsync(TransferError.Forbidden, async () => await store.CreateAsync(name, default, default));
            await RefusesAsync(TransferError.Forbidden, async () => await store.CreateFolderAsync(name, default));
            await RefusesAsync(TransferError.Forbidden, async () => await store.Uploads.StartAsync(new StartUploadOptions { Name = name, Caller = "x" }, default));
            await RefusesAsync(
                TransferError.Forbidden,
                async () => await store.MoveAsync(TransferName.Parse("folder/a"), name, new MoveOptions { Replace = true }, default));
            await RefusesAsync(
                TransferError.Forbidden,
                async () => await store.CopyAsync(TransferName.Parse("folder/a"), name, new MoveOptions { Replace = true }, default));
        }

        Assert.Equal("secret", await File.ReadAllTextAsync(Files.PathOf(".env")));
    }

    [Theory]
    [EveryStore]
    public async Task Folder_with_hidden_files_is_neither_deleted_nor_moved(bool portable)
    {
        IFileStore store = await OpenAsync(portable);
        TransferName folder = TransferName.Parse("folder");
        TransferException deleting = await RefusesAsync(TransferError.InvalidRequest, async () => await store.DeleteFolderAsync(folder, default, default));
        TransferException moving = await RefusesAsync(
            TransferError.InvalidRequest, async () => await store.MoveAsync(folder, TransferName.Parse("other"), default, default));
        Assert.Equal((409, 409), (deleting.Status, moving.Status));
        Assert.InRange(deleting.Omitted ?? 0, 2, 3);
        Assert.Equal((deleting.Omitted, deleting.Omitted), (deleting.Hidden, moving.Hidden));
        Assert.Equal("secret", await File.ReadAllTextAsync(Files.PathOf("folder/.git/config")));
        await Files.WriteAsync("plain/a", "1"u8.ToArray());
        Assert.True(await store.DeleteFolderAsync(TransferName.Parse("plain"), default, default));
    }

    [Theory]
    [EveryStore]
    public async Task Hidden_files_go_with_their_folder_on_request(bool portable)
    {
        IFileStore store = await OpenAsync(portable, TimeSpan.FromDays(1));
        TransferName folder = TransferName.Parse("folder");
        if (store.CanMoveFolders)
        {
            Assert.Null(await store.MoveAsync(folder, TransferName.Parse("other"), new MoveOptions { IncludeHidden = true }, default));
            Assert.Equal("secret", await File.ReadAllTextAsync(Files.PathOf("other/.git/config")));
            Assert.Null(await store.FindAsync(TransferName.Parse("other/.git/config"), DigestNeed.IfKnown, default));
            await RefusesAsync(
                TransferError.Forbidden,
                async () => await store.MoveAsync(TransferName.Parse("other"), TransferName.Parse(".other"), new MoveOptions { IncludeHidden = true }, default));
            folder = TransferName.Parse("other");
        }

        Assert.False(await store.DeleteFolderAsync(folder.Append(".git"), new DeleteFolderOptions { IncludeHidden = true }, default));
        Assert.True(await store.DeleteFolderAsync(folder, new DeleteFolderOptions { IncludeHidden = true }, default));
        Assert.Equal([".env"], Files.VisibleFiles());
        TrashEntry entry = Assert.Single((await store.Trash!.ListAsync(default, default)).Entries);
        Assert.Equal(folder, entry.Name);
        await store.Trash.RestoreAsync(entry.Id, default, default);
        Assert.Equal("secret", await File.ReadAllTextAsync(Files.PathOf(folder.Value + "/.git/config")));
        Assert.Equal("secret", await File.ReadAllTextAsync(Files.PathOf(folder.Value + "/x.tmp")));
        Assert.Equal([folder.Value + "/a", folder.Value + "/b.tmpx"], await NamesAsync(store, new ListFilesOptions { Recursive = true }));
    }

    [Theory]
    [InlineData("")]
    [InlineData("a/b")]
    public void Patterns_are_for_one_part_of_a_name(string pattern)
    {
        IFileStore store = Open();
        Assert.Throws<ArgumentException>(() => store.Hiding([pattern]));
        Assert.Same(store, store.Hiding([]));
    }

    [Theory]
    [EveryStore]
    [NeedsLocalFolder]
    public async Task Files_and_folders_have_the_given_modes(bool portable)
    {
        if (OperatingSystem.IsWindows())
        {
            return;
        }

        const UnixFileMode File640 = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead;
        const UnixFileMode Folder770 = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute
            | UnixFileMode.GroupRead | UnixFileMode.GroupWrite | UnixFileMode.GroupExecute;
        IFileStore store = Open(new LocalFileStoreOptions { Portable = portable, FileMode = File640, FolderMode = Folder770 });
        await store.PutAsync("one/two/a", "1");
        await store.CreateFolderAsync(TransferName.Parse("three"), default);
        Assert.Equal(File640, File.GetUnixFileMode(Files.PathOf("one/two/a")));
        foreach (string name in (string[])["one", "one/two", "three"])
        {
            Assert.Equal(Folder770, File.GetUnixFileMode(Path.Combine(Files.Root, name)));
        }

        File.SetUnixFileMode(Files.PathOf("one/two/a"), UnixFileMode.UserRead | UnixFileMode.UserWrite);
        await store.PutAsync("one/two/a", "2");
        Assert.Equal(File640, File.GetUnixFileMode(Files.PathOf("one/two/a")));
    }

    private async Task<IFileStore> OpenAsync(bool portable, TimeSpan? trash = null)
    {
        foreach (TransferName name in HiddenNames)
        {
            await Files.WriteAsync(name.Value, "secret"u8.ToArray());
        }

        await Files.WriteAsync("folder/a", "1"u8.ToArray());
        await Files.WriteAsync("folder/b.tmpx", "2"u8.ToArray());
        return Open(new LocalFileStoreOptions { Portable = portable, TrashLifetime = trash }).Hiding([".*", "*.tmp"]);
    }

    private static async Task<List<string>> NamesAsync(IFileStore store, ListFilesOptions options)
    {
        List<string> names = [];
        do
        {
            FilePage page = await store.ListAsync(options, default);
            Assert.True(page.Entries.Count > 0 || page.Next.IsRoot);
            names.AddRange(page.Entries.Select(entry => entry.Name.Value));
            options = options with { After = page.Next };
        }
        while (!options.After.IsRoot);
        return names;
    }

    private static async Task<TransferException> RefusesAsync(TransferError error, Func<Task> act)
    {
        TransferException refused = await Assert.ThrowsAsync<TransferException>(act);
        Assert.Equal(error, refused.Error);
        return refused;
    }
}
