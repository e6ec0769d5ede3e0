using System.Collections.Frozen;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Text.Json;

namespace Millrace.Transfer.Server;

/// <summary>
/// The locks of a store, which every protocol asks before it changes something. All are in one document, so that two servers of a bucket cannot
/// give conflicting ones; a server sees another's within a second. Where there are none, a request reads one field. Thread-safe.
/// </summary>
[SuppressMessage("Design", "CA1001:Types that own disposable fields should be disposable", Justification = "A semaphore without a wait handle holds nothing.")]
internal sealed class WriteLocks(IStoreDocuments documents)
{
    /// <summary>Locks of a store.</summary>
    /// <remarks>The document is written for each change: a few milliseconds for so many.</remarks>
    public const int MaxLocks = 5000;

    /// <summary>Locks of one caller, so that one does not leave others without any.</summary>
    public const int MaxLocksPerCaller = 2500;

    /// <summary>Bytes of all locks together.</summary>
    private const int MaxBytes = 4 * 1024 * 1024;

    private const string Key = "locks";
    private const int MaxTries = 30;

    /// <summary>How long a lock of another server is not seen.</summary>
    private static readonly TimeSpan Fresh = TimeSpan.FromSeconds(1);

    private readonly SemaphoreSlim _changing = new(1, 1);

    /// <summary>Publications that have begun, by whether their number is odd or even: a new lock waits for those before it.</summary>
    private readonly int[] _publishing = new int[2];
    private volatile int _epoch;
    private volatile Index? _index;
    private long _looked;

    /// <summary>Whether a lock may be in force, or it is not known: then <see cref="LookAsync"/> finds out.</summary>
    public bool MayHaveAny =>
        _index is not { } known || !known.IsEmpty
        || (documents.IsShared && Stopwatch.GetElapsedTime(Volatile.Read(ref _looked)) > Fresh);

    /// <summary>Whether a request has to look at the locks: one that only reads does not ask a bucket for them.</summary>
    public bool ConcernsRequest(bool isChange) =>
        isChange || !documents.IsShared ? MayHaveAny : _index is { IsEmpty: false };

    /// <summary>The locks as they were last read; null if they never were.</summary>
    public Index? Known => _index;

    /// <summary>Reads the locks, if that is necessary.</summary>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <param name="again">Whether another server's lock of the last second matters.</param>
    public async ValueTask<Index> LookAsync(CancellationToken cancellationToken, bool again = false)
    {
        if (_index is { } known && (!documents.IsShared || (!again && Stopwatch.GetElapsedTime(Volatile.Read(ref _looked)) <= Fresh)))
        {
            return known;
        }

        await _changing.WaitAsync(cancellationToken);
        try
        {
            return await ReadAsync(cancellationToken);
        }
        finally
        {
            _changing.Release();
        }
    }

    /// <summary>Begins to publish something: a lock that is taken meanwhile is granted only after the end.</summary>
    /// <returns>To be given to <see cref="End"/>.</returns>
    public int Begin()
    {
        while (true)
        {
            int epoch = _epoch;
            Interlocked.Increment(ref _publishing[epoch & 1]);
            if (epoch == _epoch)
            {
                return epoch;
            }

            Interlocked.Decrement(ref _publishing[epoch & 1]);
        }
    }

    public void End(int begun) => Interlocked.Decrement(ref _publishing[begun & 1]);

    /// <summary>Changes the locks, in one step for all servers.</summary>
    /// <param name="change">Returns the new locks; null to change nothing. Called again if another server was faster.</param>
    /// <param name="cancellationToken">Ends the wait for others.</param>
    public async ValueTask ChangeAsync(Func<Index, IEnumerable<WriteLock>?> change, CancellationToken cancellationToken)
    {
        await _changing.WaitAsync(cancellationToken);
        try
        {
            for (int i = 0; i < MaxTries; i++)
            {
                Index before = documents.IsShared || _index is null ? await ReadAsync(cancellationToken) : _index;
                if (change(before) is not { } changed)
                {
                    return;
                }

                WriteLock[] after = [.. changed];
                byte[] content = JsonSerializer.SerializeToUtf8Bytes(new LockDocument { Locks = after }, ServerJson.Default.LockDocument);
                if (content.Length > MaxBytes && after.Length > before.All.Length)
                {
                    throw TooMany();
                }

                string? version = await documents.TryWriteAsync(Key, content, before.Version, isDurable: false, cancellationToken);
                if (version is not null)
                {
                    _index = new Index(after, version);
                    await WaitForPublicationsAsync();
                    return;
                }

                _index = null;
                await Task.Delay(Random.Shared.Next(5, 50), cancellationToken);
            }
        }
        finally
        {
            _changing.Release();
        }

        throw new TransferException(TransferError.Unavailable, "Other servers change the locks of this store all the time. Try again later.");
    }

    public static TransferException TooMany() => new(
        TransferError.TooManyTransfers, "There are too many locks. Remove some, or try again when they end.")
    {
        RetryAfter = TimeSpan.FromMinutes(1),
    };

    /// <summary>What began before the last change did not know of it.</summary>
    private async ValueTask WaitForPublicationsAsync()
    {
        int before = _epoch++;
        while (Volatile.Read(ref _publishing[before & 1]) != 0)
        {
            // A few milliseconds: only the renaming of a file, and never its transfer.
            await Task.Delay(1, CancellationToken.None);
        }
    }

    private async ValueTask<Index> ReadAsync(CancellationToken cancellationToken)
    {
        long now = Stopwatch.GetTimestamp();
        StoreDocument? found = await documents.ReadAsync(Key, cancellationToken);
        Index? known = _index;
        if (known is null || known.Version != found?.Version)
        {
            known = new Index(Parse(found), found?.Version);
            _index = known;
        }

        Volatile.Write(ref _looked, now);
        return known;
    }

    private static WriteLock[] Parse(StoreDocument? found)
    {
        try
        {
            return found is null
                ? []
                : JsonSerializer.Deserialize(found.Content.Span, ServerJson.Default.LockDocument)?.Locks ?? [];
        }
        catch (JsonException)
        {
            // Cut by a power failure, which ends locks: clients lock again.
            return [];
        }
    }

    /// <summary>The locks at one moment. Immutable.</summary>
    internal sealed class Index
    {
        private readonly FrozenDictionary<string, WriteLock[]> _byName;

        public Index(WriteLock[] locks, string? version)
        {
            All = locks;
            Version = version;
            _byName = locks.Where(static one => !one.IsForSync).GroupBy(static one => one.Name, StringComparer.Ordinal)
                .ToFrozenDictionary(static group => group.Key, static group => group.ToArray(), StringComparer.Ordinal);
            NextExpiry = locks.Length == 0 ? DateTimeOffset.MaxValue : locks.Min(static one => one.Expires);
        }

        public WriteLock[] All { get; }

        /// <summary>The version of the document; null if there is none.</summary>
        public string? Version { get; }

        public bool IsEmpty => All.Length == 0;

        public DateTimeOffset NextExpiry { get; }

        /// <summary>The locks that protect a file or folder.</summary>
        public IEnumerable<WriteLock> Covering(TransferName name)
        {
            foreach (WriteLock own in At(name.Value))
            {
                yield return own;
            }

            for (TransferName folder = name; !folder.IsRoot;)
            {
                folder = folder.Folder;
                foreach (WriteLock one in At(folder.Value))
                {
                    if (one.IsDeep)
                    {
                        yield return one;
                    }
                }
            }
        }

        /// <summary>All locks that a request for a name may be about: those that protect it, and that of a sync.</summary>
        public IEnumerable<WriteLock> About(TransferName name) => Covering(name).Concat(SyncOf(name.Value));

        /// <summary>The lock of a sync into a folder.</summary>
        public IEnumerable<WriteLock> SyncOf(string name) => All.Where(one => one.IsForSync && one.Name == name);

        /// <summary>The locks of a name itself.</summary>
        public WriteLock[] At(string name) => _byName.TryGetValue(name, out WriteLock[]? found) ? found : [];

        /// <summary>The locks of names in a folder.</summary>
        public IEnumerable<WriteLock> Below(TransferName folder) =>
            All.Where(one => !one.IsForSync && one.Name.Length > 0 && one.Name != folder.Value && one.Root.IsIn(folder));
    }
}
