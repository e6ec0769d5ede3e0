using static Millrace.Transfer.Server.Tests.Stores.StoreExtensions;

namespace Millrace.Transfer.Server.Tests.Stores;

public sealed class MoveTests : StoreTest
{
    private static readonly MoveOptions Replace = new() { Replace = true };

    [Theory, EveryStore]
    public async Task A_file_is_renamed_and_its_digest_moves_along(bool portable)
    {
        LocalFileStore store = Open(portable);
        Directory.CreateDirectory(Folder["to"]);
        StoredFile before = await store.PutAsync("from/a", "content");

        StoredFile? moved = await store.MoveAsync("from/a", "to/b");

        Assert.Equal(("to/b", 7L, before.Sha256), (moved!.Name.Value, moved.Length, moved.Sha256));
        Assert.Equal("content", await store.GetAsync("to/b"));
        Assert.Equal(moved, await store.FindAsync("to/b"));
        Assert.Null(await store.FindAsync("from/a"));
        Assert.Equal(0, store.Core.Work.Computed);
    }

    [Theory, EveryStore]
    public async Task A_folder_moves_with_its_files_and_their_digests(bool portable)
    {
        LocalFileStore store = Open(portable);
        StoredFile one = await store.PutAsync("old/sub/one", "1");
        StoredFile two = await store.PutAsync("old/two", "2");

        Assert.Null(await store.MoveAsync("old", "new"));
        await store.Core.Work.Moves;

        Assert.Equal(["new"], Folder.VisibleNames());
        Assert.Equal((one.Sha256, one.Tag), await DigestAndTagAsync(store, "new/sub/one"));
        Assert.Equal((two.Sha256, two.Tag), await DigestAndTagAsync(store, "new/two"));
        Assert.Equal(0, store.Core.Work.Computed);
        FilePage page = await store.ListAsync(new ListFilesOptions { Folder = "new".Name() }, default);
        Assert.Equal(["new/sub", "new/two"], page.Entries.Select(static entry => entry.Name.Value));
    }

    [Theory, EveryStore]
    public async Task A_taken_name_is_refused_unless_a_file_may_be_replaced(bool portable)
    {
        LocalFileStore store = Open(portable);
        await store.PutAsync("a", "1");
        StoredFile b = await store.PutAsync("b", "2");

        await store.MoveAsync("a", "b").FailsAsync(TransferError.AlreadyExists);
        Assert.Equal(b, await store.FindAsync("b"));

        StoredFile? moved = await store.MoveAsync("a", "b", Replace);
        Assert.NotEqual(b.Tag, moved!.Tag);
        Assert.Equal(("1", moved), (await store.GetAsync("b"), await store.FindAsync("b")));
        Assert.Equal(["b"], Folder.VisibleNames());
    }

    [Theory, EveryStore]
    public async Task Folders_replace_nothing_and_are_not_replaced(bool portable)
    {
        LocalFileStore store = Open(portable);
        await store.PutAsync("a/file", "1");
        await store.PutAsync("b/file", "2");
        await store.PutAsync("file", "3");
        await store.CreateFolderAsync("empty".Name(), default);

        foreach ((string from, string to) in new[] { ("a", "b"), ("a", "empty"), ("a", "file"), ("file", "a"), ("file", "empty"), ("a/file", "a") })
        {
            await store.MoveAsync(from, to, Replace).FailsAsync(TransferError.AlreadyExists);
        }

        Assert.Equal(["a", "b", "empty", "file"], Folder.VisibleNames());
    }

    [Theory, EveryStore]
    public async Task What_cannot_be_moved_is_refused(bool portable)
    {
        LocalFileStore store = Open(portable);
        await store.PutAsync("a/b/c", "1");

        await store.MoveAsync("x", "y").FailsAsync(TransferError.NotFound);
        TransferException missing = await Assert.ThrowsAsync<TransferException>(() => store.MoveAsync("a/b/c", "x/y").AsTask());
        Assert.Equal((TransferError.NotFound, 409), (missing.Error, missing.Status));
        missing = await Assert.ThrowsAsync<TransferException>(() => store.MoveAsync("a", "a2/b/c").AsTask());
        Assert.Equal((TransferError.NotFound, 409), (missing.Error, missing.Status));
        foreach (string to in new[] { "a", "a/b/d", "a/x" })
        {
            await store.MoveAsync("a", to).FailsAsync(TransferError.InvalidRequest);
        }

        await store.MoveAsync("a/b/c", "a/b/c", Replace).FailsAsync(TransferError.InvalidRequest);
        await store.MoveAsync(default, "x".Name(), default, default).FailsAsync(TransferError.InvalidRequest);
        await store.MoveAsync("a".Name(), default, default, default).FailsAsync(TransferError.InvalidRequest);
        Assert.Equal("1", await store.GetAsync("a/b/c"));
    }

    [Theory, EveryStore]
    public async Task Only_the_matching_version_is_moved(bool portable)
    {
        LocalFileStore store = Open(portable);
        StoredFile first = await store.PutAsync("a", "1");
        StoredFile second = await store.PutAsync("a", "2");
        await store.MoveAsync("a", "b", Match(first)).FailsAsync(TransferError.PreconditionFailed);
        await store.MoveAsync("a", "b", Match(second));
        Assert.Equal("2", await store.GetAsync("b"));
    }

    [Theory, EveryStore]
    public async Task Replaced_bytes_no_longer_count(bool portable)
    {
        LocalFileStore store = Open(new LocalFileStoreOptions { Portable = portable, MaxTotalBytes = 100 });
        await store.PutAsync("a/file", new string('a', 60));
        await store.PutAsync("b", new string('b', 30));
        await store.MoveAsync("a/file", "b", Replace);
        Assert.Equal(60, store.Core.Limits.Used);
        await store.MoveAsync("b", "a/b");
        await store.MoveAsync("a", "c");
        Assert.Equal(60, store.Core.Limits.Used);
        Assert.True(await store.DeleteFolderAsync("c".Name(), default, default));
        Assert.Equal(0, store.Core.Limits.Used);
    }

    [NeedsTheory(Need.Links), EveryStore]
    public async Task Links_are_renamed_within_their_folder_only(bool portable)
    {
        LocalFileStore store = Open(portable);
        await store.PutAsync("data/file", "1");
        await store.PutAsync("other/file", "2");
        File.CreateSymbolicLink(Folder["link"], "data/file");
        Directory.CreateSymbolicLink(Folder["folder"], "data");
        File.CreateSymbolicLink(Folder["nowhere"], "nothing");

        Assert.Equal("1", await ContentAsync(store, await store.MoveAsync("link", "renamed")));
        Assert.Null(await store.MoveAsync("folder", "linked"));
        Assert.Equal("1", await store.GetAsync("linked/file"));
        await store.MoveAsync("renamed", "other/link").FailsAsync(TransferError.InvalidRequest);
        await store.MoveAsync("linked", "other/linked").FailsAsync(TransferError.InvalidRequest);
        await store.MoveAsync("nowhere", "x").FailsAsync(TransferError.NotFound);

        // What replaces a link replaces the link alone.
        await store.MoveAsync("other/file", "renamed", Replace);
        Assert.Equal(("1", "2"), (File.ReadAllText(Folder["data/file"]), File.ReadAllText(Folder["renamed"])));
        Assert.Null(new FileInfo(Folder["renamed"]).LinkTarget);
    }

    [NeedsTheory(Need.Links), EveryStore]
    public async Task Nothing_moves_through_a_link_out_of_the_store(bool portable)
    {
        string root = Directory.CreateDirectory(Folder["root"]).FullName;
        File.WriteAllText(Folder["secret"], "secret");
        LocalFileStore store = Open(portable, root);
        await store.PutAsync("file", "1");
        Directory.CreateSymbolicLink(Path.Combine(root, "up"), "..");
        File.CreateSymbolicLink(Path.Combine(root, "out"), "../secret");

        foreach ((string from, string to) in new[]
            { ("up/secret", "a"), ("file", "up/a"), ("out", "a"), ("file", "out"), ("up", "a"), ("up/root/file", "a") })
        {
            await store.MoveAsync(from, to, Replace).FailsAsync(TransferError.Forbidden);
        }

        await store.CreateFolderAsync("up/new".Name(), default).AsTask().FailsAsync(TransferError.Forbidden);
        await store.DeleteFolderAsync("up/root".Name(), default, default).FailsAsync(TransferError.Forbidden);
        Assert.False(await store.DeleteFolderAsync("up".Name(), default, default));
        Assert.Equal(["root", "secret"], Folder.Names);
        Assert.Equal("secret", File.ReadAllText(Folder["secret"]));
    }

    [NeedsTheory(Need.Links), EveryStore]
    public async Task Nothing_moves_through_a_link_out_of_a_prefix(bool portable)
    {
        LocalFileStore store = Open(portable);
        await store.PutAsync("other/file", "secret");
        await store.PutAsync("pub/file", "1");
        Directory.CreateSymbolicLink(Folder["pub/away"], "../other");
        File.CreateSymbolicLink(Folder["pub/link"], "../other/file");
        var confined = (LocalFileStore)store.Within("pub".Name());

        foreach ((string from, string to) in new[] { ("pub/away/file", "pub/a"), ("pub/file", "pub/away/a"), ("pub/link", "pub/a"), ("pub/away", "pub/a") })
        {
            await confined.MoveAsync(from, to, Replace).FailsAsync(TransferError.Forbidden);
        }

        await confined.CreateFolderAsync("pub/away/new".Name(), default).AsTask().FailsAsync(TransferError.Forbidden);
        Assert.Equal(["file"], Directory.GetFileSystemEntries(Folder["other"]).Select(Path.GetFileName));
        Assert.Equal("secret", await store.GetAsync("other/file"));
    }

    [Theory, EveryStore]
    public async Task Folder_of_another_store_is_neither_moved_nor_deleted(bool portable)
    {
        LocalFileStore store = Open(portable);
        Directory.CreateDirectory(Folder["group/team/.millrace"]);
        await store.MoveAsync("group/team", "team").FailsAsync(TransferError.InvalidRequest);
        await store.DeleteFolderAsync("group".Name(), default, default).FailsAsync(TransferError.InvalidRequest);
        Assert.True(Directory.Exists(Folder["group/team/.millrace"]));
    }

    [NeedsFact(Need.Mount)]
    public async Task Moving_to_another_file_system_is_refused()
    {
        using MountedDisk disk = MountedDisk.InMemory(1 << 20, Folder["disk"]);
        foreach (bool portable in new[] { false, true })
        {
            await using var store = new LocalFileStore(Folder.Path, new LocalFileStoreOptions { Portable = portable });
            await store.PutAsync("a/file", "1");
            await store.PutAsync("disk/other", "2");
            await store.MoveAsync("a/file", "disk/file").FailsAsync(TransferError.InvalidRequest);
            await store.MoveAsync("a/file", "disk/other", Replace).FailsAsync(TransferError.InvalidRequest);
            await store.MoveAsync("a", "disk/a").FailsAsync(TransferError.InvalidRequest);
            await store.MoveAsync("disk", "b").FailsAsync(TransferError.InvalidRequest);
            Assert.Equal(("1", "2"), (await store.GetAsync("a/file"), await store.GetAsync("disk/other")));

            // Where it cannot be hidden first, it is deleted in place.
            await store.PutAsync("disk/folder/file", "3");
            Assert.True(await store.DeleteFolderAsync("disk/folder".Name(), default, default));
            Assert.False(Directory.Exists(Folder["disk/folder"]));
        }
    }

    [Theory, EveryStore]
    public async Task A_folder_is_created_once_and_only_in_a_folder(bool portable)
    {
        LocalFileStore store = Open(portable);
        await store.CreateFolderAsync("a".Name(), default);
        await store.CreateFolderAsync("a/b".Name(), default);
        await store.PutAsync("file", "1");
        foreach (string taken in new[] { "a", "a/b", "file" })
        {
            await store.CreateFolderAsync(taken.Name(), default).AsTask().FailsAsync(TransferError.AlreadyExists);
        }

        await store.CreateFolderAsync(default, default).AsTask().FailsAsync(TransferError.AlreadyExists);
        foreach (string orphan in new[] { "x/y", "file/x" })
        {
            TransferException missing = await Assert.ThrowsAsync<TransferException>(() => store.CreateFolderAsync(orphan.Name(), default).AsTask());
            Assert.Equal((TransferError.NotFound, 409), (missing.Error, missing.Status));
        }

        Assert.True(Directory.Exists(Folder["a/b"]));
    }

    [NeedsTheory(Need.Links), EveryStore]
    public async Task A_folder_is_deleted_with_everything_in_it_but_not_through_links(bool portable)
    {
        LocalFileStore store = Open(portable);
        await store.PutAsync("a/b/file", "1");
        await store.CreateFolderAsync("a/empty".Name(), default);
        await store.PutAsync("kept/file", "2");
        Directory.CreateSymbolicLink(Folder["a/link"], "../kept");

        Assert.False(await store.DeleteFolderAsync("kept/file".Name(), default, default));
        Assert.False(await store.DeleteFolderAsync("x".Name(), default, default));
        Assert.False(await store.DeleteFolderAsync("a/link".Name(), default, default));
        Assert.True(await store.DeleteFolderAsync("a".Name(), default, default));
        Assert.False(await store.DeleteFolderAsync("a".Name(), default, default));

        Assert.Equal(["kept"], Folder.VisibleNames());
        Assert.Equal("2", await store.GetAsync("kept/file"));
        Assert.Empty(Directory.GetFileSystemEntries(Folder[".millrace/removed"]));
        await store.DeleteFolderAsync(default, default, default).FailsAsync(TransferError.InvalidRequest);
    }

    [NeedsTheory(Need.Unix), EveryStore]
    public async Task A_folder_with_what_no_listing_has_is_not_deleted(bool portable)
    {
        LocalFileStore store = Open(new LocalFileStoreOptions { Portable = portable, Names = AllowedNames.Portable });
        await store.PutAsync("a/b/file", "1");
        File.WriteAllText(Folder["a/name\u0001 that no request can have"], "3");
        File.WriteAllText(Folder["a/b/nul"], "4");
        TransferException refused = await Assert.ThrowsAsync<TransferException>(() => store.DeleteFolderAsync("a".Name(), default, default).AsTask());
        Assert.Equal((TransferError.InvalidRequest, 409, 2), (refused.Error, refused.Status, refused.Omitted));
        Assert.Equal("1", await store.GetAsync("a/b/file"));
        Assert.Equal(2, (await store.ListAsync(new ListFilesOptions { Recursive = true }, default)).Omitted.Total);
    }

    [Theory, EveryStore]
    public async Task Digests_of_a_folder_that_is_moved_again_and_again_are_moved_seldom(bool portable)
    {
        // Without flushes, which may take longer than a walk: each walk is there for the moves that were made during the last one.
        LocalFileStore store = Open(new LocalFileStoreOptions { Portable = portable, Durability = Durability.None });
        for (int i = 0; i < 3_000; i++)
        {
            Folder.Write($"0/{i}", [1]);
        }

        await store.PutAsync("0/file", "1");
        for (int i = 0; i < 300; i++)
        {
            await store.MoveAsync($"{i}", $"{i + 1}");
        }

        await store.Core.Work.Moves;
        Assert.InRange(store.Core.Work.Walks, 1, 200);
        if (!portable)
        {
            // Elsewhere, a folder that is renamed while it is read cannot be read to its end.
            Assert.NotNull((await store.FindAsync("300/file".Name(), DigestNeed.IfKnown, default))!.Sha256);
        }

        Assert.Equal(0, store.Core.Work.Computed);
    }

    [Fact]
    public async Task What_a_killed_process_left_of_a_deleted_folder_is_deleted()
    {
        Folder.Write(".millrace/removed/0123/sub/file", [1]);
        Open();
        await Bounded.UntilAsync(() => !Directory.Exists(Folder[".millrace/removed/0123"]));
    }

    [Theory, EveryStore]
    public async Task Of_moves_at_once_one_wins_and_no_file_is_lost(bool portable)
    {
        LocalFileStore store = Open(portable);
        await store.CreateFolderAsync("to".Name(), default);
        for (int turn = 0; turn < 20; turn++)
        {
            await store.PutAsync("from", $"{turn}");
            bool[] won = await Task.WhenAll(Enumerable.Range(0, 4).Select(i => Task.Run(() => WinsAsync(store, "from", $"to/{turn}-{i}"))));
            Assert.Single(won, true);
        }

        // And of several files with one target: the first has it, the others stay.
        await Task.WhenAll(Enumerable.Range(0, 4).Select(i => store.PutAsync($"many-{i}", $"{i}")));
        bool[] moved = await Task.WhenAll(Enumerable.Range(0, 4).Select(i => Task.Run(() => WinsAsync(store, $"many-{i}", "to/one"))));
        Assert.Single(moved, true);
        Assert.Equal(20 + 1, Directory.GetFiles(Folder["to"]).Length);
        Assert.Equal(3, Folder.VisibleNames().Count(static name => name.StartsWith("many", StringComparison.Ordinal)));
    }

    [NeedsTheory(Need.Wine, "does not rename over an open file"), EveryStore]
    public async Task Writes_deletions_and_moves_of_the_same_names_at_once_never_mix_contents(bool portable)
    {
        LocalFileStore store = Open(portable);
        await Task.WhenAll(Enumerable.Range(0, 4).Select(worker => Task.Run(async () =>
        {
            for (int turn = 0; turn < 50; turn++)
            {
                (string one, string other) = turn % 2 == 0 ? ("a", "b") : ("b", "a");
                try
                {
                    switch ((worker + turn) % 4)
                    {
                        case 0:
                            await store.PutAsync(one, new string((char)('a' + worker), 100));
                            break;
                        case 1:
                            await store.DeleteAsync(one.Name(), default, default);
                            break;
                        case 2:
                            UploadStatus upload = await store.StartAsync(other, 100);
                            await store.AppendAsync(upload.Id, 0, new string((char)('a' + worker), 100));
                            await store.CompleteUploadAsync(upload.Id, null, default);
                            break;
                        default:
                            await store.MoveAsync(one, other, Replace);
                            break;
                    }
                }
                catch (TransferException exception) when (exception.Error is TransferError.NotFound or TransferError.AlreadyExists)
                {
                    // Another one was first.
                }
            }
        })));
        foreach (string name in Folder.VisibleNames())
        {
            string content = File.ReadAllText(Folder[name]);
            Assert.Equal(new string(content[0], 100), content);
            Assert.Equal(Sha256Digest.Compute(Encoding.UTF8.GetBytes(content)), (await store.FindAsync(name, DigestNeed.Always))!.Sha256);
        }
    }

    private static MoveOptions Match(StoredFile file) => new() { Source = new WritePrecondition { Match = [file.Tag] } };

    private static async Task<(Sha256Digest?, EntityTag)> DigestAndTagAsync(LocalFileStore store, string name) =>
        await store.FindAsync(name) is { } file ? (file.Sha256, file.Tag) : default;

    private static async Task<string> ContentAsync(LocalFileStore store, StoredFile? file) => await store.GetAsync(file!.Name.Value);

    private static async Task<bool> WinsAsync(LocalFileStore store, string from, string to)
    {
        try
        {
            await store.MoveAsync(from, to);
            return true;
        }
        catch (TransferException exception) when (exception.Error is TransferError.NotFound or TransferError.AlreadyExists)
        {
            return false;
        }
    }
}
