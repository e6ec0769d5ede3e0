using FsCheck;
using FsCheck.Fluent;
using static Millrace.Transfer.Server.Tests.Stores.StoreExtensions;

namespace Millrace.Transfer.Server.Tests.Stores;

/// <summary>Pages of a listing are the names, all of them, once, and in their order.</summary>
public sealed class ListTests : StoreTest
{
    /// <summary>Parts that sort differently beside a slash than beside each other. Windows takes A for a.</summary>
    private static readonly string[] Parts = ["a", "a-b", "a0", "a.b", OperatingSystem.IsWindows() ? "C" : "A", "b", "ä", "a!", "aa"];

    [Theory, EveryStore]
    public async Task Pages_of_a_recursive_listing_are_all_names_in_order(bool portable)
    {
        for (int seed = 0; seed < 25; seed++)
        {
            using var folder = new TemporaryFolder();
            await using var store = new LocalFileStore(folder.Path, new LocalFileStoreOptions { Portable = portable });
            string[] names = Create(folder, seed);
            foreach (int size in new[] { 1, 2, 3, 7, 1000 })
            {
                List<string> listed = await AllAsync(store, new ListFilesOptions { Recursive = true, PageSize = size });
                Assert.True(names.SequenceEqual(listed), $"Seed {seed}, pages of {size}: {string.Join(' ', listed)}");
            }
        }
    }

    [Fact]
    public async Task Pages_of_a_folder_with_too_many_names_to_keep_are_the_same()
    {
        for (int seed = 0; seed < 25; seed++)
        {
            using var folder = new TemporaryFolder();
            await using var store = new LocalFileStore(folder.Path, new LocalFileStoreOptions { SnapshotBytes = 0 });
            string[] names = Create(folder, seed);
            foreach (int size in new[] { 1, 2, 3, 7, 1000 })
            {
                List<string> listed = await AllAsync(store, new ListFilesOptions { Recursive = true, PageSize = size });
                Assert.True(names.SequenceEqual(listed), $"Seed {seed}, pages of {size}: {string.Join(' ', listed)}");
            }
        }
    }

    [NeedsTheory(Need.Native), InlineData(false), InlineData(true)]
    public async Task Pages_of_a_large_folder_read_it_once(bool recursive)
    {
        LocalFileStore store = Open();
        string[] names = CreateMany(2_500);
        var options = new ListFilesOptions { Recursive = recursive, PageSize = 300 };

        // Until the file system's clock has advanced, so that every change gives the folder another time.
        int reads;
        do
        {
            reads = store.Core.Snapshots.Reads;
            await store.ListAsync(options, default);
        }
        while (reads != store.Core.Snapshots.Reads);

        Assert.Equal(names, await AllAsync(store, options));
        Assert.Equal(reads, store.Core.Snapshots.Reads);
    }

    [Theory, EveryStore]
    public async Task Names_that_come_and_go_between_pages_leave_the_others_listed_once(bool portable)
    {
        LocalFileStore store = Open(portable);
        string[] names = CreateMany(2_500);
        var options = new ListFilesOptions { PageSize = 500 };
        FilePage first = await store.ListAsync(options, default);
        File.WriteAllText(Folder[names[10] + "x"], "");
        File.WriteAllText(Folder[names[1000] + "x"], "");
        File.Delete(Folder[names[20]]);
        File.Delete(Folder[names[2000]]);

        List<string> rest = await AllAsync(store, options with { After = first.Next });
        Assert.Equal(names[..500], first.Entries.Select(entry => entry.Name.Value));
        Assert.Equal(names[500..].Where(name => name != names[2000]), rest.Where(name => !name.EndsWith('x')));
        Assert.InRange(rest.Count(name => name.EndsWith('x')), 0, 1);
    }

    [Theory, EveryStore]
    public async Task New_listing_has_the_names_that_came_before_it(bool portable)
    {
        LocalFileStore store = Open(portable);
        string[] names = CreateMany(1_500);
        for (int i = 0; i < 20; i++)
        {
            await store.ListAsync(default, default);
            File.WriteAllText(Folder[$"a{i:00}"], "");
            FilePage page = await store.ListAsync(default, default);
            Assert.Equal($"a{i:00}", page.Entries[i].Name.Value);
            Assert.Equal(names[0], page.Entries[i + 1].Name.Value);
        }
    }

    [Theory, EveryStore]
    public async Task Folder_is_found_without_listing_it(bool portable)
    {
        LocalFileStore store = Open(portable);
        await store.PutAsync("a/b", "1");
        Assert.True(await store.FolderExistsAsync(default, default));
        Assert.True(await store.FolderExistsAsync("a".Name(), default));
        Assert.False(await store.FolderExistsAsync("a/b".Name(), default));
        Assert.False(await store.FolderExistsAsync("c".Name(), default));
        Assert.Equal(0, store.Core.Snapshots.Reads);
    }

    [Theory, EveryStore]
    public async Task Pages_of_a_folder_are_its_files_and_folders_in_order(bool portable)
    {
        for (int seed = 0; seed < 25; seed++)
        {
            using var folder = new TemporaryFolder();
            await using var store = new LocalFileStore(folder.Path, new LocalFileStoreOptions { Portable = portable });
            string[] names = Create(folder, seed);
            string[] top = [.. names.Select(name => name.Split('/')[0]).Distinct().Order(StringComparer.Ordinal)];
            foreach (int size in new[] { 1, 2, 1000 })
            {
                Assert.Equal(top, await AllAsync(store, new ListFilesOptions { PageSize = size }));
            }
        }
    }

    [Fact]
    public void Listing_applies_prefix_and_start_name()
    {
        Gen<string> part = Gen.Elements(Parts);
        Gen<(int Seed, string Prefix, string After)> cases =
            from seed in Gen.Choose(0, 10_000)
            from prefix in Gen.OneOf(Gen.Constant(""), part, from a in part from b in part select $"{a}/{b[..1]}")
            from after in Gen.OneOf(part, from a in part from b in part select $"{a}/{b}")
            select (seed, prefix, after);
        Prop.ForAll(cases.ToArbitrary(), one =>
        {
            using var folder = new TemporaryFolder();
            var store = new LocalFileStore(folder.Path);
            try
            {
                string[] names = Create(folder, one.Seed);
                IEnumerable<string> expected = names.Where(name =>
                    name.StartsWith(one.Prefix, StringComparison.Ordinal) && string.CompareOrdinal(name, one.After) > 0);
                var options = new ListFilesOptions
                {
                    Recursive = true,
                    PageSize = 2,
                    Prefix = one.Prefix,
                    After = one.After.Name(),
                };
                return expected.SequenceEqual(AllAsync(store, options).GetAwaiter().GetResult());
            }
            finally
            {
                store.DisposeAsync().AsTask().GetAwaiter().GetResult();
            }
        }).QuickCheckThrowOnFailure();
    }

    [Theory, EveryStore]
    public async Task Subfolder_is_listed_with_full_names(bool portable)
    {
        LocalFileStore store = Open(portable);
        await store.PutAsync("a/b/c", "1");
        await store.PutAsync("a/d", "2");
        await store.PutAsync("ab", "3");
        Assert.Equal(["a/b", "a/d"], await AllAsync(store, new ListFilesOptions { Folder = "a".Name() }));
        Assert.Equal(["a/b/c", "a/d"], await AllAsync(store, new ListFilesOptions { Folder = "a".Name(), Recursive = true }));
        Assert.Equal(["a/d"], await AllAsync(store, new ListFilesOptions { Folder = "a".Name(), Prefix = "d" }));
        await store.ListAsync(new ListFilesOptions { Folder = "none".Name() }, default).FailsAsync(TransferError.NotFound);
    }

    [NeedsTheory(Need.Unix), EveryStore]
    public async Task Invalid_and_hidden_names_are_not_listed(bool portable)
    {
        LocalFileStore store = Open(new LocalFileStoreOptions { Portable = portable, Names = AllowedNames.Portable });
        await store.PutAsync("a", "1");
        File.WriteAllText(Folder["b\\c"], "");
        File.WriteAllText(Folder["d:e"], "");
        File.WriteAllText(Folder["nul"], "");
        File.WriteAllText(Folder["f "], "");
        Directory.CreateDirectory(Folder["sub/.millrace"]);
        File.WriteAllText(Folder["sub/.millrace/x"], "");
        await using StoredFileWriter staged = await store.CreateAsync("g".Name(), default, default);
        await store.StartAsync("h", 1);
        Assert.Equal(["a"], await AllAsync(store, new ListFilesOptions { Recursive = true }));
        Assert.Equal(["a", "sub"], await AllAsync(store, default));
    }

    [Theory, EveryStore]
    public async Task Entry_has_the_tag_and_digest_of_its_file(bool portable)
    {
        LocalFileStore store = Open(portable);
        StoredFile put = await store.PutAsync("a", "1");
        File.WriteAllText(Folder["b"], "2");
        FilePage page = await store.ListAsync(default, default);
        Assert.Equal([put, await store.FindAsync("b")], page.Entries.Select(entry => entry.File));
        Assert.Equal([put.Sha256, null], page.Entries.Select(entry => entry.File!.Sha256));
        page = await store.ListAsync(new ListFilesOptions { OmitDigests = true }, default);
        Assert.Equal([put with { Sha256 = null }, await store.FindAsync("b")], page.Entries.Select(entry => entry.File));
    }

    [NeedsTheory(Need.Unix), EveryStore]
    public async Task Special_files_are_not_listed_and_not_found(bool portable)
    {
        LocalFileStore store = Open(portable);
        using (System.Diagnostics.Process fifo = System.Diagnostics.Process.Start("mkfifo", [Folder["fifo"]]))
        {
            Assert.True(fifo.WaitForExit(Bounded.Patience));
        }

        Assert.Empty((await store.ListAsync(default, default)).Entries);
        Assert.Null(await store.FindAsync("fifo").Soon());
        Assert.False(await store.DeleteAsync("fifo".Name(), default, default));
    }

    private static string[] Create(TemporaryFolder folder, int seed)
    {
        var random = new Random(seed);
        var names = new SortedSet<string>(StringComparer.Ordinal);
        for (int i = 0; i < 12; i++)
        {
            string name = string.Join('/', Enumerable.Range(0, random.Next(1, 4)).Select(_ => Parts[random.Next(Parts.Length)]));
            string path = folder[name];
            try
            {
                Directory.CreateDirectory(Path.GetDirectoryName(path)!);
                using FileStream file = File.Create(path);
                names.Add(name);

                // Old, so that the test need not wait until its version is certain.
                File.SetLastWriteTimeUtc(path, DateTime.UnixEpoch.AddSeconds(i));
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                // A folder is where a file was to be, or a file where a folder was.
            }
        }

        return [.. names];
    }

    /// <summary>Makes files with old contents, so that the test need not wait until their versions are certain.</summary>
    private string[] CreateMany(int count)
    {
        string[] names = [.. Enumerable.Range(0, count).Select(i => $"n{i:00000}")];
        foreach (string name in names)
        {
            File.WriteAllText(Folder[name], "");
        }

        return names;
    }

    private static async Task<List<string>> AllAsync(LocalFileStore store, ListFilesOptions options)
    {
        var all = new List<string>();
        while (true)
        {
            FilePage page = await store.ListAsync(options, default);
            Assert.InRange(page.Entries.Count, 0, options.PageSize);
            all.AddRange(page.Entries.Select(entry => entry.Name.Value));
            if (page.Next.IsRoot)
            {
                return all;
            }

            options = options with { After = page.Next };
        }
    }
}
