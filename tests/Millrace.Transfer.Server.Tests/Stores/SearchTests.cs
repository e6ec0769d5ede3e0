using static Millrace.Transfer.Server.Tests.Stores.StoreExtensions;

namespace Millrace.Transfer.Server.Tests.Stores;

/// <summary>Names are found wherever they are below a folder, and counted.</summary>
public sealed class SearchTests : ContractTest
{
    [Theory, EveryStore]
    public async Task Names_with_every_word_are_found_below_the_folder_alone(bool portable)
    {
        IFileStore store = Open(portable);
        foreach (string name in (string[])["Invoice May 2026.pdf", "a/2026 invoice.txt", "a/b/INVOICE-2026", "a/b/invoice 2025", "2026/x", "other/invoice 2026"])
        {
            await store.PutAsync(name, "12345");
        }

        Assert.Equal(
            ["Invoice May 2026.pdf", "a/2026 invoice.txt", "a/b/INVOICE-2026", "other/invoice 2026"], await FindAsync(store, "", "invoice 2026"));
        Assert.Equal(["a/2026 invoice.txt", "a/b/INVOICE-2026"], await FindAsync(store, "a", " 2026\tINVOICE "));
        Assert.Equal(["a/b/", "a/b/INVOICE-2026"], (await FindAsync(store, "a", "b")).Concat(await FindAsync(store, "a/b", "e-2")));
        Assert.Equal(["2026/"], await FindAsync(store, "", "2026", static name => !name.Contains("nvo", StringComparison.OrdinalIgnoreCase)));
        Assert.Empty(await FindAsync(store, "", ".millrace"));
    }

    [Theory, EveryStore]
    public async Task Case_and_accents_do_not_matter(bool portable)
    {
        IFileStore store = Open(portable);

        // The second is as macOS writes it: the marks are separate characters.
        string[] names = ["Café Müller.txt", "Cafe\u0301 Mu\u0308ller 2.txt", "straße.txt", "ΑΘΉΝΑ.txt", "ёлка.txt", "Đường phố.txt", "أحمد.txt"];
        foreach (string name in names)
        {
            await store.PutAsync($"f/{name}", "1");
        }

        foreach ((string text, int[] found) in ((string, int[])[])
            [("cafe muller", [0, 1]), ("CAFÉ", [0, 1]), ("mu\u0308ller", [0, 1]), ("STRASSE", [2]), ("αθηνα", [3]), ("Елка", [4]), ("duong pho", [5]), ("احمد", [6])])
        {
            Assert.Equal(found.Select(i => $"f/{names[i]}").Order(StringComparer.Ordinal), await FindAsync(store, "", text));
        }
    }

    [Theory, EveryStore]
    public async Task Found_files_have_their_facts(bool portable)
    {
        IFileStore store = Open(portable);
        StoredFile file = await store.PutAsync("a/b/name.txt", "12345");
        List<FileEntry> found = [];
        long searched = 0;
        await foreach (SearchPage page in store.SearchAsync(new SearchFilesOptions { Text = "name" }, default))
        {
            found.AddRange(page.Entries);
            searched = page.Searched;
        }

        FileEntry only = Assert.Single(found);
        Assert.Equal((file.Name, 5L), (only.Name, only.File!.Length));
        Assert.InRange(searched, 3, 4);
    }

    [Theory, EveryStore]
    public async Task Missing_folder_and_missing_words_are_refused(bool portable)
    {
        IFileStore store = Open(portable);
        await store.PutAsync("a/b", "1");
        Assert.Equal(TransferError.NotFound, (await Assert.ThrowsAsync<TransferException>(() => FindAsync(store, "none", "b"))).Error);
        foreach (string text in (string[])["", "  ", "\u0301", new('x', 256)])
        {
            Assert.Equal(TransferError.InvalidRequest, (await Assert.ThrowsAsync<TransferException>(() => FindAsync(store, "", text))).Error);
        }

        Assert.Equal(
            TransferError.NotFound, (await Assert.ThrowsAsync<TransferException>(async () => await MeasureAsync(store, "none"))).Error);
    }

    [Theory, EveryStore]
    public async Task Folder_is_counted_at_any_depth(bool portable)
    {
        IFileStore store = Open(portable);
        foreach (string name in (string[])["a/1", "a/b/2", "a/b/c/d/3", "a-b", "a0", "e/f"])
        {
            await store.PutAsync(name, new string('x', 10));
        }

        Assert.Equal(new FolderUsage(6, 5, 60), await MeasureAsync(store, ""));
        Assert.Equal(new FolderUsage(3, 3, 30), await MeasureAsync(store, "a"));
        Assert.Equal(new FolderUsage(1, 0, 10), await MeasureAsync(store, "e"));
    }

    [NeedsFact(Need.Unix), NeedsLocalFolder]
    public async Task Links_are_found_and_not_followed()
    {
        IFileStore store = Open();
        await store.PutAsync("real/name.txt", "12345");
        File.CreateSymbolicLink(Path.Combine(Files.Root, "name of a file"), "real/name.txt");
        Directory.CreateSymbolicLink(Path.Combine(Files.Root, "name of a folder"), "real");
        Directory.CreateSymbolicLink(Path.Combine(Files.Root, "real", "name of a circle"), "..");
        File.CreateSymbolicLink(Path.Combine(Files.Root, "name outside"), "/etc/passwd");
        File.CreateSymbolicLink(Path.Combine(Files.Root, "name of nothing"), "nothing");
        Assert.Equal(
            ["name of a file", "name of a folder/", "real/name of a circle/", "real/name.txt"], await FindAsync(store, "", "name"));
        Assert.Equal(["real/name.txt"], await FindAsync(store.Within("real".Name()), "real", ".txt"));
        Assert.Equal(new FolderUsage(1, 1, 5), await MeasureAsync(store, ""));
    }

    [NeedsFact(Need.Unix), NeedsLocalFolder]
    public async Task Names_that_no_request_can_have_are_counted_as_left_out()
    {
        IFileStore store = Open(new LocalFileStoreOptions { Names = AllowedNames.Portable });
        Directory.CreateDirectory(Path.Combine(Files.Root, "a:b"));
        File.WriteAllText(Path.Combine(Files.Root, "a:b", "name"), "");
        File.WriteAllText(Path.Combine(Files.Root, "name?"), "");
        File.WriteAllText(Path.Combine(Files.Root, "other?"), "");
        SearchPage? last = null;
        await foreach (SearchPage page in store.SearchAsync(new SearchFilesOptions { Text = "name" }, default))
        {
            Assert.Empty(page.Entries);
            last = page;
        }

        Assert.Equal(2, last!.Omitted);
    }

    private static async Task<List<string>> FindAsync(IFileStore store, string folder, string text, Func<string, bool>? only = null)
    {
        var found = new List<string>();
        await foreach (SearchPage page in store.SearchAsync(
            new SearchFilesOptions { Folder = folder.Length == 0 ? default : folder.Name(), Text = text }, default))
        {
            found.AddRange(page.Entries.Select(static entry => entry.Name.Value + (entry.IsFolder ? "/" : "")));
        }

        return [.. found.Where(only ?? (static _ => true)).Order(StringComparer.Ordinal)];
    }

    private static async Task<FolderUsage> MeasureAsync(IFileStore store, string folder)
    {
        FolderUsage? last = null;
        await foreach (FolderUsage usage in store.MeasureAsync(folder.Length == 0 ? default : folder.Name(), default))
        {
            last = usage;
        }

        return last!;
    }
}
