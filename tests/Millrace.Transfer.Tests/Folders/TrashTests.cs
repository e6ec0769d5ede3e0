using Millrace.Transfer.Server;

namespace Millrace.Transfer.Tests.Folders;

/// <summary>Deleted files by every protocol.</summary>
public sealed class TrashTests
{
    [Theory, EveryProtocol]
    public async Task Deleted_files_are_listed_restored_and_deleted_for_good(TransferProtocol protocol)
    {
        await using TestServer server = await TestServer.StartAsync(static options => options.Store.TrashLifetime = TimeSpan.FromHours(1));
        using TransferClient client = server.Connect(options => options.Protocol = protocol);
        byte[] content = server.Write("sub/a", 10);
        server.Write("b", 20);
        Assert.True(await client.DeleteAsync(Clients.Name("sub/a")));
        Assert.True(await client.DeleteAsync(Clients.Name("b")));
        Assert.Equal(2, (await client.ListTrashAsync().ToListAsync()).Count);
        TrashedFile file = Assert.Single(await client.ListTrashAsync(Clients.Name("sub")).ToListAsync());
        Assert.Equal(("sub/a", 10L, false, false), (file.Name.Value, file.Length, file.IsFolder, file.IsReplaced));
        server.Write("sub/a", 5);
        TransferException taken = await Assert.ThrowsAsync<TransferException>(() => client.RestoreAsync(file.Id));
        Assert.Equal(TransferError.AlreadyExists, taken.Error);
        Assert.Equal(5, new FileInfo(server.PathOf("sub/a")).Length);
        Assert.Equal("old/a", (await client.RestoreAsync(file.Id, Clients.Name("old/a"))).Value);
        Assert.Equal(content, await File.ReadAllBytesAsync(server.PathOf("old/a")));
        TransferException gone = await Assert.ThrowsAsync<TransferException>(() => client.RestoreAsync(file.Id));
        Assert.Equal(TransferError.NotFound, gone.Error);
        Assert.Equal(0, await client.EmptyTrashAsync(olderThan: TimeSpan.FromHours(1)));
        Assert.Equal(0, await client.EmptyTrashAsync(Clients.Name("sub")));
        Assert.Equal(1, await client.EmptyTrashAsync());
        Assert.Empty(await client.ListTrashAsync().ToListAsync());
    }

    [Theory, EveryProtocol]
    public async Task Token_of_a_folder_reaches_only_its_own_deleted_files(TransferProtocol protocol)
    {
        await using TestServer server = await TestServer.StartAsync(static options => options.Store.TrashLifetime = TimeSpan.FromHours(1));
        server.Write("x/a", 10);
        server.Write("y/b", 10);
        var tokens = new TokenStore(TokenStore.DefaultPath(server.Root));
        using TransferClient all = Connect((await tokens.AddAsync("all", TransferScope.All)).Secret);
        using TransferClient x = Connect((await tokens.AddAsync("x", TransferScope.All, Clients.Name("x"))).Secret);
        using TransferClient writer = Connect((await tokens.AddAsync("w", TransferScope.All & ~TransferScope.Delete)).Secret);
        using TransferClient deleter = Connect((await tokens.AddAsync("d", TransferScope.All & ~TransferScope.Write)).Secret);
        await all.DeleteAsync(Clients.Name("x/a"));
        await all.DeleteAsync(Clients.Name("y/b"));
        TrashedFile mine = Assert.Single(await x.ListTrashAsync(Clients.Name("x")).ToListAsync());
        Assert.Equal("x/a", mine.Name.Value);
        TrashedFile other = Assert.Single(await all.ListTrashAsync(Clients.Name("y")).ToListAsync());
        Assert.Equal("all", other.DeletedBy);
        await ForbiddenAsync(() => x.ListTrashAsync().ToListAsync().AsTask());
        await ForbiddenAsync(() => x.RestoreAsync(other.Id, Clients.Name("x/b")));
        await ForbiddenAsync(() => x.RestoreAsync(mine.Id, Clients.Name("y/a")));
        await ForbiddenAsync(() => x.EmptyTrashAsync());
        await ForbiddenAsync(() => writer.RestoreAsync(mine.Id));
        await ForbiddenAsync(() => deleter.RestoreAsync(mine.Id));
        Assert.Equal("x/a", (await x.RestoreAsync(mine.Id)).Value);

        TransferClient Connect(string secret) => server.Connect(options =>
        {
            options.Protocol = protocol;
            options.Token = secret;
        });
    }

    [Theory, EveryProtocol]
    public async Task Server_without_a_trash_is_told(TransferProtocol protocol)
    {
        await using TestServer server = await TestServer.StartAsync();
        using TransferClient client = server.Connect(options => options.Protocol = protocol);
        TransferException none = await Assert.ThrowsAsync<TransferException>(() => client.ListTrashAsync().ToListAsync().AsTask());
        Assert.Equal((TransferError.NotFound, null), (none.Error, none.Name));
    }

    private static async Task ForbiddenAsync(Func<Task> action) =>
        Assert.Equal(TransferError.Forbidden, (await Assert.ThrowsAsync<TransferException>(action)).Error);
}
