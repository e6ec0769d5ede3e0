using Millrace.Interop;
using static Millrace.Transfer.Server.Tests.Stores.StoreExtensions;

namespace Millrace.Transfer.Server.Tests.Stores;

/// <summary>Nothing outside the root is ever read, written, listed or deleted, whatever links there are.</summary>
public sealed class LinkTests : StoreTest
{
    /// <summary>Name of a link, and where it leads; OUT stands for a folder beside the root.</summary>
    public static TheoryData<bool, string, string> Outside()
    {
        var data = new TheoryData<bool, string, string>();
        foreach (bool portable in new[] { false, true })
        {
            data.Add(portable, "OUT/secret", "link");
            data.Add(portable, "../OUTNAME/secret", "link");
            data.Add(portable, "OUT", "link/secret");
            data.Add(portable, "../OUTNAME", "link/secret");
            data.Add(portable, "inside/../../OUTNAME", "link/secret");
            data.Add(portable, "inside/up/OUTNAME/secret", "link");
            data.Add(portable, "/proc/self/cwd/..", "link/secret");
            data.Add(portable, "/", "link/etc/passwd");
        }

        return data;
    }

    [NeedsTheory(Need.Links), MemberData(nameof(Outside))]
    public async Task Files_outside_the_store_are_not_read(bool portable, string target, string name)
    {
        var scene = new Scene(Folder, target);
        LocalFileStore store = Open(portable, scene.Root);
        await store.FindAsync(name).FailsAsync(TransferError.Forbidden);
        await store.GetAsync(name).FailsAsync(TransferError.Forbidden);
    }

    [NeedsTheory(Need.Links), MemberData(nameof(Outside))]
    public async Task Files_outside_the_store_are_not_written(bool portable, string target, string name)
    {
        var scene = new Scene(Folder, target);
        LocalFileStore store = Open(portable, scene.Root);
        await store.PutAsync(name, "changed").FailsAsync(TransferError.Forbidden);
        UploadStatus upload = await store.StartAsync(name, 1);
        await store.AppendAsync(upload.Id, 0, "x");
        await store.CompleteUploadAsync(upload.Id, null, default).FailsAsync(TransferError.Forbidden);
        scene.IsUntouched();
    }

    [NeedsTheory(Need.Links), MemberData(nameof(Outside))]
    public async Task Files_outside_the_store_are_not_deleted(bool portable, string target, string name)
    {
        var scene = new Scene(Folder, target);
        LocalFileStore store = Open(portable, scene.Root);
        await store.DeleteAsync(name.Name(), default, default).FailsAsync(TransferError.Forbidden);
        scene.IsUntouched();
    }

    [NeedsTheory(Need.Links), MemberData(nameof(Outside))]
    public async Task Files_outside_the_store_are_not_listed(bool portable, string target, string name)
    {
        var scene = new Scene(Folder, target);
        LocalFileStore store = Open(portable, scene.Root);
        FilePage all = await store.ListAsync(new ListFilesOptions { Recursive = true }, default);
        Assert.Equal(["inside/file"], all.Entries.Select(entry => entry.Name.Value));
        FilePage top = await store.ListAsync(default, default);
        Assert.Equal(["inside"], top.Entries.Select(entry => entry.Name.Value));
        await store.ListAsync(new ListFilesOptions { Folder = $"{name}/x".Name().Folder }, default)
            .FailsAsync(TransferError.Forbidden);
    }

    /// <summary>Name of a file, and where <c>pub/link</c> leads.</summary>
    public static TheoryData<bool, string, string> Hidden()
    {
        var data = new TheoryData<bool, string, string>();
        foreach (bool portable in new[] { false, true })
        {
            data.Add(portable, "../.millrace/tokens.json", "pub/link");
            data.Add(portable, "../.millrace", "pub/link/tokens.json");
            data.Add(portable, "../.millrace/uploads/../tokens.json", "pub/link");
            data.Add(portable, "deep/er/../../../.millrace/tokens.json", "pub/link");
            data.Add(portable, "again", "pub/link");
            data.Add(portable, "hop/tokens.json", "pub/link");
            data.Add(portable, "hop/uploads", "pub/link/x");
            data.Add(portable, "up/.millrace/tokens.json", "pub/link");
            data.Add(portable, "../team/.millrace/tokens.json", "pub/link");
            data.Add(portable, "../team/.millrace", "pub/link/tokens.json");
        }

        return data;
    }

    [NeedsTheory(Need.Links), MemberData(nameof(Hidden))]
    public async Task Links_into_a_stores_own_folder_are_refused(bool portable, string target, string name)
    {
        LocalFileStore store = Open(portable);
        string[] secrets = [Folder[".millrace/tokens.json"], Folder["team/.millrace/tokens.json"]];
        Directory.CreateDirectory(Folder["pub/deep/er"]);
        Directory.CreateDirectory(Folder["team/.millrace/uploads"]);
        Array.ForEach(secrets, static path => File.WriteAllText(path, "secret"));
        Directory.CreateSymbolicLink(Folder["pub/hop"], "../.millrace");
        Directory.CreateSymbolicLink(Folder["pub/up"], "..");
        File.CreateSymbolicLink(Folder["pub/again"], "../.millrace/tokens.json");
        File.CreateSymbolicLink(Folder["pub/link"], target);

        await store.FindAsync(name).FailsAsync(TransferError.Forbidden);
        await store.GetAsync(name).FailsAsync(TransferError.Forbidden);
        await store.PutAsync(name, "changed").FailsAsync(TransferError.Forbidden);
        await store.DeleteAsync(name.Name(), default, default).FailsAsync(TransferError.Forbidden);
        UploadStatus upload = await store.StartAsync(name, 1);
        await store.AppendAsync(upload.Id, 0, "x");
        await store.CompleteUploadAsync(upload.Id, null, default).FailsAsync(TransferError.Forbidden);
        await store.ListAsync(new ListFilesOptions { Folder = "pub/hop".Name() }, default).FailsAsync(TransferError.Forbidden);

        Assert.All(secrets, static path => Assert.Equal("secret", File.ReadAllText(path)));
        FilePage page = await store.ListAsync(new ListFilesOptions { Folder = "pub".Name() }, default);
        Assert.Equal(["pub/deep", "pub/up"], page.Entries.Select(static entry => entry.Name.Value));
    }

    [NeedsTheory(Need.Links), EveryStore]
    public async Task Links_do_not_lead_out_of_a_prefix(bool portable)
    {
        LocalFileStore store = Open(portable);
        await store.PutAsync("other/file", "secret");
        await store.PutAsync("data/pub/sub/file", "1");
        Directory.CreateSymbolicLink(Folder["pub"], "data/pub");
        File.CreateSymbolicLink(Folder["pub/inside"], "sub/../sub/file");
        Directory.CreateSymbolicLink(Folder["pub/folder"], "sub");
        File.CreateSymbolicLink(Folder["pub/outside"], "../../other/file");
        Directory.CreateSymbolicLink(Folder["pub/away"], "../../other");
        File.CreateSymbolicLink(Folder["pub/back"], "../pub/sub/file");
        var confined = (LocalFileStore)store.Within("pub".Name());

        // It was made for the prefix, which may be a link itself.
        Assert.Equal("1", await confined.GetAsync("pub/sub/file"));
        Assert.Equal("1", await confined.GetAsync("pub/inside"));
        Assert.Equal("1", await confined.GetAsync("pub/folder/file"));
        await confined.PutAsync("pub/new/file", "2");
        Assert.Equal("2", File.ReadAllText(Folder["data/pub/new/file"]));

        foreach (string name in new[] { "pub/outside", "pub/away/file", "pub/back" })
        {
            Assert.NotNull(await store.FindAsync(name));
            await confined.FindAsync(name).FailsAsync(TransferError.Forbidden);
            await confined.GetAsync(name).FailsAsync(TransferError.Forbidden);
            await confined.PutAsync(name, "changed").FailsAsync(TransferError.Forbidden);
            await confined.DeleteAsync(name.Name(), default, default).FailsAsync(TransferError.Forbidden);
        }

        await confined.ListAsync(new ListFilesOptions { Folder = "pub/away".Name() }, default).FailsAsync(TransferError.Forbidden);
        FilePage page = await confined.ListAsync(new ListFilesOptions { Folder = "pub".Name() }, default);
        Assert.Equal(["pub/folder", "pub/inside", "pub/new", "pub/sub"], page.Entries.Select(static entry => entry.Name.Value));
        Assert.Equal("secret", File.ReadAllText(Folder["other/file"]));
    }

    [NeedsTheory(Need.Links), EveryStore]
    public async Task Prefix_that_is_a_file_may_be_a_link(bool portable)
    {
        LocalFileStore store = Open(portable);
        await store.PutAsync("builds/2", "2");
        File.CreateSymbolicLink(Folder["latest"], "builds/2");
        var confined = (LocalFileStore)store.Within("latest".Name());

        Assert.Equal("2", await confined.GetAsync("latest"));
        await confined.PutAsync("latest", "3");
        Assert.Equal("3", File.ReadAllText(Folder["builds/2"]));
    }

    [Fact]
    public async Task Disposing_a_confined_store_leaves_the_store_open()
    {
        LocalFileStore store = Open();
        await ((LocalFileStore)store.Within("pub".Name())).DisposeAsync();

        await store.PutAsync("pub/file", "1");
        Assert.Throws<TransferException>(() => Open());
    }

    [NeedsTheory(Need.Links), EveryStore]
    public async Task Relative_links_within_the_store_are_followed(bool portable)
    {
        LocalFileStore store = Open(portable);
        await store.PutAsync("data/file", "1");
        File.CreateSymbolicLink(Folder["file"], "data/file");
        Directory.CreateSymbolicLink(Folder["folder"], "data");
        Assert.Equal("1", await store.GetAsync("file"));
        Assert.Equal("1", await store.GetAsync("folder/file"));

        await store.PutAsync("file", "2");
        Assert.Equal("2", File.ReadAllText(Folder["data/file"]));
        Assert.NotNull(new FileInfo(Folder["file"]).LinkTarget);
        await store.PutAsync("folder/other", "3");
        Assert.Equal("3", File.ReadAllText(Folder["data/other"]));

        FilePage page = await store.ListAsync(default, default);
        Assert.Equal(["data:True", "file:False", "folder:True"], page.Entries.Select(entry => $"{entry.Name}:{entry.IsFolder}"));
        Assert.True(await store.DeleteAsync("file".Name(), default, default));
        Assert.Equal("2", File.ReadAllText(Folder["data/file"]));
    }

    [NeedsTheory(Need.Links), EveryStore]
    public async Task Dangling_link_is_not_a_file(bool portable)
    {
        LocalFileStore store = Open(portable);
        File.CreateSymbolicLink(Folder["link"], "nothing");
        Assert.Null(await store.FindAsync("link"));
        Assert.False(await store.DeleteAsync("link".Name(), default, default));
        Assert.Empty((await store.ListAsync(default, default)).Entries);
        await store.PutAsync("link", "1");
        Assert.Equal("1", File.ReadAllText(Folder["nothing"]));
    }

    [NeedsTheory(Need.Links), EveryStore]
    public async Task Links_in_a_circle_are_refused(bool portable)
    {
        LocalFileStore store = Open(portable);
        File.CreateSymbolicLink(Folder["a"], "b");
        File.CreateSymbolicLink(Folder["b"], "a");
        await store.FindAsync("a").FailsAsync(TransferError.Forbidden);
        await store.PutAsync("a", "1").FailsAsync(TransferError.Forbidden);
        Assert.Empty((await store.ListAsync(new ListFilesOptions { Recursive = true }, default)).Entries);
    }

    [NeedsTheory(Need.Links | Need.Unix), EveryStore]
    public async Task Link_that_a_killed_process_has_not_renamed_is_removed(bool portable)
    {
        string[] left = [Folder[StagedName.Next()], Folder[$"folder/{StagedName.Next()}"]];
        Directory.CreateDirectory(Folder["folder"]);
        foreach (string path in left)
        {
            File.CreateSymbolicLink(path, "folder");
        }

        File.CreateSymbolicLink(Folder["kept"], "folder");
        Open(portable);
        await Bounded.UntilAsync(() => !left.Any(static path => new FileInfo(path).LinkTarget is not null));
        Assert.Equal("folder", new FileInfo(Folder["kept"]).LinkTarget);
    }

    [NeedsFact(Need.Links | Need.Unix)]
    public async Task Links_get_their_names_while_another_process_cleans_up()
    {
        var store = (ISymbolicLinks)Open();
        using var end = new CancellationTokenSource();
        Task<int> cleaning = Task.Run(() =>
        {
            int removed = 0;
            while (!end.IsCancellationRequested)
            {
                removed += FilePipe.CleanUp(Folder.Path);
            }

            return removed;
        });
        for (int i = 0; i < 300; i++)
        {
            await store.CreateSymbolicLinkAsync("link".Name(), $"{i}", default, default);
            Assert.Equal($"{i}", new FileInfo(Folder["link"]).LinkTarget);
        }

        await end.CancelAsync();
        await cleaning.Soon();
        Assert.Equal(["link"], Directory.EnumerateFileSystemEntries(Folder.Path).Select(Path.GetFileName).Where(static name => name != ".millrace"));
    }

    [NeedsFact(Need.Native)]
    public async Task Folder_replaced_by_a_link_during_a_write_does_not_lead_out()
    {
        var scene = new Scene(Folder, "inside");
        LocalFileStore store = Open(root: scene.Root);
        await using StoredFileWriter writer = await store.CreateAsync("inside/secret".Name(), default, default);
        await writer.Output.WriteAsync("changed"u8.ToArray());
        Directory.Move(scene["inside"], scene["moved"]);
        Directory.CreateSymbolicLink(scene["inside"], scene.Outside);
        await writer.CommitAsync(null, default);
        scene.IsUntouched();
        Assert.Equal("changed", File.ReadAllText(scene["moved/secret"]));
    }

    [NeedsFact(Need.Native)]
    public async Task Folder_swapped_with_a_link_repeatedly_never_leads_out()
    {
        var scene = new Scene(Folder, "inside");
        LocalFileStore store = Open(root: scene.Root);
        Directory.CreateDirectory(scene["both"]);
        using var end = new CancellationTokenSource();
        Task swapping = Task.Run(() =>
        {
            while (!end.IsCancellationRequested)
            {
                Try(() => Directory.Move(scene["both"], scene["aside"]));
                Try(() => Directory.CreateSymbolicLink(scene["both"], scene.Outside));
                Try(() => File.Delete(scene["both"]));
                Try(() => Directory.Move(scene["aside"], scene["both"]));
                Try(() => Directory.Delete(scene["aside"], recursive: true));
            }
        });
        for (int i = 0; i < 300; i++)
        {
            try
            {
                await store.PutAsync("both/secret", "changed");
                Assert.NotEqual("secret", await store.GetAsync("both/secret"));
                await store.DeleteAsync("both/secret".Name(), default, default);
            }
            catch (TransferException)
            {
                // Not there, or a link, just then.
            }
        }

        await end.CancelAsync();
        await swapping.Soon();
        scene.IsUntouched();
    }

    /// <summary>The store may have created the folder in between, and anything can be missing then.</summary>
    private static void Try(Action action)
    {
        try
        {
            action();
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // Another turn will do it.
        }
    }

    /// <summary>A root with a link in it, and a folder beside it that must not be touched.</summary>
    private sealed class Scene
    {
        public Scene(TemporaryFolder folder, string target)
        {
            Root = folder["root"];
            Outside = folder["outside"];
            Directory.CreateDirectory(this["inside"]);
            Directory.CreateDirectory(Outside);
            File.WriteAllText(this["inside/file"], "file");
            File.WriteAllText(Path.Combine(Outside, "secret"), "secret");
            Directory.CreateSymbolicLink(this["inside/up"], "../..");
            File.CreateSymbolicLink(this["link"], target.Replace("OUTNAME", "outside").Replace("OUT", Outside));
        }

        public string Root { get; }

        public string Outside { get; }

        public string this[string name] => Path.Combine(Root, name);

        public void IsUntouched()
        {
            Assert.Equal(["secret"], Directory.GetFileSystemEntries(Outside).Select(Path.GetFileName));
            Assert.Equal("secret", File.ReadAllText(Path.Combine(Outside, "secret")));
        }
    }
}
