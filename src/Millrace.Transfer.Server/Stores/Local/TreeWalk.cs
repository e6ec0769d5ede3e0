using System.Diagnostics;
using System.IO.Enumeration;

namespace Millrace.Transfer.Server;

/// <summary>Visits the names below a folder, the nearest first, a slice of time at a time. Links are not followed. Not thread-safe.</summary>
/// <remarks>Names are read without looking at the files, and none is copied unless a derived class wants it.</remarks>
internal abstract class TreeWalk(LocalStore store, StoreTree tree, TransferName top) : IDisposable
{
    /// <summary>Characters of the names of folders that are still to be read.</summary>
    /// <remarks>More than folders made by hand ever need; a search takes at most 16 MiB for them.</remarks>
    private const int MaxPending = 8 * 1024 * 1024;

    /// <summary>Names after which the walk looks at the clock.</summary>
    private const int Stride = 256;

    /// <summary>For how long a caller walks before it is another one's turn.</summary>
    private static readonly TimeSpan Slice = TimeSpan.FromMilliseconds(2);

    private readonly Queue<string> _pending = new([top.Value]);
    private int _pendingLength;
    private StoreFolder? _folder;
    private string _before = "";
    private IEnumerator<(string? Name, bool IsFolder)>? _entries;
    private bool _began;

    public bool IsDone { get; private set; }

    /// <summary>Names that were visited.</summary>
    public long Visited { get; private set; }

    /// <summary>Entries that were not visited, or with everything below them.</summary>
    public int Omitted { get; private set; }

    protected LocalStore Store => store;

    protected StoreTree Tree => tree;

    /// <summary>Goes on until a slice of time has passed, or <see cref="IsFull"/>, or the end.</summary>
    /// <exception cref="TransferException">There is no such folder.</exception>
    public void Advance(CancellationToken cancellationToken)
    {
        long began = Stopwatch.GetTimestamp();
        while (!IsFull && Stopwatch.GetElapsedTime(began) < Slice)
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (_entries is null && !EnterNext())
            {
                IsDone = true;
                return;
            }

            Read();
        }
    }

    public void Dispose() => Leave();

    /// <summary>Whether there is enough to report.</summary>
    protected abstract bool IsFull { get; }

    /// <summary>Whether a name is of interest.</summary>
    protected abstract bool Wants(ReadOnlySpan<char> name);

    /// <summary>Takes a name that is of interest.</summary>
    protected abstract void Take(StoreFolder folder, TransferName name, string fileName);

    /// <summary>Counts a name that cannot be reported, or a folder that cannot be entered.</summary>
    protected void Omit() => Omitted++;

    /// <summary>Opens the next folder.</summary>
    /// <returns>False at the end.</returns>
    private bool EnterNext()
    {
        while (_pending.TryDequeue(out string? text))
        {
            _pendingLength -= text.Length;
            bool isTop = !_began;
            _began = true;
            TransferName name = text.Length == 0 ? default : TransferName.Parse(text);
            try
            {
                _folder = tree.TryOpenFolder(name);
                if (_folder is not null)
                {
                    _before = name.IsRoot ? "" : name.Value + "/";
                    _entries = Enumerate(_folder).GetEnumerator();
                    return true;
                }

                if (isTop)
                {
                    throw Errors.NoFolder(name);
                }
            }
            catch (UnauthorizedAccessException exception) when (isTop)
            {
                Leave();
                throw Errors.Translate(exception, "search", name);
            }
            catch (Exception exception) when (!isTop && exception is TransferException or UnauthorizedAccessException or IOException)
            {
                // It may not be read, or is a link by now.
                Leave();
                Omit();
            }
        }

        return false;
    }

    private FileSystemEnumerable<(string? Name, bool IsFolder)> Enumerate(StoreFolder folder)
    {
        FileSystemEnumerable<(string? Name, bool IsFolder)> entries = FolderSnapshot.Enumerate<(string? Name, bool IsFolder)>(
            folder,
            (ref FileSystemEntry entry) => FolderSnapshot.IsFolder(entry) ? (entry.FileName.ToString(), true)
                : Wants(entry.FileName) ? (entry.FileName.ToString(), false)
                : default);
        entries.ShouldIncludePredicate = (ref FileSystemEntry entry) =>
            ++Visited % Stride == 0 || FolderSnapshot.IsFolder(entry) || Wants(entry.FileName);
        return entries;
    }

    /// <summary>Reads the open folder until a name is of interest, or the clock is due.</summary>
    private void Read()
    {
        try
        {
            if (!_entries!.MoveNext())
            {
                Leave();
                return;
            }

            if (_entries.Current is ({ } fileName, var isFolder))
            {
                Visit(fileName, isFolder);
            }
        }
        catch (Exception exception) when (exception is IOException and not TransferException or UnauthorizedAccessException)
        {
            // It was deleted meanwhile, or may not be read.
            Leave();
            Omit();
        }
    }

    private void Visit(string fileName, bool isFolder)
    {
        if (NameRules.IsOfStore(fileName))
        {
            return;
        }

        if (!TransferName.TryParse(string.Concat(_before, fileName), out TransferName name) || !store.Names.Has(name))
        {
            Omit();
            return;
        }

        if (isFolder)
        {
            if (_pendingLength + name.Value.Length > MaxPending)
            {
                Omit();
            }
            else
            {
                _pending.Enqueue(name.Value);
                _pendingLength += name.Value.Length;
            }
        }

        if (!isFolder || Wants(fileName))
        {
            Take(_folder!, name, fileName);
        }
    }

    private void Leave()
    {
        _entries?.Dispose();
        _folder?.Dispose();
        (_entries, _folder) = (null, null);
    }
}

/// <summary>Finds names that contain the words of a query.</summary>
internal sealed class NameWalk(LocalStore store, StoreTree tree, TransferName top, NameQuery query) : TreeWalk(store, tree, top)
{
    /// <summary>Entries that are reported together.</summary>
    private const int MaxFound = 100;

    private List<FileEntry> _found = [];

    protected override bool IsFull => _found.Count >= MaxFound;

    /// <summary>The results since the last call.</summary>
    public SearchPage TakePage()
    {
        var page = new SearchPage(_found, Visited) { Omitted = Omitted };
        _found = [];
        return page;
    }

    protected override bool Wants(ReadOnlySpan<char> name) => query.Matches(name);

    protected override void Take(StoreFolder folder, TransferName name, string fileName)
    {
        if (Describe(folder, name, fileName) is { } entry)
        {
            _found.Add(entry);
        }
    }

    private FileEntry? Describe(StoreFolder folder, TransferName name, string fileName)
    {
        if (!folder.TryLook(fileName, out FileFacts facts, out bool isFolder, out bool isLink))
        {
            return null;
        }

        if (isLink && !TryFollow(name, out facts, out isFolder))
        {
            return null;
        }

        return isFolder ? new FileEntry(name, File: null, facts.ModifiedTime)
            : !facts.IsRegular ? null
            : new FileEntry(
                name,
                Store.Watch.IsNew(facts, out _) ? VersionWatch.Unsettled(facts, name) : facts.ToFile(name, digest: null),
                facts.ModifiedTime);
    }

    /// <summary>A link to a file or folder of the store is listed as that.</summary>
    private bool TryFollow(TransferName link, out FileFacts facts, out bool isFolder)
    {
        isFolder = false;
        if (Tree.TryLook(link) is { } file)
        {
            facts = file;
            return true;
        }

        facts = default;
        try
        {
            using StoreFolder? folder = Tree.TryOpenFolder(link);
            return folder is not null && folder.TryLook(".", out facts, out isFolder, out _);
        }
        catch (TransferException)
        {
            // It leads out, or may not be read.
            return false;
        }
    }
}

/// <summary>Adds up the files.</summary>
internal sealed class UsageWalk(LocalStore store, StoreTree tree, TransferName top) : TreeWalk(store, tree, top)
{
    private long _files;
    private long _folders;
    private long _bytes;

    public FolderUsage Usage => new(_files, _folders, _bytes) { Omitted = Omitted };

    protected override bool IsFull => false;

    protected override bool Wants(ReadOnlySpan<char> name) => true;

    /// <summary>A link is neither a file nor a folder here: its target is counted in its own folder.</summary>
    protected override void Take(StoreFolder folder, TransferName name, string fileName)
    {
        if (!folder.TryLook(fileName, out FileFacts facts, out bool isFolder, out _))
        {
            return;
        }

        if (isFolder)
        {
            _folders++;
        }
        else if (facts.IsRegular)
        {
            _files++;
            _bytes += facts.Length;
        }
    }
}
