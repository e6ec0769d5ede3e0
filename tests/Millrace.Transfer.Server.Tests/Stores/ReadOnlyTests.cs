namespace Millrace.Transfer.Server.Tests.Stores;

/// <summary>Stores that only read.</summary>
public sealed class ReadOnlyTests : StoreTest
{
    private LocalFileStore OpenReadOnly(bool portable, string? state = null) =>
        Open(new LocalFileStoreOptions { ReadOnly = true, StatePath = state, Portable = portable, TrashLifetime = TimeSpan.FromDays(1) });

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Every_change_is_refused_and_nothing_is_written(bool portable)
    {
        Folder.Write("a/b", "text"u8.ToArray());
        IFileStore store = OpenReadOnly(portable);
        foreach (Func<Task> change in (Func<Task>[])
        [
            () => store.PutAsync("new", "x"),
            () => store.DeleteAsync("a/b".Name(), default, default).AsTask(),
            () => store.DeleteFolderAsync("a".Name(), default, default).AsTask(),
            () => store.MoveAsync("a/b", "c").AsTask(),
            () => store.CopyAsync("a/b".Name(), "c".Name(), default, default).AsTask(),
            () => store.CreateFolderAsync("c".Name(), default).AsTask(),
            () => store.SetModifiedAsync("a/b".Name(), default, default, default).AsTask(),
            () => store.StartAsync("new", 1),
            () => store.Uploads.JoinAsync(new StartUploadOptions { Name = "new".Name() }, [], default).AsTask(),
            () => ((IFolderClones)store).CloneFolderAsync("a".Name(), "c".Name(), default).AsTask(),
        ])
        {
            Assert.Equal(TransferError.Forbidden, (await Assert.ThrowsAsync<TransferException>(change)).Error);
        }

        Assert.Equal("text", await store.GetAsync("a/b"));
        Assert.NotNull((await store.FindAsync("a/b", DigestNeed.Always))!.Sha256);
        Assert.Equal(0, await store.Uploads.ExpireAsync(default));
        Assert.Null(store.Trash);
        Assert.Null(store.Documents);
        Assert.Equal(["a"], Folder.Names);
    }

    [Fact]
    public async Task Digests_are_kept_in_the_state()
    {
        Folder.Write("a", "text"u8.ToArray());
        LocalFileStore first = OpenReadOnly(portable: false, Killed["state"]);
        Sha256Digest? digest = (await first.FindAsync("a", DigestNeed.Always))!.Sha256;
        await first.DisposeAsync();
        LocalFileStore second = OpenReadOnly(portable: false, Killed["state"]);
        Assert.Equal(digest, (await second.FindAsync("a"))!.Sha256);
        Assert.Equal(0, second.Core.Work.Computed);
        Assert.NotNull(second.Documents);
        Assert.Equal(["a"], Folder.Names);
        if (!OperatingSystem.IsWindows())
        {
            Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute, File.GetUnixFileMode(Killed["state"]));
        }
    }

    [Fact]
    public void State_of_a_store_that_writes_stays_with_its_files() =>
        Assert.Throws<ArgumentException>(() => Open(new LocalFileStoreOptions { StatePath = Killed["state"] }));
}
