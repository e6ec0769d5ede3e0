using System.Runtime.CompilerServices;

namespace Millrace.Transfer.Server;

/// <summary>Searches and counts with a store's listings only.</summary>
internal static class ListedSearch
{
    public static async IAsyncEnumerable<SearchPage> SearchAsync(
        IFileStore store, SearchFilesOptions options, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        NameQuery query = NameQuery.Parse(options.Text ?? "");
        long searched = 0;
        await foreach ((FilePage page, IReadOnlyList<TransferName> folders) in PagesAsync(store, options.Folder, cancellationToken))
        {
            searched += page.Entries.Count + folders.Count;
            yield return new SearchPage(
                [
                    .. folders.Where(folder => query.Matches(folder.FileName))
                        .Select(static folder => new FileEntry(folder, File: null, DateTimeOffset.UnixEpoch)),
                    .. page.Entries.Where(entry => query.Matches(entry.Name.FileName)),
                ],
                searched)
            {
                Omitted = page.Omitted.Total,
            };
        }
    }

    public static async IAsyncEnumerable<FolderUsage> MeasureAsync(
        IFileStore store, TransferName folder, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var usage = new FolderUsage(0, 0, 0);
        await foreach ((FilePage page, IReadOnlyList<TransferName> folders) in PagesAsync(store, folder, cancellationToken))
        {
            usage = new FolderUsage(
                usage.Files + page.Entries.Count,
                usage.Folders + folders.Count,
                usage.Bytes + page.Entries.Sum(static entry => entry.File?.Length ?? 0))
            {
                Omitted = page.Omitted.Total,
            };
            yield return usage;
        }
    }

    /// <summary>The pages of all files, the omitted entries added up, each with the folders that no page before had a file of.</summary>
    private static async IAsyncEnumerable<(FilePage Page, IReadOnlyList<TransferName> Folders)> PagesAsync(
        IFileStore store, TransferName folder, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        // Names are in order, so that a folder's files are beside one another.
        TransferName last = folder;
        OmittedEntries omitted = default;
        TransferName after = default;
        do
        {
            FilePage page = await store.ListAsync(
                new ListFilesOptions { Folder = folder, Recursive = true, After = after }, cancellationToken);
            after = page.Next;
            omitted += page.Omitted;
            var folders = new List<TransferName>();
            foreach (FileEntry entry in page.Entries)
            {
                AddFolders(folders, entry.Name.Folder, last, folder);
                last = entry.Name.Folder;
            }

            yield return (page with { Omitted = omitted }, folders);
        }
        while (!after.IsRoot);
    }

    private static void AddFolders(List<TransferName> folders, TransferName name, TransferName last, TransferName top)
    {
        if (name == last || name == top || last.IsIn(name))
        {
            return;
        }

        AddFolders(folders, name.Folder, last, top);
        folders.Add(name);
    }
}
