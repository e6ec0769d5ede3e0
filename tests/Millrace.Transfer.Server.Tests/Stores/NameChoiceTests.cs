namespace Millrace.Transfer.Server.Tests.Stores;

/// <summary>Which names a store of a folder takes.</summary>
public sealed class NameChoiceTests : StoreTest
{
    [NeedsTheory(Need.Unix), EveryStore]
    public async Task Portable_store_refuses_names_of_this_system_and_lists_none(bool portable)
    {
        LocalFileStore store = Open(new LocalFileStoreOptions { Portable = portable, Names = AllowedNames.Portable });
        Folder.Write("a:b", [1]);
        Folder.Write("f/x.", [1]);
        TransferName name = TransferName.Parse("a:b");
        Func<ValueTask>[] calls =
        [
            async () => await store.FindAsync(name, DigestNeed.IfKnown, default),
            async () => await store.OpenReadAsync(name, DigestNeed.IfKnown, default),
            async () => await store.CreateAsync(name, default, default),
            async () => await store.FolderExistsAsync(name, default),
            async () => await store.ListAsync(new ListFilesOptions { Folder = name }, default),
            async () => await store.DeleteAsync(name, default, default),
            async () => await store.DeleteFolderAsync(name, default, default),
            async () => await store.MoveAsync(name, "x".Name(), default, default),
            async () => await store.MoveAsync("f".Name(), name, default, default),
            async () => await store.CreateFolderAsync(name, default),
            async () => await store.Uploads.StartAsync(new StartUploadOptions { Name = name, Length = 1 }, default),
        ];
        foreach (Func<ValueTask> call in calls)
        {
            TransferException refused = await Assert.ThrowsAsync<TransferException>(() => call().AsTask());
            Assert.Equal(TransferError.InvalidName, refused.Error);
        }

        FilePage page = await store.ListAsync(new ListFilesOptions { Recursive = true }, default);
        Assert.Equal((0, 2), (page.Entries.Count, page.Omitted.Names));
        Assert.Equal(["a:b", "f"], Folder.VisibleNames());
    }

    [NeedsTheory(Need.Unix), EveryStore]
    public async Task Folder_with_two_spellings_of_a_name_has_portable_names(bool portable)
    {
        // On FAT, a dot at the end makes no other name. A link looks the same.
        Directory.CreateDirectory(Folder[".millrace/uploads"]);
        Directory.CreateSymbolicLink(Folder[".millrace/uploads."], "uploads");
        LocalFileStore store = Open(new LocalFileStoreOptions { Portable = portable, Names = AllowedNames.Native });

        Assert.Equal(AllowedNames.Portable, store.Names);
        TransferException refused = await Assert.ThrowsAsync<TransferException>(async () => await store.FindAsync("a.".Name(), DigestNeed.IfKnown, default));
        Assert.Equal(TransferError.InvalidName, refused.Error);
    }

    [NeedsTheory(Need.Unix), EveryStore]
    public async Task Names_of_this_system_are_the_default(bool portable)
    {
        LocalFileStore store = Open(portable);
        Assert.Equal(AllowedNames.Native, store.Names);
        await store.PutAsync("12:30?/aux.", "1");
        Assert.Equal(["12:30?/aux."], (await store.ListAsync(new ListFilesOptions { Recursive = true }, default)).Entries.Select(static entry => entry.Name.Value));
        Assert.True(await store.DeleteFolderAsync("12:30?".Name(), default, default));
    }
}
