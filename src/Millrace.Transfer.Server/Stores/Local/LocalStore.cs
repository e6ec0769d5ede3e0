using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Transfer.Server;

/// <summary>
/// The folder of a <see cref="LocalFileStore"/> and its state in memory, shared by all callers, whatever part of it they may use.
/// Thread-safe.
/// </summary>
internal sealed class LocalStore : IAsyncDisposable
{
    /// <summary>Listings that run at once, at most.</summary>
    /// <remarks>More of them would only compete for the device.</remarks>
    private const int MaxListings = 4;

    private readonly SafeFileHandle? _lock;
    private int _exchanges;
    private int _moves;
    private int _batchHandles;

    /// <summary>Takes the folder.</summary>
    /// <exception cref="DirectoryNotFoundException">There is no such folder.</exception>
    /// <exception cref="ArgumentException">The options have a folder for the state of a store that writes.</exception>
    /// <exception cref="TransferException"><see cref="TransferError.Failed"/>: it is in use, or cannot be written to; <see cref="TransferError.InvalidRequest"/>: clients could read its state.</exception>
    public LocalStore(string root, LocalFileStoreOptions options)
    {
        Root = Path.TrimEndingDirectorySeparator(Path.GetFullPath(root));
        Options = options;
        if (!Directory.Exists(Root))
        {
            throw new DirectoryNotFoundException($"There is no folder '{Root}'. Create it, or name another one.");
        }

        if (options.StatePath is not null && !options.ReadOnly)
        {
            throw new ArgumentException("Only a read-only store keeps its state elsewhere: received files have to be on the file system of their folder.", nameof(options));
        }

        _lock = options.KeepsState ? Prepare() : null;
        try
        {
            Names = FollowsWindows() ? AllowedNames.Portable : options.Names;
            bool mayBeNative = NativeFeatures.Linux && !options.Portable;
            StoreTree? native = mayBeNative ? NativeTree.TryCreate(Root, options.FolderMode) : null;
            Native = native is not null;
            Tree = native ?? new PortableTree(Root, mayBeNative) { FolderMode = options.FolderMode };
            Watch = new VersionWatch(Tree, mayBeNative);
            Snapshots = new FolderSnapshots(Watch, options.SnapshotBytes);
            Known = new KnownFiles(options.TimeProvider);
            Digests = new DigestRecords(options.KeepsState ? Path.Combine(HiddenPath, "digests") : null);
            Work = new DigestWork(Tree, Digests, options.CheapDigestBytes, MaxCachedBytes);
            Limits = new StoreLimits(options, Root, CountFiles);
            Trash = options is { TrashLifetime: { } lifetime, ReadOnly: false } ? new LocalTrash(this, lifetime) : null;
            Limits.MakeRoom = Trash is null ? null : Trash.MakeRoom;
            Counts = new UploadCounts(options);
            Documents = options.KeepsState ? new LocalDocuments(HiddenPath, options.Durability) : null;
        }
        catch
        {
            _lock?.Dispose();
            throw;
        }
    }

    public string Root { get; }

    public LocalFileStoreOptions Options { get; }

    /// <summary>The names that are files and folders here.</summary>
    public AllowedNames Names { get; }

    public string UploadsPath => Path.Combine(HiddenPath, "uploads");

    /// <summary>Where deleted folders are until all in them is deleted.</summary>
    public string RemovedPath => Path.Combine(HiddenPath, "removed");

    /// <summary>Whether the kernel resolves names, so that no program can swap a link in meanwhile.</summary>
    public bool Native { get; }

    /// <summary>All of the folder.</summary>
    public StoreTree Tree { get; }

    public VersionWatch Watch { get; }

    public FolderSnapshots Snapshots { get; }

    public DigestRecords Digests { get; }

    public DigestWork Work { get; }

    public KnownFiles Known { get; }

    public ReadLoad Load { get; } = new();

    public long MaxCachedBytes => Options.MaxCachedHere;

    public NameLocks Locks { get; } = new();

    /// <summary>How often folders have been exchanged: a file opened before may have another name now.</summary>
    public int Exchanges => Volatile.Read(ref _exchanges);

    /// <summary>How often folders have been moved, deleted or exchanged: one that was opened before may have another name, or none.</summary>
    public int Moves => Volatile.Read(ref _moves);

    /// <summary>Files and folders that the batches of all callers hold open.</summary>
    public int BatchHandles => Volatile.Read(ref _batchHandles);

    public SemaphoreSlim Listings { get; } = new(Math.Clamp(Environment.ProcessorCount - 1, 1, MaxListings));

    public StoreLimits Limits { get; }

    public UploadCounts Counts { get; }

    /// <summary>Null if nothing is kept.</summary>
    public LocalDocuments? Documents { get; }

    /// <summary>Where copies are until they get their names.</summary>
    public string CopiesPath => Path.Combine(HiddenPath, "copies");

    /// <summary>Where the outbox of events is.</summary>
    public string EventsPath => Path.Combine(HiddenPath, "events");

    /// <summary>Null if deleted files are not kept.</summary>
    public LocalTrash? Trash { get; }

    /// <summary>The folder for everything that the store keeps, if it keeps anything.</summary>
    private string HiddenPath => StateFolder.Of(Root, Options.StatePath);

    /// <summary>Opens a folder of the store's own.</summary>
    public StoreFolder OpenOwn(string path) => Native ? new NativeFolder(Folder.Open(path)) : new PortableFolder(path, native: false);

    /// <summary>Counts an exchange that was done: what is opened later is where its name leads.</summary>
    public void CountExchange()
    {
        Interlocked.Increment(ref _exchanges);
        CountMove();
    }

    /// <summary>Counts a move or deletion of a folder that was done.</summary>
    public void CountMove() => Interlocked.Increment(ref _moves);

    public void AddBatchHandles(int count) => Interlocked.Add(ref _batchHandles, count);

    /// <summary>Lets others open the folder, after a start that failed.</summary>
    public void Unlock() => _lock?.Dispose();

    public async ValueTask DisposeAsync()
    {
        await Work.DisposeAsync();
        Tree.Dispose();
        Snapshots.Dispose();
        Listings.Dispose();
        Locks.Dispose();
        Limits.Dispose();
        Documents?.Dispose();
        _lock?.Dispose();
    }

    private SafeFileHandle Prepare()
    {
        string hidden = HiddenPath;
        try
        {
            bool isNew = !Directory.Exists(hidden);
            Directory.CreateDirectory(hidden);
            if (isNew && !OperatingSystem.IsWindows())
            {
                // Uploads are private to their owners.
                File.SetUnixFileMode(hidden, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
            }

            if (Options.StatePath is null && new DirectoryInfo(hidden).LinkTarget is not null)
            {
                throw new TransferException(
                    TransferError.Failed, $"'{hidden}' is a link. The store keeps its own files there; remove the link.");
            }

            if (Options.ReadOnly)
            {
                StateFolder.ThrowIfServed(hidden, Root);
            }
            else
            {
                Directory.CreateDirectory(UploadsPath);
            }

            // An exclusive lock of the framework; the system releases it when the process dies.
            return File.OpenHandle(
                Path.Combine(hidden, "lock"), FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
        }
        catch (Exception exception)
            when (exception is IOException and not TransferException or UnauthorizedAccessException)
        {
            throw new TransferException(
                TransferError.Failed,
                SystemError.IsSharing(exception)
                    ? $"Another Millrace server, or another store of this one, uses the folder '{(Options.StatePath is null ? Root : hidden)}' already. Stop that one first."
                    : Options.ReadOnly ? $"The folder '{hidden}' cannot keep what the server has to remember: {exception.Message} Its user has to be able to write to it."
                    : $"The folder '{Root}' cannot be a store: {exception.Message} Its user has to be able to write to it.",
                innerException: exception);
        }
    }

    /// <summary>
    /// Whether the folder is kept by Windows' rules: by Windows, or on FAT, for example, where <c>a.</c> is another spelling of <c>a</c>.
    /// A file has one spelling.
    /// </summary>
    private bool FollowsWindows() =>
        OperatingSystem.IsWindows() || (Options.ReadOnly ? IsFoundWithDot(Root) : Directory.Exists(Path.Combine(HiddenPath, "uploads.")));

    /// <summary>Whether a file of the folder is also found by another spelling of its name.</summary>
    private static bool IsFoundWithDot(string root)
    {
        try
        {
            string? any = Directory.EnumerateFileSystemEntries(root).FirstOrDefault();
            return any is not null && Path.Exists(any + ".") && !Directory.EnumerateFileSystemEntries(root).Contains(any + ".");
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // A folder that cannot be listed has no names to spell.
            return false;
        }
    }

    public string TrashPath => Path.Combine(HiddenPath, "trash");

    /// <summary>Bytes of all published files, and of deleted ones that still exist.</summary>
    private long CountFiles() =>
        FolderWalk.Enumerate(Root, Native, except: NameRules.HiddenFolder).Sum(static entry => entry.CountedBytes)
        + FolderWalk.Enumerate(RemovedPath, Native).Sum(static entry => entry.CountedBytes)
        + FolderWalk.Enumerate(TrashPath, Native).Sum(static entry => entry.CountedBytes);
}
