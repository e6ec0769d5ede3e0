using System.IO.Enumeration;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Transfer.Server;

/// <summary>Creates one page of a listing. Used once.</summary>
internal sealed class FileLister(LocalStore store, StoreTree tree, ListFilesOptions options)
{
    /// <summary>Files that keep changing for which a page waits until their versions are certain.</summary>
    /// <remarks>Each takes some steps of the file system's clock, in which no other listing may run.</remarks>
    private const int MaxWaits = 5;

    private readonly List<FileEntry> _page = [];
    private readonly string _prefix = options.Folder.IsRoot
        ? options.Prefix ?? ""
        : $"{options.Folder.Value}/{options.Prefix}";

    private bool _more;
    private int _waits;
    private OmittedEntries _omitted;

    /// <summary>The same before the last entry: what follows it is counted by the next page.</summary>
    private OmittedEntries _omittedBefore;

    public async ValueTask<FilePage> ListAsync(StoreFolder folder, CancellationToken cancellationToken)
    {
        await WalkAsync(folder, options.Folder, cancellationToken);
        bool isFull = _page.Count == options.PageSize;
        bool more = _more || (isFull && _omitted != _omittedBefore);
        return new FilePage(_page, more ? _page[^1].Name : default) { Omitted = isFull ? _omittedBefore : _omitted };
    }

    /// <summary>
    /// Visits a folder in the order of the full names: in a recursive listing, a folder is sorted as its name with a slash, where
    /// the names in it begin.
    /// </summary>
    private async ValueTask WalkAsync(StoreFolder folder, TransferName name, CancellationToken cancellationToken)
    {
        string before = name.IsRoot ? "" : name.Value + "/";
        FolderSnapshot? names = store.Snapshots.Find(
            folder, name, options.Recursive, continues: !options.After.IsRoot, cancellationToken);
        if (names is null)
        {
            await WalkInBatchesAsync(folder, before, cancellationToken);
            return;
        }

        for (int i = Math.Max(FindStart(names, before, options.After.Value), FindStart(names, before, _prefix)); i < names.Count && !_more; i++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            string key = string.Concat(before, names[i]);
            if (IsWanted(key))
            {
                await TakeAsync(folder, key, before.Length, cancellationToken);
            }
            else if (string.CompareOrdinal(key, _prefix) > 0 && !key.StartsWith(_prefix, StringComparison.Ordinal))
            {
                return;
            }
        }
    }

    /// <summary>The first name in a folder that is not before a whole name, or leads to it.</summary>
    private static int FindStart(FolderSnapshot names, string before, string text) =>
        text.StartsWith(before, StringComparison.Ordinal) ? names.Find(text.AsSpan(before.Length))
        : string.CompareOrdinal(before, text) > 0 ? 0
        : names.Count;

    /// <summary>The same in a folder with too many names to keep: each batch reads all of them.</summary>
    private async ValueTask WalkInBatchesAsync(StoreFolder folder, string before, CancellationToken cancellationToken)
    {
        string? from = null;
        List<string> batch;
        do
        {
            batch = Next(folder, before, from, cancellationToken);
            foreach (string key in batch)
            {
                cancellationToken.ThrowIfCancellationRequested();
                await TakeAsync(folder, key, before.Length, cancellationToken);
                if (_more)
                {
                    return;
                }

                from = key;
            }
        }
        while (batch.Count > options.PageSize);
    }

    /// <summary>The first entries after a key that match, or may contain matches: one more than a page.</summary>
    private List<string> Next(StoreFolder folder, string before, string? from, CancellationToken cancellationToken)
    {
        var largestFirst = new PriorityQueue<string, string>(
            Comparer<string>.Create(static (left, right) => string.CompareOrdinal(right, left)));
        foreach (string key in FolderSnapshot.Enumerate(folder, (ref FileSystemEntry entry) =>
            string.Concat(before, entry.FileName, options.Recursive && FolderSnapshot.IsFolder(entry) ? "/" : "")))
        {
            cancellationToken.ThrowIfCancellationRequested();
            if ((from is not null && string.CompareOrdinal(key, from) <= 0) || !IsWanted(key))
            {
                continue;
            }

            largestFirst.Enqueue(key, key);
            if (largestFirst.Count > options.PageSize + 1)
            {
                largestFirst.Dequeue();
            }
        }

        var batch = new List<string>(largestFirst.Count);
        while (largestFirst.TryDequeue(out string? key, out _))
        {
            batch.Add(key);
        }

        batch.Reverse();
        return batch;
    }

    private bool IsWanted(string key)
    {
        string after = options.After.Value;
        if (key[^1] != '/')
        {
            return key.StartsWith(_prefix, StringComparison.Ordinal) && string.CompareOrdinal(key, after) > 0;
        }

        // A folder to enter, unless all its names are before the start of the page or have another prefix.
        return (key.StartsWith(_prefix, StringComparison.Ordinal) || _prefix.StartsWith(key, StringComparison.Ordinal))
            && (string.CompareOrdinal(key, after) > 0 || after.StartsWith(key, StringComparison.Ordinal));
    }

    /// <param name="folder">The folder.</param>
    /// <param name="key">The whole name, with a trailing slash if a recursive listing goes into it.</param>
    /// <param name="start">Where the name in the folder begins.</param>
    /// <param name="cancellationToken">Ends the listing.</param>
    private async ValueTask TakeAsync(StoreFolder folder, string key, int start, CancellationToken cancellationToken)
    {
        string text = key.TrimEnd('/');
        string fileName = text[start..];
        if (!TransferName.TryParse(text, out TransferName name) || !store.Names.Has(name))
        {
            _omitted += new OmittedEntries { Names = NameRules.IsOfStore(fileName) ? 0 : 1 };
            return;
        }

        if (folder.TryLook(fileName, out FileFacts facts, out bool isFolder, out bool isLink))
        {
            if (isFolder && options.Recursive)
            {
                await EnterAsync(name, cancellationToken);
                return;
            }

            FileEntry? entry = isLink && options.SymbolicLinks
                ? LocalLinks.TryRead(tree, folder, name, fileName) is { } target
                    ? new FileEntry(name, facts.ToFile(name, digest: null), facts.ModifiedTime) { LinkTarget = target }
                    : null
                : isFolder
                ? new FileEntry(name, File: null, facts.ModifiedTime)
                : isLink || store.Watch.IsNew(facts, out _)
                    ? await OpenAsync(name, isLink ? default : facts, cancellationToken)
                    : facts.IsRegular ? Describe(name, facts) : null;
            if (entry is { } found)
            {
                Add(found);
                return;
            }

            _omitted += new OmittedEntries { Kinds = folder.Lacks(fileName) ? 0 : 1 };
            return;
        }

        _omitted += new OmittedEntries { Unreadable = folder.Lacks(fileName) ? 0 : 1 };
    }

    private async ValueTask EnterAsync(TransferName name, CancellationToken cancellationToken)
    {
        try
        {
            using StoreFolder? folder = tree.TryOpenFolder(name);
            if (folder is not null)
            {
                await WalkAsync(folder, name, cancellationToken);
            }
        }
        catch (Exception exception) when (exception is TransferException or UnauthorizedAccessException)
        {
            // It may not be read, or is a link by now: the listing reports that something is missing.
            _omitted += new OmittedEntries { Unreadable = 1 };
        }
    }

    private void Add(in FileEntry entry)
    {
        if (_page.Count == options.PageSize)
        {
            _more = true;
            return;
        }

        _page.Add(entry);
        _omittedBefore = _omitted;
    }

    private FileEntry Describe(TransferName name, in FileFacts facts) =>
        new(name, facts.ToFile(name, options.OmitDigests ? null : store.Digests.TryRead(name, facts)?.Sha256), facts.ModifiedTime);

    /// <summary>For a link, and for a file that was changed just now.</summary>
    private async ValueTask<FileEntry?> OpenAsync(TransferName name, FileFacts found, CancellationToken cancellationToken)
    {
        try
        {
            using SafeFileHandle? file = tree.TryOpenFile(name, out FileFacts opened);
            if (file is not null)
            {
                return _waits++ < MaxWaits && await store.Watch.LookAsync(file, opened, cancellationToken) is { } facts
                    ? Describe(name, facts)
                    : Unsettled(name, tree.Look(file));
            }
        }
        catch (TransferException)
        {
            // It may not be read, of which a request for its name gets the error; or it leads out.
            return found.IsRegular ? Unsettled(name, found) : null;
        }

        if (options.Recursive)
        {
            return null;
        }

        try
        {
            using StoreFolder? folder = tree.TryOpenFolder(name);
            return folder is not null && folder.TryLook(".", out FileFacts linked, out _, out _)
                ? new FileEntry(name, File: null, linked.ModifiedTime)
                : null;
        }
        catch (TransferException)
        {
            return null;
        }
    }

    private static FileEntry Unsettled(TransferName name, in FileFacts facts) =>
        new(name, VersionWatch.Unsettled(facts, name), facts.ModifiedTime);
}
