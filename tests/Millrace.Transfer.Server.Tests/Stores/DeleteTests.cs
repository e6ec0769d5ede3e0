using static Millrace.Transfer.Server.Tests.Stores.StoreExtensions;

namespace Millrace.Transfer.Server.Tests.Stores;

public sealed class DeleteTests : ContractTest
{
    [Theory, EveryStore]
    [NeedsLocalFolder]
    public async Task A_file_is_deleted_and_its_folder_stays(bool portable)
    {
        IFileStore store = Open(portable);
        await store.PutAsync("a/b", "1");
        Assert.True(await store.DeleteAsync("a/b".Name(), default, default));
        Assert.False(await store.DeleteAsync("a/b".Name(), default, default));
        Assert.False(await store.DeleteAsync("x/y".Name(), default, default));
        Assert.True(Directory.Exists(Files.PathOf("a")));
    }

    [Theory, EveryStore]
    [NeedsLocalFolder]
    public async Task Only_an_empty_folder_is_deleted(bool portable)
    {
        IFileStore store = Open(portable);
        await store.PutAsync("a/b", "1");
        await store.DeleteAsync("a".Name(), default, default).FailsAsync(TransferError.InvalidRequest);
        await store.DeleteAsync("a/b".Name(), default, default);
        Assert.True(await store.DeleteAsync("a".Name(), default, default));
        Assert.Empty(Files.VisibleNames());
    }

    [Theory, EveryStore]
    public async Task Only_the_matching_version_is_deleted(bool portable)
    {
        IFileStore store = Open(portable);
        StoredFile first = await store.PutAsync("a", "1");
        StoredFile second = await store.PutAsync("a", "2");
        await store.DeleteAsync("a".Name(), new WritePrecondition { Match = [first.Tag] }, default)
            .FailsAsync(TransferError.PreconditionFailed);
        Assert.True(await store.DeleteAsync("a".Name(), new WritePrecondition { Match = [second.Tag] }, default));
    }

    [Theory, EveryStore]
    public async Task The_root_is_not_deleted(bool portable)
    {
        IFileStore store = Open(portable);
        await store.DeleteAsync(default, default, default).FailsAsync(TransferError.InvalidRequest);
    }
}
