using System.IO.Enumeration;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Transfer.Server;

/// <summary>Creates one page of a listing. Used once.</summary>
internal sealed class FileLister(
    StoreTree tree, VersionWatch watch, DigestRecords digests, ListFilesOptions options)
{
    private readonly List<FileEntry> _page = [];
    private readonly string _prefix = options.Folder.IsRoot
        ? options.Prefix ?? ""
        : $"{options.Folder.Value}/{options.Prefix}";

    private bool _more;

    private static EnumerationOptions OneFolder { get; } = new()
    {
        AttributesToSkip = FileAttributes.None,
        IgnoreInaccessible = false,
        ReturnSpecialDirectories = false,
    };

    public async ValueTask<FilePage> ListAsync(StoreFolder folder, CancellationToken cancellationToken)
    {
        await WalkAsync(folder, options.Folder, cancellationToken);
        return new FilePage(_page, _more ? _page[^1].Name : default);
    }

    /// <summary>
    /// Visits a folder in the order of the full names: in a recursive listing, a folder is sorted as its name with a slash, where
    /// the names in it begin.
    /// </summary>
    private async ValueTask WalkAsync(StoreFolder folder, TransferName name, CancellationToken cancellationToken)
    {
        string? from = null;
        List<(string Key, string FileName)> batch;
        do
        {
            cancellationToken.ThrowIfCancellationRequested();
            batch = Next(folder, name, from);
            foreach ((string key, string fileName) in batch)
            {
                if (TransferName.TryParse(key.TrimEnd('/'), out TransferName entry))
                {
                    await TakeAsync(folder, entry, fileName, cancellationToken);
                }

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
    private List<(string Key, string FileName)> Next(StoreFolder folder, TransferName name, string? from)
    {
        string before = name.IsRoot ? "" : name.Value + "/";
        var largestFirst = new PriorityQueue<(string Key, string FileName), string>(
            Comparer<string>.Create(static (left, right) => string.CompareOrdinal(right, left)));
        var entries = new FileSystemEnumerable<(string FileName, bool IsFolder)>(
            folder.PathOf(""),
            static (ref FileSystemEntry entry) => (entry.FileName.ToString(), IsFolder(entry)),
            OneFolder);
        foreach ((string fileName, bool isFolder) in entries)
        {
            string key = before + fileName + (isFolder && options.Recursive ? "/" : "");
            if ((from is not null && string.CompareOrdinal(key, from) <= 0) || !IsWanted(key))
            {
                continue;
            }

            largestFirst.Enqueue((key, fileName), key);
            if (largestFirst.Count > options.PageSize + 1)
            {
                largestFirst.Dequeue();
            }
        }

        var batch = new List<(string Key, string FileName)>(largestFirst.Count);
        while (largestFirst.TryDequeue(out (string Key, string FileName) entry, out _))
        {
            batch.Add(entry);
        }

        batch.Reverse();
        return batch;
    }

    /// <summary>A link does not count as a folder here: its target is looked at later.</summary>
    private static bool IsFolder(in FileSystemEntry entry) =>
        entry.IsDirectory && !entry.Attributes.HasFlag(FileAttributes.ReparsePoint);

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

    private async ValueTask TakeAsync(
        StoreFolder folder, TransferName name, string fileName, CancellationToken cancellationToken)
    {
        if (!folder.TryLook(fileName, out FileFacts facts, out bool isFolder, out bool isLink))
        {
            return;
        }

        if (isFolder && options.Recursive)
        {
            using StoreFolder? below = TryOpenFolder(name);
            if (below is not null)
            {
                await WalkAsync(below, name, cancellationToken);
            }

            return;
        }

        FileEntry? entry = isFolder
            ? new FileEntry(name, File: null, facts.ModifiedTime)
            : isLink || watch.IsNew(facts, out _)
                ? await OpenAsync(name, cancellationToken)
                : facts.IsRegular ? Describe(name, facts) : null;
        if (entry is { } found)
        {
            Add(found);
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
    }

    private FileEntry Describe(TransferName name, in FileFacts facts) =>
        new(name, facts.ToFile(name, digests.TryRead(name, facts)), facts.ModifiedTime);

    /// <summary>For a link, and for a file that was changed just now.</summary>
    private async ValueTask<FileEntry?> OpenAsync(TransferName name, CancellationToken cancellationToken)
    {
        try
        {
            using SafeFileHandle? file = tree.TryOpenFile(name);
            if (file is not null)
            {
                return await watch.LookAsync(file, cancellationToken) is { } facts
                    ? Describe(name, facts)
                    : Unsettled(name, tree.Look(file));
            }
        }
        catch (TransferException)
        {
            // It leads out, or may not be read: a request for its name gets the error.
            return null;
        }

        if (options.Recursive)
        {
            return null;
        }

        using StoreFolder? folder = TryOpenFolder(name);
        return folder is not null && folder.TryLook(".", out FileFacts linked, out _, out _)
            ? new FileEntry(name, File: null, linked.ModifiedTime)
            : null;
    }

    private static FileEntry Unsettled(TransferName name, in FileFacts facts) =>
        new(name, VersionWatch.Unsettled(facts, name), facts.ModifiedTime);

    private StoreFolder? TryOpenFolder(TransferName name)
    {
        try
        {
            return tree.TryOpenFolder(name);
        }
        catch (TransferException)
        {
            return null;
        }
    }
}
