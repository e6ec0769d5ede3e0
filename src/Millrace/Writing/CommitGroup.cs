using System.Collections.Concurrent;
using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Writing;

/// <summary>
/// Commits the small files of one file system. A few at the same time are flushed each by itself. Those that come meanwhile wait, without a
/// thread each, and share one wait for the device: syncfs(2), their renames after it, and one flush of each folder. Thread-safe.
/// </summary>
/// <remarks>Nothing is visible before it is durable, and a failure is that of one file: what fails together is done again for each.</remarks>
internal sealed class CommitGroup(Func<SafeFileHandle, bool> canShare, Func<SafeFileHandle, int> flushAll, int maxAlone = CommitGroup.MaxAlone)
{
    /// <summary>Files that are flushed each by itself at the same time. The journal of the file system makes their flushes together.</summary>
    internal const int MaxAlone = 8;

    /// <summary>From how many files on one wait for everything is shorter than one for each.</summary>
    internal const int MinShared = 16;

    /// <summary>The same two after files have shared a wait, until as many as <see cref="MinShared"/> were alone: then many come one after the other.</summary>
    internal const int MaxAloneAmongMany = 2;

    /// <inheritdoc cref="MaxAloneAmongMany"/>
    internal const int MinSharedAmongMany = 4;

    /// <summary>Files that share a wait at most: the first one gets its name only after the last one.</summary>
    internal const int MaxShared = 256;

    private static readonly ParallelOptions AFew = new() { MaxDegreeOfParallelism = MaxAlone };

    private static readonly ConcurrentDictionary<(uint Major, uint Minor), CommitGroup?> Groups = new();

    private readonly Queue<CommitWork> _waiting = new();
    private readonly Lock _lock = new();
    private int _running;
    private int _amongMany;
    private bool _isSharing;

    /// <summary>Files that wait for their turn; for tests.</summary>
    internal int Waiting
    {
        get
        {
            lock (_lock)
            {
                return _waiting.Count;
            }
        }
    }

    /// <summary>Finds the group of a file; null where the system cannot flush many files at once and tell of a failure.</summary>
    public static CommitGroup? Find(StagedFile file)
    {
        // A file that is resumed may have lost bytes before it was opened, which only its own flush reports.
        if (!file.Native || file.Keeps || file.WasToldOfFailure || StatX.TryGet(file.Handle, out StatX status) != 0)
        {
            return null;
        }

        (uint, uint) key = (status.DeviceMajor, status.DeviceMinor);
        return Groups.TryGetValue(key, out CommitGroup? found) ? found
            : Groups.GetOrAdd(key, FileSystemSync.IsReliable(file.Handle) ? new CommitGroup(FileSystemSync.Pays, FileSystemSync.Run) : null);
    }

    /// <summary>Flushes a file and gives it its name, both durably.</summary>
    /// <returns>Completes when that is done, on a thread of the pool. A failed flush is marked by <see cref="CommitWork.IsLost"/>.</returns>
    public Task CommitAsync(CommitWork work)
    {
        work.Group = this;
        lock (_lock)
        {
            if (_isSharing || _running >= AloneNow)
            {
                _waiting.Enqueue(work);
                return work.Task;
            }

            BeginAlone();
        }

        // A small file is on its way to the device while the pool's thread wakes up: a commit of 4 KiB took 0.43 ms so and 0.46 without.
        try
        {
            work.File.BeginFlush();
        }
        catch (ObjectDisposedException)
        {
            // The caller has closed it meanwhile, of which the flush reports. The turn has to end all the same.
        }

        ThreadPool.UnsafeQueueUserWorkItem(work, preferLocal: false);
        return work.Task;
    }

    /// <summary>Commits one file, and then those that have come meanwhile, if they are many.</summary>
    internal void Run(CommitWork work)
    {
        RunAlone(work);
        List<CommitWork>? shared = Next(shared: null);
        if (shared is null)
        {
            // This thread has nothing left to do, and goes on as the caller's.
            work.End();
            return;
        }

        work.EndOnPool();
        while (shared is not null)
        {
            RunShared(shared);
            shared.ForEach(static each => each.EndOnPool());
            shared = Next(shared);
        }
    }

    private int AloneNow => _amongMany > 0 ? Math.Min(MaxAloneAmongMany, maxAlone) : maxAlone;

    private void BeginAlone()
    {
        _running++;
        _amongMany = Math.Max(0, _amongMany - 1);
    }

    /// <summary>Takes those whose turn it is.</summary>
    /// <param name="shared">Those that have shared a wait; null after one that was alone.</param>
    /// <returns>Those that share the next wait; null if there are too few, which run each by itself.</returns>
    private List<CommitWork>? Next(List<CommitWork>? shared)
    {
        lock (_lock)
        {
            if (shared is null)
            {
                _running--;
            }
            else
            {
                _isSharing = false;
            }

            if (_isSharing)
            {
                return null;
            }

            if (_waiting.Count >= (_amongMany > 0 ? MinSharedAmongMany : MinShared))
            {
                _isSharing = true;
                _amongMany = MinShared;
                var next = new List<CommitWork>(Math.Min(_waiting.Count, MaxShared));
                while (next.Count < MaxShared && _waiting.TryDequeue(out CommitWork? work))
                {
                    next.Add(work);
                }

                return next;
            }

            while (_running < AloneNow && _waiting.TryDequeue(out CommitWork? work))
            {
                BeginAlone();
                ThreadPool.UnsafeQueueUserWorkItem(work, preferLocal: false);
            }

            return null;
        }
    }

    private static void RunAlone(CommitWork work)
    {
        if (work.Flush())
        {
            work.Try(static file => file.Publish(durable: true));
        }
    }

    private void RunShared(List<CommitWork> all)
    {
        FlushAll(all);
        var folders = new Dictionary<(uint Major, uint Minor, ulong Inode), List<CommitWork>>();
        var others = new List<List<CommitWork>>();
        foreach (CommitWork work in all)
        {
            work.Try(static file => file.Publish(durable: false));
            if (work.HasFailed)
            {
                continue;
            }

            if (work.File.FolderIdentity is not { } folder)
            {
                others.Add([work]);
            }
            else if (folders.TryGetValue(folder, out List<CommitWork>? published))
            {
                published.Add(work);
            }
            else
            {
                folders.Add(folder, [work]);
            }
        }

        _ = Parallel.ForEach(folders.Values.Concat(others), AFew, static published => FlushFolder(published));
    }

    /// <summary>Flushes a folder once for all files in it.</summary>
    private static void FlushFolder(List<CommitWork> published)
    {
        foreach (CommitWork work in published)
        {
            // A flush that fails counts for one: the kernel reports an error once to each that has the folder open.
            work.Try(static file => file.FlushFolder());
            if (!work.HasFailed)
            {
                return;
            }
        }
    }

    /// <summary>Makes the content of all files durable.</summary>
    private void FlushAll(List<CommitWork> all)
    {
        CommitWork? first = null;
        foreach (CommitWork work in all)
        {
            // The one that was opened before the others were written learns of all their failures.
            if (!work.IsCanceled() && (first is null || work.File.Order < first.File.Order))
            {
                first = work;
            }
        }

        bool isFlushed = first is null;
        first?.Try(file =>
        {
            if (canShare(file.Handle))
            {
                isFlushed = flushAll(file.Handle) == 0;
                file.WasToldOfFailure = !isFlushed;
            }
        });
        if (isFlushed)
        {
            return;
        }

        foreach (CommitWork work in all)
        {
            work.Try(static file => file.BeginFlush());
        }

        _ = Parallel.ForEach(all, AFew, static work => work.Flush());
    }
}

/// <summary>A file that is committed by a <see cref="CommitGroup"/>.</summary>
internal sealed class CommitWork(StagedFile file, CancellationToken cancellationToken) : IThreadPoolWorkItem
{
    private readonly TaskCompletionSource _done = new();
    private Exception? _error;
    private bool _isDone;

    public StagedFile File => file;

    public CommitGroup Group { get; set; } = null!;

    public Task Task => _done.Task;

    public bool HasFailed => _error is not null;

    /// <summary>Whether its flush failed, so that the bytes may be gone.</summary>
    public bool IsLost { get; private set; }

    /// <summary>Whether the caller has given it up before it has its name.</summary>
    public bool IsCanceled()
    {
        if (cancellationToken.IsCancellationRequested && !file.Published)
        {
            _error ??= new OperationCanceledException(cancellationToken);
        }

        return HasFailed;
    }

    public void Try(Action<StagedFile> action)
    {
        if (HasFailed || IsCanceled())
        {
            return;
        }

        try
        {
            action(file);
        }
        catch (Exception exception)
        {
            // Whatever it is, it is the caller's, and not that of the others in the group.
            _error = exception;
        }
    }

    /// <returns>Whether its bytes are durable.</returns>
    public bool Flush()
    {
        if (!IsCanceled())
        {
            Try(static file => file.Flush());
            IsLost = HasFailed;
        }

        return !HasFailed;
    }

    public void EndOnPool()
    {
        _isDone = true;
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Lets the caller go on, on this thread.</summary>
    public void End()
    {
        if (_error is OperationCanceledException)
        {
            _done.SetCanceled(cancellationToken);
        }
        else if (_error is { } error)
        {
            _done.SetException(error);
        }
        else
        {
            _done.SetResult();
        }
    }

    void IThreadPoolWorkItem.Execute()
    {
        if (_isDone)
        {
            End();
        }
        else
        {
            Group.Run(this);
        }
    }
}
