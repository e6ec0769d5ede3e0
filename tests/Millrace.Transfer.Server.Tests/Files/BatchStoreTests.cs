using System.Net.Http.Json;

namespace Millrace.Transfer.Server.Tests.Files;

/// <summary>Batches and what a store has: limits, a trash, links, names that it hides.</summary>
public sealed class BatchStoreTests
{
    /// <remarks>In a bucket, files of a batch are stored at the same time, and those that come first have the room.</remarks>
    [Fact, NeedsLocalFolder]
    public async Task Files_beyond_the_limits_of_the_store_are_refused()
    {
        await using RunningServer server = await RunningServer.StartAsync(new RunningServerOptions
        {
            Store = new LocalFileStoreOptions { MaxTotalBytes = 10_000, MaxFileBytes = 5000 },
        });
        for (int i = 0; i < 3; i++)
        {
            // What is replaced makes room, and what was refused takes none.
            BatchResultDocument[] results = await Batch.PutAsync(
                server.Client, "files/?batch",
                Batch.File("a", Content.Of(4000)), Batch.File("b", Content.Of(5001)), Batch.File("c", Content.Of(4000)), Batch.File("d", Content.Of(4000)), Batch.File("e", Content.Of(1500)));
            int stored = i == 0 ? 201 : 204;
            Assert.Equal(i == 0 ? [stored, 413, stored, 507, stored] : [507, 413, 507, 507, 507], results.Select(static one => one.Status));
            Assert.Equal(["a", "c", "e"], server.VisibleFiles());
        }

        BatchResultDocument[] small = await Batch.PutAsync(server.Client, "files/?batch", Batch.File("a", Content.Of(400)), Batch.File("a", Content.Of(500)));
        Assert.Equal([204, 204], small.Select(static one => one.Status));
        Assert.Equal([204], (await Batch.PutAsync(server.Client, "files/?batch", Batch.File("c", Content.Of(4000)))).Select(static one => one.Status));
        Assert.Empty(server.Leftovers());
        Assert.Empty(server.Complaints);
    }

    [Fact]
    public async Task Hidden_names_and_system_files_are_refused()
    {
        await using RunningServer server = await RunningServer.StartAsync(new RunningServerOptions
        {
            Server = new TransferServerOptions { RefuseSystemFiles = true },
            Map = static (application, store, options) => application.MapMillraceFiles(options.FilesPath, store.Hiding(["*.tmp"]).Hiding(["x*"]), options),
        });
        BatchResultDocument[] results = await Batch.PutAsync(
            server.Client, "files/?batch", Batch.File("a.tmp/b", [1]), Batch.File("a/x", [1]), Batch.File("a/.DS_Store", [1]), Batch.File("a/b", [1]));
        Assert.Equal([403, 403, 403, 201], results.Select(static one => one.Status));
        Assert.Equal(["a/b"], server.VisibleFiles());
        Assert.Empty(server.Leftovers());
    }

    [Fact]
    public async Task Replaced_files_go_to_the_trash()
    {
        await using RunningServer server = await RunningServer.StartAsync(new RunningServerOptions
        {
            Store = new LocalFileStoreOptions { TrashLifetime = TimeSpan.FromDays(1) },
        });
        await Batch.PutAsync(server.Client, "files/?batch", Batch.File("a", [1]), Batch.File("b", [2]));
        await Batch.PutAsync(server.Client, "files/?batch", Batch.File("a", [3]), Batch.File("b", [4]));
        TrashPage page = await server.Store.Trash!.ListAsync(new ListTrashOptions(), CancellationToken.None);
        Assert.Equal(["a", "b"], page.Entries.Select(static entry => entry.Name.Value).Order());
        Assert.Equal([3], await File.ReadAllBytesAsync(server.PathOf("a")));
    }

    [Fact]
    [NeedsLocalFolder]
    public async Task Links_are_followed_in_the_store_and_never_out_of_it()
    {
        await using RunningServer server = await RunningServer.StartAsync();
        using var outside = new TemporaryFolder();
        await server.WriteAsync("target/a", new byte[] { 1 });
        Directory.CreateSymbolicLink(Path.Combine(server.Root, "in"), "target");
        File.CreateSymbolicLink(Path.Combine(server.Root, "name"), "target/a");
        File.CreateSymbolicLink(Path.Combine(server.Root, "nowhere"), "target/b");
        Directory.CreateSymbolicLink(Path.Combine(server.Root, "out"), outside.Path);
        File.CreateSymbolicLink(Path.Combine(server.Root, "file"), Path.Combine(outside.Path, "x"));
        BatchResultDocument[] results = await Batch.PutAsync(
            server.Client, "files/?batch", Batch.File("out/y", [2]), Batch.File("file", [2]), Batch.File("in/c", [2]), Batch.File("name", [2]), Batch.File("nowhere", [2]));
        int[] statuses = [.. results.Select(static one => one.Status)];
        Assert.Equal([403, 403, 201, 204], statuses[..4]);
        Assert.Empty(Directory.GetFileSystemEntries(outside.Path));
        Assert.Equal([2], await File.ReadAllBytesAsync(server.PathOf("target/a")));
        Assert.Equal([2], await File.ReadAllBytesAsync(server.PathOf("target/c")));
        Assert.NotNull(new FileInfo(Path.Combine(server.Root, "name")).LinkTarget);
        Assert.Empty(server.Leftovers());
    }

    [Fact]
    public async Task Many_folders_and_more_files_than_are_open_at_once_are_stored()
    {
        await using RunningServer server = await RunningServer.StartAsync();
        (byte[], byte[])[] files = [.. Enumerable.Range(0, 600).Select(static i => Batch.File($"d{i % 40}/{i}", Content.Of(i), ""","modified":"-1.5" """))];
        BatchResultDocument[] results = await Batch.PutAsync(server.Client, "files/?batch", files);
        Assert.All(results, static one => Assert.Equal(201, one.Status));
        Assert.Equal(600, server.VisibleFiles().Count);
        Assert.Equal(Content.Of(599), await File.ReadAllBytesAsync(server.PathOf("d39/599")));
        Assert.Empty(server.Leftovers());

        // What the server knows of the files is true: nothing has to be read again.
        StoredFile? found = await server.Store.FindAsync(TransferName.Parse("d39/599"), DigestNeed.IfKnown, CancellationToken.None);
        Assert.Equal((results[599].Tag, results[599].Sha256), (found!.Tag.ToString(), found.Sha256?.ToBase64()));
    }

    [Theory]
    [EveryStore]
    public async Task Every_kind_of_folder_takes_batches(bool portable)
    {
        await using RunningServer server = await RunningServer.StartAsync(new RunningServerOptions
        {
            Store = new LocalFileStoreOptions { Portable = portable, Durability = portable ? Durability.OnCommit : Durability.None },
        });
        (byte[], byte[])[] files = [.. Enumerable.Range(0, 50).Select(static i => Batch.File($"d{i % 5}/{i}", Content.Of(i), ""","ifNoneMatch":"*" """))];
        Assert.All(await Batch.PutAsync(server.Client, "files/?batch", files), static one => Assert.Equal(201, one.Status));
        Assert.All(await Batch.PutAsync(server.Client, "files/?batch", files), static one => Assert.Equal((412, "AlreadyExists"), (one.Status, one.Error)));
        Assert.Equal(50, server.VisibleFiles().Count);
        Assert.Empty(server.Leftovers());
    }

    [Fact]
    public async Task Tokens_and_links_are_checked()
    {
        using var tokens = new TemporaryFolder();
        var store = new TokenStore(Path.Combine(tokens.Path, "tokens"));
        string whole = (await store.AddAsync("whole", TransferScope.All)).Secret;
        string part = (await store.AddAsync("part", TransferScope.Write, TransferName.Parse("in"))).Secret;
        string read = (await store.AddAsync("read", TransferScope.Read)).Secret;
        await using RunningServer server = await RunningServer.StartAsync(new RunningServerOptions
        {
            Services = services => services.AddMillraceTransfer(access => access.Tokens = store),
        });
        byte[] body = Batch.Joined(Batch.File("a", [1]), Batch.File("../out", [1]), Batch.File("link/x", [1]));
        await server.WriteAsync("other/x", new byte[] { 9 });
        Assert.Equal(401, await StatusAsync("files/in/?batch", null));
        Assert.Equal(403, await StatusAsync("files/in/?batch", read));
        BatchResultDocument[] outside = await Batch.ReadAsync(
            await Batch.PostAsync(server.Client, "files/?batch", Batch.Joined(Batch.File("a", [1]), Batch.File("inn", [1]), Batch.File("in/b", [1])), ("Authorization", "Bearer " + part)), 3);
        Assert.Equal([403, 403, 201], outside.Select(static one => one.Status));
        Assert.Equal(403, await StatusAsync("files/inn/?batch", part));
        Assert.Equal(["in/b", "other/x"], server.VisibleFiles());
        if (!TestedStore.IsBucket)
        {
            Directory.CreateDirectory(Path.Combine(server.Root, "in"));
            Directory.CreateSymbolicLink(Path.Combine(server.Root, "in/link"), "../other");
        }

        BatchResultDocument[] results = await Batch.ReadAsync(await Batch.PostAsync(server.Client, "files/in/?batch", body, ("Authorization", "Bearer " + part)), 3);
        Assert.Equal(TestedStore.IsBucket ? [201, 400, 201] : [201, 400, 403], results.Select(static one => one.Status));
        Assert.Equal([9], await File.ReadAllBytesAsync(server.PathOf("other/x")));
        Assert.Equal(200, await StatusAsync("files/?batch", whole));

        async Task<int> StatusAsync(string path, string? token)
        {
            using HttpResponseMessage response = await Batch.PostAsync(
                server.Client, path, body, token is null ? [] : [("Authorization", "Bearer " + token)]);
            return (int)response.StatusCode;
        }
    }
}
