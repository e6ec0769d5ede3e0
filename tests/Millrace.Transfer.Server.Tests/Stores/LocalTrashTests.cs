namespace Millrace.Transfer.Server.Tests.Stores;

/// <summary>The versions that a folder keeps while they are replaced.</summary>
public sealed class LocalTrashTests : StoreTest
{
    private static readonly TransferName A = TransferName.Parse("folder/a");

    [NeedsTheory(Need.Native), InlineData(false), InlineData(true)]
    public async Task Version_that_has_lost_its_name_stays_although_what_followed_failed(bool isReplaced)
    {
        LocalFileStore store = Open(new LocalFileStoreOptions { TrashLifetime = TimeSpan.FromHours(1) });
        await store.PutAsync("folder/a", "one");
        using (StoreFolder folder = store.Core.Tree.TryOpenFolderOf(A, create: false, follow: true, out string fileName)!)
        using (store.Core.Trash!.TryKeep(folder, fileName, A, caller: null))
        {
            if (isReplaced)
            {
                // As by a rename after which the folder cannot be flushed.
                await File.WriteAllTextAsync(Folder["new"], "two");
                File.Move(Folder["new"], Folder["folder/a"], overwrite: true);
            }
        }

        Assert.Equal(isReplaced ? 1 : 0, (await ((IFileStore)store).Trash!.ListAsync(default, default)).Entries.Count);
    }
}
