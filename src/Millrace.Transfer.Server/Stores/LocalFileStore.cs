using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Transfer.Server;

/// <summary>
/// A store in a folder: names are paths below it, everything is published by <see cref="FilePipeWriter.CommitAsync"/>, and
/// uploads and digests are kept in <c>.millrace</c>. See docs/store.md.
/// </summary>
/// <remarks>
/// One instance a folder: another one, of any process, is refused while this is open. Others may read, place, change and
/// delete files by hand; what they do is noticed, but preconditions hold them off no more than any program does.
/// </remarks>
public sealed partial class LocalFileStore : IFileStore, IAsyncDisposable
{
    /// <summary>Listings that run at once, at most.</summary>
    /// <remarks>More of them would only compete for the device.</remarks>
    private const int MaxListings = 4;

    private readonly ReadLoad _load = new();
    private readonly VersionWatch _watch;
    private readonly DigestRecords _digests;
    private readonly KnownFiles _known = new();
    private readonly DigestWork _work;
    private readonly FolderSnapshots _snapshots;
    private readonly SemaphoreSlim _listing = new(Math.Clamp(Environment.ProcessorCount - 1, 1, MaxListings));
    private readonly SafeFileHandle _lock;
    private readonly CancellationTokenSource _end = new();
    private readonly Task _upkeep;
    private readonly LocalFileStore _whole;
    private StoreTree _tree;
    private int _disposed;

    /// <summary>Opens the store of a folder.</summary>
    /// <param name="root">The folder; it has to exist.</param>
    /// <param name="options">Options; null for the defaults.</param>
    /// <exception cref="DirectoryNotFoundException">There is no such folder.</exception>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.Failed"/>: the folder is open as a store already, or the store cannot write to it.
    /// </exception>
    public LocalFileStore(string root, LocalFileStoreOptions? options = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(root);
        Root = Path.TrimEndingDirectorySeparator(Path.GetFullPath(root));
        Options = options ?? new LocalFileStoreOptions();
        if (!Directory.Exists(Root))
        {
            throw new DirectoryNotFoundException($"There is no folder '{Root}'. Create it, or name another one.");
        }

        string hidden = Path.Combine(Root, NameRules.HiddenFolder);
        _uploadsPath = Path.Combine(hidden, "uploads");
        _lock = Prepare(hidden);
        try
        {
            StoreTree? native = NativeFeatures.Linux && !Options.Portable ? NativeTree.TryCreate(Root) : null;
            Native = native is not null;
            _tree = native ?? new PortableTree(Root, NativeFeatures.Linux && !Options.Portable);
            _watch = new VersionWatch(_tree, NativeFeatures.Linux && !Options.Portable);
            _snapshots = new FolderSnapshots(_watch, Options.SnapshotBytes);
            _digests = new DigestRecords(Path.Combine(hidden, "digests"));
            _work = new DigestWork(_tree, _digests, Options.CheapDigestBytes);
            Limits = new StoreLimits(Options, Root, CountFiles);
            Counts = new UploadCounts(Options);
            _whole = this;
            LoadUploads();
            if (!Native)
            {
                // The framework creates a file and locks it in two steps, and what comes in between would be cleaned away.
                CleanUp();
            }

            _upkeep = Task.Run(UpkeepAsync);
        }
        catch
        {
            _lock.Dispose();
            throw;
        }
    }

    /// <summary>The folder, as an absolute path.</summary>
    public string Root { get; }

    /// <summary>The options.</summary>
    public LocalFileStoreOptions Options { get; }

    /// <inheritdoc/>
    public long? MaxFileBytes => Options.MaxFileBytes;

    /// <summary>Whether the kernel resolves names, so that nobody can swap a link in meanwhile.</summary>
    internal bool Native { get; }

    internal NameLocks Locks { get; } = new();

    internal StoreLimits Limits { get; }

    internal UploadCounts Counts { get; }

    internal string UploadsPath => _uploadsPath;

    internal DigestRecords Digests => _digests;

    internal DigestWork Work => _work;

    internal FolderSnapshots Snapshots => _snapshots;

    /// <inheritdoc/>
    /// <remarks>Below the prefix, the kernel decides by the folder that it has opened, where there is such a call.</remarks>
    public IFileStore Within(TransferName prefix)
    {
        if (prefix.IsRoot)
        {
            return this;
        }

        // All that one store has, seen through another tree.
        var confined = (LocalFileStore)MemberwiseClone();
        confined._tree = _tree.Within(prefix);
        confined._disposed = 1;
        return confined;
    }

    /// <summary>Stops the background work and releases the folder. Dispose readers and writers before.</summary>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0)
        {
            return;
        }

        await _end.CancelAsync();
        await _upkeep.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await _work.DisposeAsync();
        foreach (LocalUpload upload in _uploads.Values)
        {
            upload.Dispose();
        }

        _tree.Dispose();
        _snapshots.Dispose();
        _listing.Dispose();
        Locks.Dispose();
        _expiring.Dispose();
        Limits.Dispose();
        _end.Dispose();
        _lock.Dispose();
    }

    private SafeFileHandle Prepare(string hidden)
    {
        try
        {
            bool isNew = !Directory.Exists(hidden);
            Directory.CreateDirectory(hidden);
            if (isNew && !OperatingSystem.IsWindows())
            {
                // Uploads are private to their owners.
                File.SetUnixFileMode(hidden, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
            }

            if (new DirectoryInfo(hidden).LinkTarget is not null)
            {
                throw new TransferException(
                    TransferError.Failed, $"'{hidden}' is a link. The store keeps its own files there; remove the link.");
            }

            Directory.CreateDirectory(_uploadsPath);

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
                    ? $"The folder '{Root}' is open as a store already, in this process or another. Close that one first."
                    : $"The folder '{Root}' cannot be a store: {exception.Message} Its user has to be able to write to it.",
                innerException: exception);
        }
    }
}
