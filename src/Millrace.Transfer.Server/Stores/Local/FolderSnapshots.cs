using System.Diagnostics;

namespace Millrace.Transfer.Server;

/// <summary>
/// Keeps the names of large folders between the pages of a listing: otherwise every page reads all of them. Thread-safe.
/// </summary>
internal sealed class FolderSnapshots : IDisposable
{
    /// <summary>Bytes of all snapshots together.</summary>
    /// <remarks>A million names of 14 characters take 36 MiB.</remarks>
    public const long MaxBytes = 96L * 1024 * 1024;

    /// <summary>Names from which a folder is large.</summary>
    /// <remarks>A page of <see cref="ListFilesOptions.DefaultPageSize"/> has all of a smaller one.</remarks>
    private const int MinNames = ListFilesOptions.DefaultPageSize;

    /// <summary>How many times as long as its reading took a snapshot of a folder that has changed is good for further pages.</summary>
    /// <remarks>A twentieth of the time is spent on reading then, however often names come and go.</remarks>
    private const int Worth = 20;

    /// <summary>How long an unused snapshot is kept.</summary>
    private static readonly TimeSpan Idle = TimeSpan.FromSeconds(30);

    private readonly Lock _lock = new();
    private readonly Dictionary<(string Folder, bool Recursive), Kept> _kept = [];
    private readonly VersionWatch _watch;
    private readonly long _maxBytes;
    private readonly Timer _timer;
    private int _reads;

    public FolderSnapshots(VersionWatch watch, long maxBytes)
    {
        _watch = watch;
        _maxBytes = maxBytes;
        _timer = new Timer(static state => ((FolderSnapshots)state!).Drop(Idle), this, Idle, Idle);
    }

    /// <summary>How often a folder was read; for tests.</summary>
    internal int Reads => Volatile.Read(ref _reads);

    /// <summary>Returns the names of a folder.</summary>
    /// <param name="folder">The open folder.</param>
    /// <param name="name">Its name.</param>
    /// <param name="recursive">Whether folders in it are sorted as the names in them are.</param>
    /// <param name="continues">Whether an earlier page was made from older names, so that names which have come since may be missing.</param>
    /// <param name="cancellationToken">Cancels reading the folder.</param>
    /// <returns>Null when they are too many.</returns>
    public FolderSnapshot? Find(
        StoreFolder folder, TransferName name, bool recursive, bool continues, CancellationToken cancellationToken)
    {
        // Before the names: a file added while they are read changes it.
        bool isThere = folder.TryLook(".", out FileFacts version, out _, out _);
        (string, bool) key = (name.Value, recursive);
        lock (_lock)
        {
            if (isThere && _kept.TryGetValue(key, out Kept? kept) && IsGood(kept, version, continues))
            {
                kept.UsedAt = Stopwatch.GetTimestamp();
                return kept.Snapshot;
            }
        }

        bool isSettled = version != default && !_watch.IsNew(version, out _);
        Interlocked.Increment(ref _reads);
        FolderSnapshot? snapshot = FolderSnapshot.TryRead(folder, recursive, _maxBytes, cancellationToken);
        if (snapshot is null or { Count: >= MinNames })
        {
            Keep(key, new Kept(snapshot, version, isSettled));
        }

        return snapshot;
    }

    public void Dispose() => _timer.Dispose();

    private static bool IsGood(Kept kept, in FileFacts version, bool continues) =>
        (kept.IsSettled && kept.Version == version)
        || (continues && kept.Snapshot is { } snapshot
            && kept.Version.Device == version.Device && kept.Version.Inode == version.Inode
            && Stopwatch.GetElapsedTime(kept.ReadAt) < snapshot.Effort * Worth);

    private void Keep((string Folder, bool Recursive) key, Kept kept)
    {
        lock (_lock)
        {
            _kept[key] = kept;
            while (_kept.Values.Sum(static one => one.Bytes) > _maxBytes)
            {
                _kept.Remove(_kept.MinBy(static one => one.Value.UsedAt).Key);
            }
        }
    }

    private void Drop(TimeSpan idle)
    {
        lock (_lock)
        {
            foreach ((var key, Kept kept) in _kept)
            {
                if (Stopwatch.GetElapsedTime(kept.UsedAt) >= idle)
                {
                    _kept.Remove(key);
                }
            }
        }
    }

    /// <param name="Snapshot">Null for a folder with too many names.</param>
    /// <param name="Version">The folder's facts before it was read.</param>
    /// <param name="IsSettled">Whether every later change of the folder gives it other facts.</param>
    private sealed record Kept(FolderSnapshot? Snapshot, FileFacts Version, bool IsSettled)
    {
        public long ReadAt { get; } = Stopwatch.GetTimestamp();

        public long UsedAt { get; set; } = Stopwatch.GetTimestamp();

        public long Bytes => Snapshot?.Bytes ?? 0;
    }
}
