using System.Runtime.CompilerServices;

namespace Millrace.Transfer.Server;

/// <summary>Files below a folder, at any depth.</summary>
/// <param name="Files">The files, those of a folder beside one another.</param>
/// <param name="Folders">The folders of these files that were on no page before.</param>
/// <param name="Omitted">Entries between them that are left out.</param>
internal readonly record struct WalkedPage(IReadOnlyList<FileEntry> Files, IReadOnlyList<TransferName> Folders, int Omitted)
{
    public static WalkedPage Empty { get; } = new([], [], 0);

    /// <summary>Finds the folders of a page.</summary>
    /// <param name="files">The files, those of a folder beside one another.</param>
    /// <param name="omitted">Entries between them that are left out.</param>
    /// <param name="top">The folder that is walked.</param>
    /// <param name="last">The folder of the last file before the page, then that of its last file; first the folder that is walked.</param>
    public static WalkedPage Create(IReadOnlyList<FileEntry> files, int omitted, TransferName top, ref TransferName last)
    {
        var folders = new List<TransferName>();
        foreach (FileEntry file in files)
        {
            AddFolders(folders, file.Name.Folder, last, top);
            last = file.Name.Folder;
        }

        return new WalkedPage(files, folders, omitted);
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

/// <summary>Searches and counts what a walk returns.</summary>
internal static class WalkedPages
{
    public static async IAsyncEnumerable<SearchPage> SearchAsync(
        this IAsyncEnumerable<WalkedPage> pages, NameQuery query, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        long searched = 0;
        int omitted = 0;
        await foreach (WalkedPage page in pages.WithCancellation(cancellationToken))
        {
            searched += page.Files.Count + page.Folders.Count;
            omitted += page.Omitted;
            yield return new SearchPage(
                [
                    .. page.Folders.Where(folder => query.Matches(folder.FileName))
                        .Select(static folder => new FileEntry(folder, File: null, DateTimeOffset.UnixEpoch)),
                    .. page.Files.Where(file => query.Matches(file.Name.FileName)),
                ],
                searched)
            {
                Omitted = omitted,
            };
        }
    }

    public static async IAsyncEnumerable<FolderUsage> MeasureAsync(
        this IAsyncEnumerable<WalkedPage> pages, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var usage = new FolderUsage(0, 0, 0);
        await foreach (WalkedPage page in pages.WithCancellation(cancellationToken))
        {
            usage = new FolderUsage(
                usage.Files + page.Files.Count,
                usage.Folders + page.Folders.Count,
                usage.Bytes + page.Files.Sum(static file => file.File?.Length ?? 0))
            {
                Omitted = usage.Omitted + page.Omitted,
            };
            yield return usage;
        }
    }
}
